// Handler of termination signals, which notifies a thread that is not restricted to async-signal-safe functions.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CClickstreamSignals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGTERM, SIGINT};
enum { signal_count = sizeof signals / sizeof signals[0], grace_period = 1000 };

static struct sigaction earlier[signal_count];
static _Atomic int pipe_end = -1;
static _Atomic pid_t owner;
// The time of the first signal in milliseconds; 0 before.
static _Atomic long long first;

static struct sigaction *earlier_of(int number) {
    for (int index = 0; index < signal_count; index++) {
        if (signals[index] == number) return &earlier[index];
    }
    return NULL;
}

// Unblocks the signal and raises it with the default action.
static void die_of(int number) {
    signal(number, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    // The first process of a container is not ended by a signal.
    _exit(128 + number);
}

static void stop(int number) {
    int saved = errno;
    if (atomic_load(&owner) != getpid()) {
        // Child of fork: it inherits the handler, but not the thread. The signal is raised again on return.
        sigaction(number, earlier_of(number), NULL);
        raise(number);
        errno = saved;
        return;
    }
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    long long now = (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000 + 1, none = 0;
    if (atomic_compare_exchange_strong(&first, &none, now)) {
        unsigned char byte = (unsigned char)number;
        while (write(atomic_load(&pipe_end), &byte, 1) < 0 && errno == EINTR) {
        }
    } else if (now - none >= grace_period) {
        // A repeated signal ends the process at once, except within a second, because `timeout` sends each signal
        // twice.
        die_of(number);
    }
    errno = saved;
}

int clickstream_stop_listen(int descriptor) {
    atomic_store(&pipe_end, descriptor);
    atomic_store(&owner, getpid());
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    int count = 0;
    for (int index = 0; index < signal_count; index++) {
        if (sigaction(signals[index], NULL, &earlier[index]) != 0) continue;
        // An ignored signal (nohup, background job of a shell) stays ignored.
        if (!(earlier[index].sa_flags & SA_SIGINFO) && earlier[index].sa_handler == SIG_IGN) continue;
        if (sigaction(signals[index], &action, NULL) == 0) count++;
    }
    return count;
}

void clickstream_stop_reset(void) {
    if (atomic_exchange(&owner, 0) == 0) return;
    for (int index = 0; index < signal_count; index++) {
        struct sigaction current;
        if (sigaction(signals[index], NULL, &current) != 0) continue;
        if (!(current.sa_flags & SA_SIGINFO) && current.sa_handler == stop) sigaction(signals[index], &earlier[index], NULL);
    }
    atomic_store(&pipe_end, -1);
    atomic_store(&first, 0);
}

int clickstream_stop_wait(int descriptor) {
    sigset_t set;
    sigemptyset(&set);
    for (int index = 0; index < signal_count; index++) sigaddset(&set, signals[index]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    unsigned char byte = 0;
    while (read(descriptor, &byte, 1) < 0 && errno == EINTR) {
    }
    return byte;
}

void clickstream_stop_pass_on(int number) {
    struct sigaction *action = earlier_of(number);
    if (action && ((action->sa_flags & SA_SIGINFO) || action->sa_handler != SIG_DFL)) {
        sigaction(number, action, NULL);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        raise(number);
    }
    die_of(number);
}
