#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CEarlierHandler.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)

#include <ucontext.h>

enum kind { mend, context, jump, raise_again, abort_process, report_jump, report_exit, kind_count };
static const char *const names[kind_count] = {"mend", "context", "jump", "raise", "abort", "reportJump", "reportExit"};
static enum kind kind;

enum { page = 65536 };
static __thread char *unreadable;
static __thread sigjmp_buf escape;
static pthread_barrier_t start;

// Reads an int. One instruction, whose length is known.
int earlier_handler_read_int(const void *address);
#if defined(__x86_64__)
__asm__(".text\n.type earlier_handler_read_int, @function\nearlier_handler_read_int:\nmovl (%rdi), %eax\nret\n");
static void skip(ucontext_t *context) { context->uc_mcontext.gregs[REG_RIP] += 2; }
#elif defined(__aarch64__)
__asm__(".text\n.type earlier_handler_read_int, %function\nearlier_handler_read_int:\nldr w0, [x0]\nret\n");
static void skip(ucontext_t *context) { context->uc_mcontext.pc += 4; }
#else
int earlier_handler_read_int(const void *address) { return *(const volatile int *)address; }
static void skip(ucontext_t *context) { (void)context; }
#endif

static void handle(int number, siginfo_t *info, void *interrupted) {
    const char *address = info->si_addr;
    if (unreadable && info->si_code > 0 && address >= unreadable && address < unreadable + page) {
        if (kind == mend || kind == report_exit) mprotect(unreadable, page, PROT_READ);
        if (kind == context) skip(interrupted);
        if (kind == jump || kind == report_jump) siglongjmp(escape, 1);
        return;
    }
    if (kind == abort_process) abort();
    if (kind == report_exit) {
        earlier_handler_read(1, 1);
        _exit(3);
    }
    signal(number, SIG_DFL);
    if (kind == raise_again) raise(number);
}

int earlier_handler_install(const char *name) {
    int index = 0;
    while (index < kind_count && strcmp(names[index], name) != 0) index++;
    if (index == kind_count) return -1;
    kind = (enum kind)index;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    if (kind == report_jump || kind == report_exit) sigaction(SIGABRT, &action, NULL);
    return 0;
}

static void *read_often(void *argument) {
    const int *count = argument;
    // The handler that starts this thread has blocked its signal.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    unreadable = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (unreadable == MAP_FAILED) abort();
    pthread_barrier_wait(&start);
    volatile intptr_t resolved = 0;
    for (volatile int turn = 0; turn < *count; turn++) {
        mprotect(unreadable, page, PROT_NONE);
        if (sigsetjmp(escape, 1) == 0) earlier_handler_read_int(unreadable);
        resolved++;
    }
    munmap(unreadable, page);
    unreadable = NULL;
    return (void *)resolved;
}

int earlier_handler_read(int threads, int count) {
    enum { max_threads = 64 };
    pthread_t identifiers[max_threads];
    if (threads > max_threads || pthread_barrier_init(&start, NULL, (unsigned)threads) != 0) return -1;
    for (int index = 0; index < threads; index++) {
        if (pthread_create(&identifiers[index], NULL, read_often, &count) != 0) abort();
    }
    int resolved = 0;
    for (int index = 0; index < threads; index++) {
        void *result = NULL;
        pthread_join(identifiers[index], &result);
        resolved += (int)(intptr_t)result;
    }
    pthread_barrier_destroy(&start);
    return resolved;
}

#else

int earlier_handler_install(const char *kind) {
    (void)kind;
    return -1;
}

int earlier_handler_read(int threads, int count) {
    (void)threads;
    (void)count;
    return 0;
}

#endif
