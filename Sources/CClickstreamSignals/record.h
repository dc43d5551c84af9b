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

// Writes the record of a fault if no other thread is writing one. Returns its serial number; 0 if nothing was written.
uint64_t clickstream_record_try_write(const clickstream_fault *fault);

// Writes the record of a fault and blocks for two seconds at most while another thread is writing.
uint64_t clickstream_record_write(const clickstream_fault *fault);

// True if the files contain the record with that serial number.
int clickstream_record_is_current(uint64_t serial);

// Erases the record with that serial number, unless a later one has replaced it.
void clickstream_record_erase(uint64_t serial);

// Resumes at the next step of the record after a failure within the calling thread's write, and does not return. Returns
// if the thread is not writing.
void clickstream_record_resume(pid_t thread);

// Finds the message buffers of the runtimes. Not async-signal-safe.
void clickstream_record_prepare(void);

// Adds a crash file and returns its number; -1 if there are too many.
int clickstream_record_add(int descriptor);

// Removes a crash file; returns false if there is none with that number.
int clickstream_record_remove(int place);

// Closes the descriptor of a crash file, unless the app has closed it.
void clickstream_record_close(int place);

#endif

#endif
