// Handler of fatal signals. Everything called by `handle` is async-signal-safe: no locks, no allocation, only functions
// that POSIX lists as safe, and system calls.
//
// A signal whose earlier handler is a function may be no crash: a runtime such as the JVM resolves it. The record is
// therefore written after that handler, or erased after it. See "Other handlers" in Docs/crashes.md.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CClickstreamSignals.h"

#if defined(__linux__)

#include "record.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
enum { signal_count = sizeof signals / sizeof signals[0] };

static int watch_count;
// Action that is installed for each signal.
static struct sigaction ours;
static struct sigaction earlier[signal_count];
static _Atomic int is_installed[signal_count];
// True if the earlier handler has replaced itself by the default action.
static _Atomic int is_default[signal_count];

// The process that installed the handlers: a child of fork inherits them, but not the files.
static _Atomic pid_t owner;
// The first thread that ends the process, or 0.
static _Atomic pid_t ending_thread;
static _Atomic int is_end_recorded;

// MARK: Chained faults

// Fault that an earlier handler is handling. In the stack frame of `handle`.
typedef struct chained {
    clickstream_fault fault;
    const void *context;
    // Fault during whose handling this one was raised.
    struct chained *outer;
    // Its own address: a handler that leaves by `siglongjmp` abandons the frame, and the memory is reused.
    const struct chained *self;
} chained;

// Chained faults of a thread. Only that thread uses it, until the thread is gone.
typedef struct {
    _Atomic pid_t thread;  // 0: free
    chained *innermost;
    const void *context;  // that of `innermost`
    // Serial number of the record of the outermost fault, 0 if it is not written.
    uint64_t serial;
} slot;

enum { slot_count = 64, max_depth = 4, max_handler_stack = 1 << 20 };
static slot slots[slot_count];

// Returns the slot of the calling thread; NULL if living threads use all slots.
static slot *slot_of(pid_t thread) {
    for (int index = 0; index < slot_count; index++) {
        if (atomic_load(&slots[index].thread) == thread) return &slots[index];
    }
    for (int index = 0; index < slot_count; index++) {
        pid_t former = atomic_load(&slots[index].thread);
        if (former != 0 && (syscall(SYS_tgkill, getpid(), former, 0) == 0 || errno != ESRCH)) continue;
        if (!atomic_compare_exchange_strong(&slots[index].thread, &former, thread)) continue;
        slots[index].innermost = NULL;
        slots[index].serial = 0;
        return &slots[index];
    }
    return NULL;
}

static int is_on_alternate_stack(const ucontext_t *context, uint64_t address) {
    uint64_t start = (uint64_t)(uintptr_t)context->uc_stack.ss_sp;
    if (context->uc_stack.ss_flags & SS_DISABLE) return 0;
    return address >= start && address - start < context->uc_stack.ss_size;
}

// True if the earlier handler of `outer` was interrupted by a signal with this context. False if that handler has been
// left by `siglongjmp`: the stack pointer is above its frames, or on another stack, or they are overwritten.
static int is_within(const chained *outer, const clickstream_fault *fault, const ucontext_t *context) {
    uint64_t address = (uint64_t)(uintptr_t)outer, pointer = fault->stack_pointer;
    if (pointer >= address || address - pointer > max_handler_stack) return 0;
    if (is_on_alternate_stack(context, address) != is_on_alternate_stack(context, pointer)) return 0;
    unsigned char residence[2];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)address & ~(page - 1);
    if (mincore((void *)start, (uintptr_t)address + sizeof *outer - start, residence) != 0) return 0;
    return outer->self == outer && outer->fault.thread == fault->thread;
}

// Removes the faults of an earlier handler that was left by `siglongjmp`: they are resolved.
static void forget(slot *slot) {
    clickstream_record_erase(slot->serial);
    slot->innermost = NULL;
    slot->serial = 0;
}

static void record_outermost(slot *slot, const chained *fault) {
    while (fault->outer) fault = fault->outer;
    slot->serial = clickstream_record_write(&fault->fault, slot->serial, NULL);
}

// MARK: Signal handler

static int index_of(int number) {
    int index = 0;
    while (signals[index] != number) index++;
    return index;
}

static int is_function(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static int is_default_action(const struct sigaction *action) {
    return !is_function(action) && action->sa_handler == SIG_DFL;
}

// True if both are the same function or action.
static int is_same(const struct sigaction *one, const struct sigaction *other) {
    return (void *)one->sa_sigaction == (void *)other->sa_sigaction;
}

// True for an action that an earlier handler leaves behind; `ours` replaces it.
static int is_replaceable(int index, const struct sigaction *action) {
    return atomic_load(&is_installed[index]) && (is_default_action(action) || is_same(&earlier[index], action));
}

// True for a handler of both SIGSEGV and SIGABRT: a crash reporter, since `abort` cannot be resolved. It may end the
// process before it returns.
static int is_reporter(int index) {
    const struct sigaction *aborted = &earlier[index_of(SIGABRT)];
    return is_function(aborted) && is_same(aborted, &earlier[index_of(SIGSEGV)]) && is_same(aborted, &earlier[index]);
}

// True if the faulting instruction is executed again after the handler, and raises the signal again.
static int is_repeated(int number, const siginfo_t *info) {
    int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
    return is_fault && info->si_code > 0;
}

static int is_sent_by_process(const siginfo_t *info) { return info->si_code <= 0 && info->si_pid == getpid(); }

// Queues the signal again, blocked until the handler returns, so that it interrupts the thread at the same instruction.
static void queue_again(int number, siginfo_t *info) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), clickstream_this_thread(), number, info) != 0) {
        syscall(SYS_tgkill, getpid(), clickstream_this_thread(), number);
    }
}

static void set_default(int number) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

// Records the outermost fault, unless another thread has crashed first, and ends the process with the default action,
// which may write a core dump.
static void end(slot *slot, const chained *fault, siginfo_t *info, int is_queued) {
    pid_t thread = fault->fault.thread, none = 0;
    if (atomic_compare_exchange_strong(&ending_thread, &none, thread) || none == thread) {
        record_outermost(slot, fault);
        atomic_store(&is_end_recorded, 1);
    } else {
        // Waits for the other thread's record, two seconds at most; the process ends in any case.
        for (int turn = 0; turn < 200 && !atomic_load(&is_end_recorded); turn++) {
            struct timespec pause = {0, 10000000};
            nanosleep(&pause, NULL);
        }
    }
    set_default(fault->fault.number);
    if (is_queued) queue_again(fault->fault.number, info);
}

// Calls the earlier handler as the system would: with its mask, on the current stack.
static void call_earlier(int index, siginfo_t *info, void *context, int saved) {
    const struct sigaction *action = &earlier[index];
    sigset_t mask = action->sa_mask;
    if (!(action->sa_flags & SA_NODEFER)) sigaddset(&mask, signals[index]);
    if (action->sa_flags & SA_RESETHAND) atomic_store(&is_default[index], 1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    errno = saved;
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(signals[index], info, context);
    else action->sa_handler(signals[index]);
}

// Removes the pending signal; returns false if it is not pending.
static int take_pending(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    siginfo_t info;
    struct timespec now = {0, 0};
    return sigtimedwait(&set, &info, &now) == number;
}

// Calls the earlier handler. Afterwards the files contain a record only if the fault is not resolved.
static void pass_to_earlier(slot *slot, chained *fault, int index, siginfo_t *info, void *context, int saved) {
    int number = signals[index];
    struct sigaction before, after;
    sigset_t mask;
    sigaction(number, NULL, &before);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (!fault->outer && is_reporter(index)) {
        slot->serial = clickstream_record_write(&fault->fault, 0, &ending_thread);
    }
    slot->innermost = fault;
    slot->context = context;
    call_earlier(index, info, context, saved);
    slot->innermost = fault->outer;
    slot->context = fault->outer ? fault->outer->context : NULL;
    fault->self = NULL;

    sigaction(number, NULL, &after);
    if (is_default_action(&after)) atomic_store(&is_default[index], 1);
    int is_raised_again = atomic_load(&is_default[index]) && take_pending(number);
    int is_kept = is_same(&before, &after) || is_same(&ours, &after);
    if (is_replaceable(index, &after)) {
        // The earlier handler has set the default action, or itself, on this thread or another one. A fault that is not
        // resolved is raised again.
        sigaction(number, is_replaceable(index, &before) ? &ours : &before, NULL);
        is_kept = 1;
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);

    // `abort` ends the process after its handler returns.
    int is_abort = number == SIGABRT && is_sent_by_process(info);
    if (is_raised_again) end(slot, fault, info, 1);
    else if (is_abort || !is_kept) record_outermost(slot, fault);
    else if (!fault->outer) clickstream_record_erase(slot->serial);
}

// Restores the earlier handler.
static void restore(int index) {
    if (atomic_load(&is_default[index])) set_default(signals[index]);
    else sigaction(signals[index], &earlier[index], NULL);
}

static void handle(int number, siginfo_t *info, void *context) {
    int saved = errno;
    int index = index_of(number);
    if (atomic_load(&owner) != getpid()) {
        restore(index);
        if (!is_repeated(number, info)) queue_again(number, info);
        errno = saved;
        return;
    }
    pid_t thread = clickstream_this_thread();
    clickstream_record_resume(thread);
    chained fault = {.context = context, .outer = NULL, .self = &fault};
    clickstream_fault_read(&fault.fault, number, info, context);
    slot spare = {.thread = thread}, *slot = slot_of(thread);
    if (!slot) slot = &spare;

    chained *outer = slot->innermost;
    // The earlier handler has called this function itself.
    int is_called = outer && slot->context == context && (uintptr_t)&fault < (uintptr_t)outer;
    if (outer && !is_called && !is_within(outer, &fault.fault, context)) {
        forget(slot);
        outer = NULL;
    }
    if (!outer) slot->serial = 0;
    fault.outer = outer;
    int depth = 0;
    for (const chained *next = outer; next; next = next->outer) depth++;
    if (is_called || depth == max_depth || atomic_load(&is_default[index])) {
        end(slot, &fault, info, !is_repeated(number, info));
    } else {
        // A signal that the earlier handler raises, as by `abort`, ends the process for the original fault.
        if (outer && is_sent_by_process(info)) record_outermost(slot, &fault);
        pass_to_earlier(slot, &fault, index, info, context, saved);
    }
    errno = saved;
}

// MARK: Installation

// Sets an alternate signal stack for the calling thread, whose own stack may overflow. 64 KiB and one guard page, never
// freed.
static void give_alternate_stack(void) {
    enum { bytes = 65536 };
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE)) return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    mprotect(memory, page, PROT_NONE);
    stack_t stack = {.ss_sp = memory + page, .ss_size = bytes, .ss_flags = 0};
    sigaltstack(&stack, NULL);
}

static void install(void) {
    clickstream_record_prepare();
    memset(slots, 0, sizeof slots);
    atomic_store(&ending_thread, 0);
    atomic_store(&is_end_recorded, 0);
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    // SA_NODEFER: a failure within the handler invokes it again instead of ending the process.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    // All actions are read before the first is replaced: `is_reporter` compares them.
    for (int index = 0; index < signal_count; index++) {
        sigaction(signals[index], NULL, &earlier[index]);
        atomic_store(&is_default[index], is_default_action(&earlier[index]));
    }
    for (int index = 0; index < signal_count; index++) {
        // The app ignores this signal.
        if (!is_function(&earlier[index]) && !is_default_action(&earlier[index])) continue;
        atomic_store(&is_installed[index], sigaction(signals[index], &ours, NULL) == 0);
    }
}

int clickstream_crash_watch(int descriptor) {
    int index = clickstream_record_add(descriptor);
    if (index < 0) return -1;
    give_alternate_stack();
    if (watch_count++ == 0) {
        atomic_store(&owner, getpid());
        install();
    }
    return index;
}

void clickstream_crash_unwatch(int index) {
    if (!clickstream_record_remove(index) || --watch_count > 0) return;
    for (int index = 0; index < signal_count; index++) {
        struct sigaction current;
        if (!atomic_exchange(&is_installed[index], 0) || sigaction(signals[index], NULL, &current) != 0) continue;
        if (is_same(&ours, &current)) restore(index);
    }
}

void clickstream_crash_reset(void) {
    for (int index = 0; index < CLICKSTREAM_CRASH_WATCHES; index++) {
        clickstream_record_close(index);
        clickstream_crash_unwatch(index);
    }
}

#else

int clickstream_crash_watch(int descriptor) {
    (void)descriptor;
    return -1;
}

void clickstream_crash_unwatch(int index) { (void)index; }

void clickstream_crash_reset(void) {}

#endif
