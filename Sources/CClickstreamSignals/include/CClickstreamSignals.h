// What has to run inside a signal handler, where Swift may not: writing down how the process crashed, and saying that
// it was asked to end. See Docs/crashes.md.

#ifndef CLICKSTREAM_SIGNALS_H
#define CLICKSTREAM_SIGNALS_H

#include <stdint.h>

// How a crash file is laid out. Bytes are in the machine's own order: a crash is read on the machine where it happened.
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
    // Where the thread will go on in this frame.
    uint64_t pc;
    // Where the frame's record (the caller's frame pointer, the return address) stands.
    uint64_t frame_pointer;
} clickstream_crash_frame;

// What the handler writes, several times over while it learns more: whatever it got to is of use.
typedef struct {
    uint64_t magic;
    uint32_t version;
    // As in an ELF header: 62 for x86-64, 183 for AArch64, 0 for one whose registers are not known here.
    uint32_t machine;
    int32_t signal;
    int32_t code;
    int32_t process;
    int32_t thread;
    uint64_t address;
    // Milliseconds: CLOCK_REALTIME and CLOCK_BOOTTIME.
    int64_t wall;
    int64_t steady;
    // In DWARF's numbering. x86-64: 0-15, and 16 is the instruction pointer; AArch64: 0-31, and 32 is it.
    uint64_t registers[CLICKSTREAM_CRASH_REGISTERS];
    // All return addresses that were met; the first 96 and, in a ring behind them, the last 32 are kept.
    uint64_t frame_total;
    clickstream_crash_frame frames[CLICKSTREAM_CRASH_FRAMES];
    // The part of the stack that stands at CLICKSTREAM_CRASH_STACK_OFFSET.
    uint64_t stack_start;
    uint64_t stack_bytes;
    uint64_t message_bytes;
    char message[CLICKSTREAM_CRASH_MESSAGE_BYTES];
} clickstream_crash_record;

// Has crashes of this process written to the file behind `descriptor` too, which must stay open, and be as long as it
// will ever be. The first call installs the handlers, and gives the calling thread an alternate stack when it has none.
// Gives a number for clickstream_crash_unwatch, or -1 when there are too many already or the system is not supported.
// Not to be called by two threads at once.
int clickstream_crash_watch(int descriptor);

// Takes the file back. With the last one the earlier handlers come back, where nobody has replaced ours meanwhile.
void clickstream_crash_unwatch(int watch);

// Tells of every module that is loaded: its path (empty for the program itself), what was added to its addresses, where
// it begins and ends in memory, and its build id.
typedef void (*clickstream_module_body)(void *context, const char *path, uint64_t bias, uint64_t start, uint64_t end,
                                        const uint8_t *build_id, uint64_t build_id_count);
void clickstream_modules(void *context, clickstream_module_body body);

// Has SIGTERM and SIGINT write their number, as one byte, into `descriptor`: the first of them only; one that comes a
// second or more after it ends the process at once. A signal that is ignored stays so. Gives the number of
// signals listened to. Once in a process.
int clickstream_stop_listen(int descriptor);

// Waits for the number of such a signal at the other end. The calling thread takes those signals whatever the others
// do: a process that was started by a thread which blocks signals has them blocked in all of its own.
int clickstream_stop_wait(int descriptor);

// Lets the earlier handler have the signal, then ends the process by it. Does not return.
void clickstream_stop_pass_on(int number);

#endif
