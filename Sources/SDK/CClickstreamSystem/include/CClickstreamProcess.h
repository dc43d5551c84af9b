// Process state that is accessible only from C: forks, the locks that a child must not keep, and the file that was
// standard error when the program started.

#ifndef CLICKSTREAM_PROCESS_H
#define CLICKSTREAM_PROCESS_H

#include <stdint.h>

// Number of forks between the process that loaded the library and this one: 0, or more in a child of fork. Written only
// by the child's fork handler, before the child has a second thread.
extern unsigned int clickstream_fork_count;

// Returns the number of forks so far. One load; thread-safe.
static inline unsigned int clickstream_forks(void) { return clickstream_fork_count; }

// Value of clickstream_forks() in the process that reset the library after a fork last: this one or one that it comes from.
extern unsigned int clickstream_reset_count;

// Returns that value; 0 before the first reset. One load; thread-safe.
static inline unsigned int clickstream_resets(void) {
    return __atomic_load_n(&clickstream_reset_count, __ATOMIC_RELAXED);
}

// Notes a reset in this process. To be called before the process has a second thread that uses the library.
static inline void clickstream_reset(void) {
    __atomic_store_n(&clickstream_reset_count, clickstream_fork_count, __ATOMIC_RELAXED);
}

// 1 once the process used an extension of recording (middleware, scoped attributes), otherwise 0.
extern unsigned int clickstream_extended;

// Returns nonzero if an extension of recording was used. One load; thread-safe.
static inline unsigned int clickstream_is_extended(void) {
    return __atomic_load_n(&clickstream_extended, __ATOMIC_RELAXED);
}

// Reports the use of an extension of recording. Thread-safe.
static inline void clickstream_extend(void) { __atomic_store_n(&clickstream_extended, 1u, __ATOMIC_RELAXED); }

// Returns 1 if a descriptor is open and refers to the file with this device and inode. A host may close descriptors that it
// did not open, and their numbers are reused. One system call. Thread-safe, async-signal-safe.
int clickstream_is_file(int descriptor, uint64_t device, uint64_t inode);

// Registers a file's descriptor that a child of fork must not keep, because its lock is shared between all copies. Each child
// closes its copy before fork returns there. Returns NULL if out of memory. Thread-safe.
void *clickstream_lock_keep(int descriptor, uint64_t device, uint64_t inode);

// Returns 1 while the registered descriptor is open and refers to the same file. Thread-safe.
int clickstream_lock_is_held(const void *kept);

// Ends the registration. Returns the descriptor, or -1 if it is no longer registered. Thread-safe.
int clickstream_lock_take(void *kept);

// Returns 1 if descriptor 2 is standard error: open when the program started, and not a file that reuses the number. A
// redirection to a terminal, a device, a pipe, a file opened for appending, or the file of standard output counts as
// standard error; a descriptor that closes on exec, a socket, or any other file does not. Thread-safe.
int clickstream_has_standard_error(void);

// Blocks all signals on the calling thread but those of its own faults, so that they are handled by the program's threads.
void clickstream_block_signals(void);

// Returns the name or path by which the program was started, which it may have changed since; NULL if there is none. Needs no file
// system. The text is the process's.
const char *clickstream_program_name(void);

// Placeholders for the descriptor numbers 0 to 2 that were free.
typedef struct {
    int count;
    int descriptors[3];
} clickstream_placeholders;

// Occupies the free numbers of 0 to 2, so that a library called meanwhile does not use them. Thread-safe.
clickstream_placeholders clickstream_occupy_standard_numbers(void);

// Closes the placeholders.
void clickstream_free_standard_numbers(const clickstream_placeholders *placeholders);

// Returns a descriptor of the same open file with a number of 3 or higher, closed on exec, and closes `descriptor` if
// the number differs. Returns -1 with errno on failure, and closes `descriptor`. Thread-safe.
int clickstream_above_standard(int descriptor);

// Slow paths of a lock without an owner: an aligned 32-bit word with the value 0 (free), 1 (locked) or 2 (locked, and threads may
// wait). Linux only. Keeps errno.
//
// Locks a word that another thread has locked: blocks until it is free, and sets it to 2.
void clickstream_lock_wait(void *word);
// Wakes one thread that waits for a word, which was 2 and was set to 0.
void clickstream_lock_wake(void *word);

// Makes the allocator return each freed block of 128 KiB and more to the system, for a server whose requests may be large. glibc
// raises this size with each such block otherwise, up to 32 MiB. For the whole process; without effect on another C library.
void clickstream_return_large_blocks(void);

// Annotations of the thread sanitizer for unsupported locks. NULL in a program built without it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static inline void clickstream_lock_taken(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static inline void clickstream_lock_left(void *address) {
    if (__tsan_release) __tsan_release(address);
}

#endif
