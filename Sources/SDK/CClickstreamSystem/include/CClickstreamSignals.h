// Signal handlers, which cannot be written in Swift: recording a crash, and handling termination signals. See
// Docs/crashes.md.

#ifndef CLICKSTREAM_SIGNALS_H
#define CLICKSTREAM_SIGNALS_H

#include <stdint.h>

// Layout of a crash file. Native byte order: a crash file is read on the machine that wrote it.
enum {
    CLICKSTREAM_CRASH_VERSION = 1,
    CLICKSTREAM_CRASH_RECORD_OFFSET = 0,
    CLICKSTREAM_CRASH_STACK_OFFSET = 16384,
    CLICKSTREAM_CRASH_STACK_BYTES = 65536,
    CLICKSTREAM_CRASH_FIRST_FRAMES = 96,
    CLICKSTREAM_CRASH_LAST_FRAMES = 32,
    CLICKSTREAM_CRASH_FRAMES = 128,
    CLICKSTREAM_CRASH_REGISTERS = 34,
    CLICKSTREAM_CRASH_MESSAGE_BYTES = 4096,
    CLICKSTREAM_CRASH_WATCHES = 8,
};

// "clkcrash"
#define CLICKSTREAM_CRASH_MAGIC 0x68736172636B6C63ull

typedef struct {
    // Return address of this frame.
    uint64_t pc;
    // Address of the frame record (the caller's frame pointer, the return address).
    uint64_t frame_pointer;
} clickstream_crash_frame;

// Record written by the handler in several steps, so that an incomplete record is usable.
typedef struct {
    uint64_t magic;
    uint32_t version;
    // As in an ELF header: 62 for x86-64, 183 for AArch64, 0 for an unsupported machine.
    uint32_t machine;
    int32_t signal;
    int32_t code;
    int32_t process;
    int32_t thread;
    uint64_t address;
    // Milliseconds: CLOCK_REALTIME and CLOCK_BOOTTIME.
    int64_t wall;
    int64_t steady;
    // In DWARF numbering. x86-64: 0-15, and 16 for the instruction pointer; AArch64: 0-31, and 32 for the program
    // counter.
    uint64_t registers[CLICKSTREAM_CRASH_REGISTERS];
    // Number of all return addresses found; the first 96 and, in a ring buffer after them, the last 32 are kept.
    uint64_t frame_total;
    clickstream_crash_frame frames[CLICKSTREAM_CRASH_FRAMES];
    // Part of the stack stored at CLICKSTREAM_CRASH_STACK_OFFSET.
    uint64_t stack_start;
    uint64_t stack_bytes;
    uint64_t message_bytes;
    char message[CLICKSTREAM_CRASH_MESSAGE_BYTES];
} clickstream_crash_record;

// The arrays of a record. Swift code must not name the fields: it imports them as tuples of thousands of elements, which
// take the compiler a minute.
static inline uint64_t *clickstream_crash_registers(clickstream_crash_record *record) { return record->registers; }
static inline clickstream_crash_frame *clickstream_crash_frames(clickstream_crash_record *record) {
    return record->frames;
}
static inline char *clickstream_crash_message(clickstream_crash_record *record) { return record->message; }

// Registers `descriptor` as a crash file of this process. It must stay open and have its final size. The first call
// installs the handlers, and an alternate stack for the calling thread if it has none. Returns a number for
// clickstream_crash_unwatch, or -1 if there are too many files or the system is not supported. Not thread-safe.
int clickstream_crash_watch(int descriptor);

// Removes a crash file. The last call restores the previous handlers, unless they have been replaced meanwhile.
void clickstream_crash_unwatch(int watch);

// In a child of fork: closes and removes the crash files of the parent, and restores the previous handlers. Not thread-safe.
void clickstream_crash_reset(void);

// Calls `body` with every loaded module: its path (empty for the program itself), its load bias, its start and end
// address, and its build id.
typedef void (*clickstream_module_body)(void *context, const char *path, uint64_t bias, uint64_t start, uint64_t end,
                                        const uint8_t *build_id, uint64_t build_id_count);
void clickstream_modules(void *context, clickstream_module_body body);

// Installs handlers for SIGTERM and SIGINT that write the number of the first signal, as one byte, to `descriptor`; a
// signal a second or more later ends the process at once. An ignored signal stays ignored. Returns the number of
// handlers installed. Must be called once per process.
int clickstream_stop_listen(int descriptor);

// Blocks until such a signal, and returns its number from the other end of the pipe. The calling thread unblocks these
// signals, which are blocked in all threads of a process that was started by a thread with blocked signals.
int clickstream_stop_wait(int descriptor);

// Passes the signal to the previous handler, then ends the process with it. Does not return.
void clickstream_stop_pass_on(int number);

// In a child of fork: restores the handlers from before the parent's call of clickstream_stop_listen, unless they have been
// replaced. Not thread-safe.
void clickstream_stop_reset(void);

#endif
