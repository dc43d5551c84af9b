// Crash record: written to the crash files by a signal handler. Internal to this target. All functions are
// async-signal-safe, except for adding and removing files.

#ifndef CLICKSTREAM_CRASH_RECORD_H
#define CLICKSTREAM_CRASH_RECORD_H

#include "CClickstreamSignals.h"

#if defined(__linux__)

#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Not `gettid`, which glibc has since 2.30.
static inline pid_t clickstream_this_thread(void) { return (pid_t)syscall(SYS_gettid); }

// State of a thread at a signal, copied because a handler may change the context to which it returns.
typedef struct {
    int number;
    siginfo_t info;
    pid_t thread;
    uint32_t machine;
    int64_t wall, steady;
    uint64_t registers[CLICKSTREAM_CRASH_REGISTERS];
    uint64_t stack_pointer, frame_pointer;
} clickstream_fault;

void clickstream_fault_read(clickstream_fault *fault, int number, const siginfo_t *info, const void *context);

// Writes the record of a fault and returns its serial number. Does nothing and returns `serial` if the files contain
// the record with that number. Blocks for two seconds at most while another thread is writing.
//
// With `ending_thread`, the record is provisional: it is not written if that is another number than 0, and replaces the
// record of another thread only after a few milliseconds.
uint64_t clickstream_record_write(
    const clickstream_fault *fault, uint64_t serial, const _Atomic pid_t *ending_thread
);

// Erases the record with that serial number, and restores the one that it has replaced unless that is resolved too.
void clickstream_record_erase(uint64_t serial);

// Resumes at the next step of the record after a failure within the calling thread's write, and does not return. Returns
// if the thread is not writing.
void clickstream_record_resume(pid_t thread);

// Finds the message buffers of the runtimes. Not async-signal-safe.
void clickstream_record_prepare(void);

// Adds a crash file and returns its number; -1 if there are too many.
int clickstream_record_add(int descriptor);

// Removes a crash file; returns false if there is none with that number.
int clickstream_record_remove(int index);

// Closes the descriptor of a crash file, unless the app has closed it.
void clickstream_record_close(int index);

#endif

#endif
