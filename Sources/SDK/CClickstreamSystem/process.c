// Process state that is accessible only from C. Supports Linux and Apple's systems.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CClickstreamProcess.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <link.h>
#include <malloc.h>
#endif

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

// MARK: Fork

unsigned int clickstream_fork_count = 0;
unsigned int clickstream_reset_count = 0;
unsigned int clickstream_extended = 0;

enum { slots_of_page = 128 };

// Registered descriptor. Its file's identity is stored before the descriptor.
struct slot {
    _Atomic int descriptor;  // 0: free; -1: being registered; otherwise the descriptor plus 1
    uint64_t device, inode;
};

// Pages are never freed: a child of fork iterates over them without a lock.
struct page {
    struct slot slots[slots_of_page];
    struct page *_Atomic next;
};

static struct page first;

int clickstream_is_file(int descriptor, uint64_t device, uint64_t inode) {
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && (uint64_t)status.st_dev == device && (uint64_t)status.st_ino == inode;
}

static int is_file_of(const struct slot *slot, int descriptor) {
    return clickstream_is_file(descriptor, slot->device, slot->inode);
}

void *clickstream_lock_keep(int descriptor, uint64_t device, uint64_t inode) {
    for (struct page *page = &first;;) {
        for (int index = 0; index < slots_of_page; index++) {
            struct slot *slot = &page->slots[index];
            int none = 0;
            if (atomic_load_explicit(&slot->descriptor, memory_order_relaxed) == 0
                && atomic_compare_exchange_strong(&slot->descriptor, &none, -1)) {
                slot->device = device;
                slot->inode = inode;
                atomic_store(&slot->descriptor, descriptor + 1);
                return slot;
            }
        }
        struct page *next = atomic_load(&page->next);
        if (!next) {
            struct page *made = calloc(1, sizeof *made);
            if (!made) return NULL;
            if (atomic_compare_exchange_strong(&page->next, &next, made)) {
                next = made;
            } else {
                free(made);
            }
        }
        page = next;
    }
}

int clickstream_lock_is_held(const void *kept) {
    const struct slot *slot = kept;
    return is_file_of(slot, atomic_load(&slot->descriptor) - 1);
}

int clickstream_lock_take(void *kept) { return atomic_exchange(&((struct slot *)kept)->descriptor, 0) - 1; }

// Runs in the child, restricted to async-signal-safe functions.
static void forked(void) {
    int saved = errno;
    clickstream_fork_count++;
    for (struct page *page = &first; page; page = atomic_load(&page->next)) {
        for (int index = 0; index < slots_of_page; index++) {
            struct slot *slot = &page->slots[index];
            int descriptor = atomic_exchange(&slot->descriptor, 0) - 1;
            if (is_file_of(slot, descriptor)) close(descriptor);
        }
    }
    errno = saved;
}

// MARK: Standard error

static int is_open_at_start;
static struct stat at_start;

static int is_same_file(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

int clickstream_has_standard_error(void) {
    struct stat now, output;
    // Standard streams are inherited, so close-on-exec indicates another file.
    int flags = fcntl(STDERR_FILENO, F_GETFD);
    if (!is_open_at_start || flags < 0 || (flags & FD_CLOEXEC) || fstat(STDERR_FILENO, &now) != 0) return 0;
    if (is_same_file(&now, &at_start)) return 1;
    int mode = fcntl(STDERR_FILENO, F_GETFL);
    if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) return 0;
    if (S_ISCHR(now.st_mode) || S_ISFIFO(now.st_mode)) return 1;
    if (!S_ISREG(now.st_mode)) return 0;
    return (mode & O_APPEND) || (fstat(STDOUT_FILENO, &output) == 0 && is_same_file(&now, &output));
}

// MARK: Start

// Keeps the shared library or plug-in that contains this code mapped until the process ends, with the libraries that it
// needs, as the link option `-z nodelete` does: `dlclose` would unmap it below its threads and its handlers of exit. The
// program itself is never unmapped, and neither is any library of the C library musl or of Apple's systems.
static void stay_mapped(void) {
#ifdef __GLIBC__
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1((void *)&clickstream_fork_count, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0]) return;
    dlopen(map->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

__attribute__((constructor)) static void start(void) {
    int saved = errno;
    stay_mapped();
    is_open_at_start = fstat(STDERR_FILENO, &at_start) == 0;
    pthread_atfork(NULL, NULL, forked);
    errno = saved;
}

// MARK: Locks

#ifdef __linux__
void clickstream_lock_wait(void *address) {
    uint32_t *word = address;
    int saved = errno;
    // Most locks are held for less time than a system call takes.
    for (int turn = 0; turn < 400; turn++) {
        uint32_t free = 0;
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0
            && __atomic_compare_exchange_n(word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    }
    errno = saved;
}

void clickstream_lock_wake(void *address) {
    int saved = errno;
    syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}
#endif

// MARK: Memory

void clickstream_return_large_blocks(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

// MARK: Signals

void clickstream_block_signals(void) {
    static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t set;
    sigfillset(&set);
    for (size_t index = 0; index < sizeof own / sizeof *own; index++) sigdelset(&set, own[index]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

// MARK: Program

const char *clickstream_program_name(void) {
#ifdef __APPLE__
    return getprogname();
#else
    return program_invocation_name;
#endif
}

// MARK: Descriptor numbers

clickstream_placeholders clickstream_occupy_standard_numbers(void) {
    clickstream_placeholders placeholders = {0, {-1, -1, -1}};
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0) continue;
        int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (descriptor > STDERR_FILENO) close(descriptor);
        if (descriptor < 0 || descriptor > STDERR_FILENO) break;
        placeholders.descriptors[placeholders.count++] = descriptor;
    }
    return placeholders;
}

void clickstream_free_standard_numbers(const clickstream_placeholders *placeholders) {
    int saved = errno;
    for (int index = 0; index < placeholders->count; index++) close(placeholders->descriptors[index]);
    errno = saved;
}

int clickstream_above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return moved;
}
