// Crash record and the files that it is written to.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "record.h"

#include "CClickstreamProcess.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

_Static_assert(sizeof(clickstream_crash_record) <= CLICKSTREAM_CRASH_STACK_OFFSET, "the record has its place");

// File that crashes are written to. It is used only while its identity is unchanged: an app may close descriptors that
// it did not open, and their numbers are reused.
typedef struct {
    _Atomic int descriptor;  // -1: free
    uint64_t device, inode;
} watch;

static watch watches[CLICKSTREAM_CRASH_WATCHES] = {
    {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0},
};

// The thread that is writing or erasing the record, or 0. It owns all variables below.
static _Atomic pid_t writer;
// Serial number of the record in the files, 0 for none.
static uint64_t written;
static uint64_t latest;
// Return point for a failure within the writer.
static sigjmp_buf escape;
static clickstream_crash_record record;
static uint64_t stack_pointer, frame_pointer;

// Record that was replaced by one of another thread. It is restored if that one is erased first.
typedef struct {
    uint64_t serial;  // 0: free
    clickstream_crash_record record;
} replaced_record;

enum {
    replaced_count = 8,
    // Milliseconds before a provisional record replaces one of another thread, which may end the process.
    replacement_delay = 3,
};
static replaced_record replaced[replaced_count];

// Message buffers of the runtimes: of Swift's fatalError and failed checks; of glibc's assert and malloc.
static char *_Atomic *swift_message;
struct abort_message {
    unsigned int size;
    char text[];
};
static struct abort_message *_Atomic *libc_message;

// Function of the Swift runtime since 5.9; null in earlier versions.
extern void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

// MARK: Fault

static int64_t milliseconds(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void read_registers(clickstream_fault *fault, const ucontext_t *context) {
#if defined(__x86_64__)
    static const int register_numbers[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                   REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (int index = 0; index < 17; index++) {
        fault->registers[index] = (uint64_t)context->uc_mcontext.gregs[register_numbers[index]];
    }
    fault->machine = 62;
    fault->stack_pointer = fault->registers[7];
    fault->frame_pointer = fault->registers[6];
#elif defined(__aarch64__)
    for (int index = 0; index < 31; index++) fault->registers[index] = context->uc_mcontext.regs[index];
    fault->registers[31] = context->uc_mcontext.sp;
    fault->registers[32] = context->uc_mcontext.pc;
    fault->machine = 183;
    fault->stack_pointer = fault->registers[31];
    fault->frame_pointer = fault->registers[29];
#else
    (void)fault;
    (void)context;
#endif
}

void clickstream_fault_read(clickstream_fault *fault, int number, const siginfo_t *info, const void *context) {
    memset(fault, 0, sizeof *fault);
    fault->number = number;
    fault->info = *info;
    fault->thread = clickstream_this_thread();
    fault->wall = milliseconds(CLOCK_REALTIME);
    fault->steady = milliseconds(CLOCK_BOOTTIME);
    read_registers(fault, context);
}

// MARK: Files

// True if the process may write that far into a file (`ulimit -f`): a write past it would raise SIGXFSZ in the handler.
static int may_write(off_t end) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || (rlim_t)end <= limit.rlim_cur;
}

// True if the file's descriptor is still that of the file.
static int is_open(const watch *watch, int descriptor) {
    return clickstream_is_file(descriptor, watch->device, watch->inode);
}

static void write_all(const void *bytes, size_t count, off_t offset) {
    if (!may_write(offset + (off_t)count)) return;
    for (int index = 0; index < CLICKSTREAM_CRASH_WATCHES; index++) {
        int descriptor = atomic_load(&watches[index].descriptor);
        if (!is_open(&watches[index], descriptor)) continue;
        const char *next = bytes;
        size_t left = count;
        off_t position = offset;
        while (left > 0) {
            ssize_t done = pwrite(descriptor, next, left, position);
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) break;
            next += done;
            left -= (size_t)done;
            position += done;
        }
    }
}

static void write_record(void) { write_all(&record, sizeof record, CLICKSTREAM_CRASH_RECORD_OFFSET); }

// MARK: Record

typedef struct {
    uint64_t start, end;
} range;

// Returns the writable mapping that contains `address`, from /proc/self/maps; empty if there is none.
static range mapping_of(uint64_t address) {
    static char buffer[4096];
    range none = {0, 0}, found = {0, 0}, current = {0, 0};
    int descriptor = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return none;
    // Format of a line: start-end rwxp offset device inode path
    int column = 0, is_readable = 0, permission = 0;
    for (;;) {
        ssize_t count = read(descriptor, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        for (ssize_t index = 0; index < count; index++) {
            char c = buffer[index];
            if (c == '\n') {
                column = 0;
                current = none;
            } else if (column == 0 && c == '-') {
                column = 1;
            } else if (column == 1 && c == ' ') {
                column = 2;
                permission = 0;
            } else if (column < 2) {
                uint64_t digit = (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
                if (column == 0) current.start = current.start << 4 | digit;
                else current.end = current.end << 4 | digit;
            } else if (column == 2) {
                if (permission == 0) is_readable = c == 'r';
                if (permission == 1) {
                    if (is_readable && c == 'w' && current.start <= address && address < current.end) found = current;
                    column = 3;
                }
                permission++;
            }
        }
    }
    close(descriptor);
    return found;
}

// Walks the frame pointers, within the stack's mapping and only in the direction of older frames.
static void walk(range stack, uint64_t pointer) {
    // Bit with which Swift marks frames of asynchronous functions; it is not part of the address.
    const uint64_t mark = 1ull << 60;
    pointer &= ~mark;
    while (pointer >= stack.start && pointer % sizeof(void *) == 0 && pointer <= stack.end - 16) {
        const uint64_t *frame = (const uint64_t *)(uintptr_t)pointer;
        uint64_t next = frame[0], pc = frame[1];
#if defined(__aarch64__)
        // Removes the pointer authentication code in the upper bits.
        pc &= 0x0000FFFFFFFFFFFFull;
#endif
        if (pc == 0) break;
        uint64_t index = record.frame_total;
        if (index >= CLICKSTREAM_CRASH_FIRST_FRAMES) {
            uint64_t past = index - CLICKSTREAM_CRASH_FIRST_FRAMES;
            index = CLICKSTREAM_CRASH_FIRST_FRAMES + past % CLICKSTREAM_CRASH_LAST_FRAMES;
        }
        record.frames[index].pc = pc;
        record.frames[index].frame_pointer = pointer;
        record.frame_total++;
        next &= ~mark;
        if (next <= pointer) break;
        pointer = next;
    }
}

static void take_message(const char *text, uint64_t max_count) {
    if (max_count > sizeof record.message) max_count = sizeof record.message;
    uint64_t count = 0;
    while (count < max_count && text[count] != 0) {
        record.message[count] = text[count];
        count++;
    }
    record.message_bytes = count;
}

// Writes the record in steps, the most reliable one first: a step may fail on damaged memory, and the next one
// continues.

static void write_signal(const clickstream_fault *fault) {
    memset(&record, 0, sizeof record);
    record.magic = CLICKSTREAM_CRASH_MAGIC;
    record.version = CLICKSTREAM_CRASH_VERSION;
    record.machine = fault->machine;
    record.signal = fault->number;
    record.code = fault->info.si_code;
    record.process = getpid();
    record.thread = fault->thread;
    // For a signal sent by a process, the field of the address contains the process id.
    record.address = fault->info.si_code > 0 ? (uint64_t)(uintptr_t)fault->info.si_addr : 0;
    record.wall = fault->wall;
    record.steady = fault->steady;
    memcpy(record.registers, fault->registers, sizeof record.registers);
    stack_pointer = fault->stack_pointer;
    frame_pointer = fault->frame_pointer;
    write_record();
}

// Writes the bytes of the stack, and the record that refers to them.
static void write_stack_bytes(void) {
    write_all((const void *)(uintptr_t)record.stack_start, record.stack_bytes, CLICKSTREAM_CRASH_STACK_OFFSET);
    write_record();
}

static void write_stack(void) {
    range stack = mapping_of(stack_pointer);
    if (stack.end == 0 && frame_pointer > stack_pointer && frame_pointer - stack_pointer < 1048576) {
        // Stack overflow: the stack pointer is beyond the mapping, the frame pointer most likely is not.
        stack = mapping_of(frame_pointer);
    }
    if (stack.end == 0) return;
    if (frame_pointer >= stack_pointer) walk(stack, frame_pointer);
    write_record();
    record.stack_start = (stack_pointer > stack.start ? stack_pointer : stack.start) & ~(uint64_t)7;
    record.stack_bytes = stack.end - record.stack_start;
    if (record.stack_bytes > CLICKSTREAM_CRASH_STACK_BYTES) record.stack_bytes = CLICKSTREAM_CRASH_STACK_BYTES;
    write_stack_bytes();
}

static void write_message(void) {
    if (swift_message) {
        const char *text = atomic_load(swift_message);
        if (text) take_message(text, sizeof record.message);
    }
    if (record.message_bytes == 0 && libc_message && record.signal == SIGABRT) {
        const struct abort_message *message = atomic_load(libc_message);
        if (message) take_message(message->text, message->size);
    }
    write_record();
}

// Writes the record; the calling thread is the writer, with blocked signals. The signals of a failure are unblocked
// meanwhile, except for those that are pending already.
static void write_steps(const clickstream_fault *fault) {
    static const int failures[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
    sigset_t pending, unblocked, before;
    sigemptyset(&pending);
    sigpending(&pending);
    sigemptyset(&unblocked);
    for (size_t index = 0; index < sizeof failures / sizeof failures[0]; index++) {
        if (!sigismember(&pending, failures[index])) sigaddset(&unblocked, failures[index]);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    // The return point is set before a signal can arrive, and again with the unblocked mask.
    if (sigsetjmp(escape, 0) == 0) pthread_sigmask(SIG_UNBLOCK, &unblocked, NULL);
    if (sigsetjmp(escape, 1) == 0) write_signal(fault);
    if (sigsetjmp(escape, 1) == 0) write_stack();
    if (sigsetjmp(escape, 1) == 0) write_message();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void release_writer(const sigset_t *before) {
    atomic_store(&writer, 0);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

// Makes the calling thread the writer and blocks its signals, since `escape` is valid only within the steps. Blocks for
// two seconds at most while another thread is the writer, and for `delay` milliseconds while the files contain a record
// of another thread. Returns false if another thread is still the writer.
static int become_writer(sigset_t *before, int64_t delay) {
    sigset_t all;
    sigfillset(&all);
    pid_t thread = clickstream_this_thread();
    int64_t elapsed = 0, start = milliseconds(CLOCK_BOOTTIME);
    do {
        pid_t none = 0;
        pthread_sigmask(SIG_BLOCK, &all, before);
        if (atomic_compare_exchange_strong(&writer, &none, thread)) {
            if (elapsed >= delay || written == 0 || record.thread == thread) return 1;
            atomic_store(&writer, 0);
        }
        pthread_sigmask(SIG_SETMASK, before, NULL);
        struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
        elapsed = milliseconds(CLOCK_BOOTTIME) - start;
    } while (elapsed < 2000);
    return 0;
}

// Keeps the record that a fault of `thread` is about to replace. Earlier records of the same thread are obsolete.
static void keep_record(pid_t thread) {
    replaced_record *oldest = &replaced[0];
    for (int index = 0; index < replaced_count; index++) {
        if (replaced[index].record.thread == thread) replaced[index].serial = 0;
        if (replaced[index].serial < oldest->serial) oldest = &replaced[index];
    }
    if (written == 0 || record.thread == thread) return;
    oldest->serial = written;
    oldest->record = record;
}

// True if a thread blocks a signal, by /proc/self/task/<thread>/stat; false if the thread is gone.
static int is_blocked(pid_t thread, int number) {
    static char buffer[1024];
    char path[64] = "/proc/self/task/";
    size_t length = strlen(path);
    pid_t divisor = 1;
    while (thread / divisor >= 10) divisor *= 10;
    for (; divisor > 0; divisor /= 10) path[length++] = (char)('0' + thread / divisor % 10);
    memcpy(path + length, "/stat", sizeof "/stat");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t count = read(descriptor, buffer, sizeof buffer);
    close(descriptor);
    // Field 32 is the mask, in decimal. Field 2, the thread's name in parentheses, may contain any character.
    ssize_t index = count - 1;
    while (index >= 0 && buffer[index] != ')') index--;
    uint64_t mask = 0;
    for (int field = 2; index >= 0 && index < count && field <= 32; index++) {
        if (buffer[index] == ' ') field++;
        else if (field == 32) mask = mask * 10 + (uint64_t)(buffer[index] - '0');
    }
    return mask >> (number - 1) & 1;
}

// Writes the newest replaced record, with its stack, in place of the erased one. Returns false if there is none.
// A thread that no longer blocks its signal has left the earlier handler by `siglongjmp`, or has ended.
static int restore_record(void) {
    replaced_record *newest = &replaced[0];
    for (int index = 0; index < replaced_count; index++) {
        const clickstream_crash_record *old = &replaced[index].record;
        if (replaced[index].serial != 0 && !is_blocked(old->thread, old->signal)) replaced[index].serial = 0;
        if (replaced[index].serial > newest->serial) newest = &replaced[index];
    }
    if (newest->serial == 0) return 0;
    written = newest->serial;
    newest->serial = 0;
    record = newest->record;
    uint64_t bytes = record.stack_bytes;
    record.stack_bytes = 0;
    write_record();
    record.stack_bytes = bytes;
    // A stack that is gone meanwhile fails the write, with EFAULT.
    write_stack_bytes();
    return 1;
}

uint64_t clickstream_record_write(
    const clickstream_fault *fault, uint64_t serial, const _Atomic pid_t *ending_thread
) {
    sigset_t before;
    if (!become_writer(&before, ending_thread ? replacement_delay : 0)) return serial;
    int is_written = serial != 0 && written == serial;
    if (!is_written && (!ending_thread || atomic_load(ending_thread) == 0)) {
        keep_record(fault->thread);
        serial = written = ++latest;
        write_steps(fault);
    }
    release_writer(&before);
    return serial;
}

void clickstream_record_erase(uint64_t serial) {
    sigset_t before;
    if (serial == 0 || !become_writer(&before, 0)) return;
    for (int index = 0; index < replaced_count; index++) {
        if (replaced[index].serial == serial) replaced[index].serial = 0;
    }
    if (written == serial && !restore_record()) {
        const uint64_t none = 0;
        write_all(&none, sizeof none, CLICKSTREAM_CRASH_RECORD_OFFSET + offsetof(clickstream_crash_record, magic));
        written = 0;
    }
    release_writer(&before);
}

void clickstream_record_resume(pid_t thread) {
    if (atomic_load(&writer) == thread) siglongjmp(escape, 1);
}

// MARK: Preparation

void clickstream_record_prepare(void) {
    if (swift_getFatalErrorMessageBuffer) swift_message = swift_getFatalErrorMessageBuffer();
    libc_message = dlsym(RTLD_DEFAULT, "__abort_msg");
    atomic_store(&writer, 0);
    written = 0;
    for (int index = 0; index < replaced_count; index++) {
        // An unused record needs no memory.
        if (replaced[index].serial != 0) replaced[index].serial = 0;
    }
}

int clickstream_record_add(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    int index = 0;
    while (index < CLICKSTREAM_CRASH_WATCHES && atomic_load(&watches[index].descriptor) >= 0) index++;
    if (index == CLICKSTREAM_CRASH_WATCHES) return -1;
    watches[index].device = status.st_dev;
    watches[index].inode = status.st_ino;
    atomic_store(&watches[index].descriptor, descriptor);
    return index;
}

int clickstream_record_remove(int index) {
    return index >= 0 && index < CLICKSTREAM_CRASH_WATCHES && atomic_exchange(&watches[index].descriptor, -1) >= 0;
}

void clickstream_record_close(int index) {
    int descriptor = atomic_load(&watches[index].descriptor);
    if (is_open(&watches[index], descriptor)) close(descriptor);
}

#endif
