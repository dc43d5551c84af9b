// Facts of the process that only C can observe: forks, the locks that a child must not keep, and the file that standard
// error was when the program started.

#ifndef CLICKSTREAM_PROCESS_H
#define CLICKSTREAM_PROCESS_H

#include <pthread.h>
#include <stdint.h>

// Number of forks between the process that loaded the library and this one: 0, or more in a child of fork. Written by the
// child's fork handler alone, before the child has a second thread.
extern unsigned int clickstream_fork_count;

// The number of forks so far. One load; any thread.
static inline unsigned int clickstream_forks(void) { return clickstream_fork_count; }

// Descriptor that a child of fork must not keep, since the lock on it is shared between all its copies. Each child closes
// its copy before fork returns there. NULL if there is no memory. Any thread.
void *clickstream_lock_keep(int descriptor);

// Ends the registration. Returns the descriptor, or -1 if it was taken before. Any thread.
int clickstream_lock_take(void *kept);

// Returns 1 if descriptor 2 is standard error: open when the program started, and not replaced by a file that got its number
// by chance. A redirection to a terminal, a device, a pipe, a file opened for appending, or the file of standard output
// counts as standard error; a descriptor that closes on exec, a socket, or any other file does not. Any thread.
int clickstream_has_standard_error(void);

// Occupied numbers 0 to 2, where the process had them free.
typedef struct {
    int count;
    int descriptors[3];
} clickstream_placeholders;

// Occupies the free numbers among 0 to 2, so that a library called meanwhile gets none of them. Any thread.
clickstream_placeholders clickstream_occupy_standard_numbers(void);

// Frees them again.
void clickstream_free_standard_numbers(const clickstream_placeholders *placeholders);

// Returns a descriptor of the same open file with a number of 3 or more, closed on exec, and closes `descriptor` if that is
// another one. Returns -1 with errno on failure; `descriptor` is closed then too. Any thread.
int clickstream_above_standard(int descriptor);

// Id of the calling thread: unique among the living threads, never 0.
static inline uintptr_t clickstream_thread(void) {
    return (uintptr_t)pthread_self();
}

// Annotations of the thread sanitizer for locks that it does not recognise. NULL in a program built without it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static inline void clickstream_lock_taken(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static inline void clickstream_lock_left(void *address) {
    if (__tsan_release) __tsan_release(address);
}

#endif
