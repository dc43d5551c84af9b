// Handler of fatal signals. Everything called by `handle` is async-signal-safe: no locks, no allocation, only functions
// that POSIX lists as safe, and system calls.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CClickstreamSignals.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

_Static_assert(sizeof(clickstream_crash_record) <= CLICKSTREAM_CRASH_STACK_OFFSET, "the record has its place");

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
enum { signal_count = sizeof signals / sizeof signals[0] };

// File that crashes are written to. It is used only while its identity is unchanged: an app may close descriptors that
// it did not open, and their numbers are reused.
typedef struct {
    _Atomic int descriptor;  // -1: free
    dev_t device;
    ino_t inode;
} watch;

static watch watches[CLICKSTREAM_CRASH_WATCHES] = {
    {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0},
};
static int watch_count;
static struct sigaction earlier[signal_count];
static int is_installed[signal_count];

// The process that installed the handlers: a child of fork inherits them, but not the files.
static _Atomic pid_t owner;
// The thread that is writing a crash, or 0.
static _Atomic pid_t crashing_thread;
static _Atomic int is_written;
// Return point for a failure within the handler.
static sigjmp_buf escape;
static clickstream_crash_record record;
static uint64_t stack_pointer, frame_pointer;

// Message buffers of the runtimes: of Swift's fatalError and failed checks; of glibc's assert and malloc.
static char *_Atomic *swift_message;
struct abort_message {
    unsigned int size;
    char text[];
};
static struct abort_message *_Atomic *libc_message;

// Function of the Swift runtime since 5.9; null in earlier versions.
extern void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

// MARK: Signal handler

static pid_t this_thread(void) { return (pid_t)syscall(SYS_gettid); }

static int64_t milliseconds(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// True if the process may write that far into a file (`ulimit -f`): a write past it would raise SIGXFSZ in the handler.
static int may_write(off_t end) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || (rlim_t)end <= limit.rlim_cur;
}

// True if the file's descriptor is still that of the file.
static int is_open(const watch *watch, int descriptor) {
    struct stat status;
    return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == watch->device && status.st_ino == watch->inode;
}

static void write_all(const void *bytes, size_t count, off_t offset) {
    if (!may_write(offset + (off_t)count)) return;
    for (int index = 0; index < CLICKSTREAM_CRASH_WATCHES; index++) {
        int descriptor = atomic_load(&watches[index].descriptor);
        if (!is_open(&watches[index], descriptor)) continue;
        const char *next = bytes;
        size_t left = count;
        off_t place = offset;
        while (left > 0) {
            ssize_t done = pwrite(descriptor, next, left, place);
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) break;
            next += done;
            left -= (size_t)done;
            place += done;
        }
    }
}

static void write_record(void) { write_all(&record, sizeof record, CLICKSTREAM_CRASH_RECORD_OFFSET); }

static void read_registers(const ucontext_t *context) {
#if defined(__x86_64__)
    static const int places[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                   REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (int index = 0; index < 17; index++) {
        record.registers[index] = (uint64_t)context->uc_mcontext.gregs[places[index]];
    }
    record.machine = 62;
    stack_pointer = record.registers[7];
    frame_pointer = record.registers[6];
#elif defined(__aarch64__)
    for (int index = 0; index < 31; index++) record.registers[index] = context->uc_mcontext.regs[index];
    record.registers[31] = context->uc_mcontext.sp;
    record.registers[32] = context->uc_mcontext.pc;
    record.machine = 183;
    stack_pointer = record.registers[31];
    frame_pointer = record.registers[29];
#else
    (void)context;
#endif
}

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
        uint64_t place = record.frame_total;
        if (place >= CLICKSTREAM_CRASH_FIRST_FRAMES) {
            uint64_t past = place - CLICKSTREAM_CRASH_FIRST_FRAMES;
            place = CLICKSTREAM_CRASH_FIRST_FRAMES + past % CLICKSTREAM_CRASH_LAST_FRAMES;
        }
        record.frames[place].pc = pc;
        record.frames[place].frame_pointer = pointer;
        record.frame_total++;
        next &= ~mark;
        if (next <= pointer) break;
        pointer = next;
    }
}

static void take_message(const char *text, uint64_t most) {
    if (most > sizeof record.message) most = sizeof record.message;
    uint64_t count = 0;
    while (count < most && text[count] != 0) {
        record.message[count] = text[count];
        count++;
    }
    record.message_bytes = count;
}

// Writes the record in steps, the most reliable one first: a step may fail on damaged memory, and the next one
// continues.

static void write_signal(int number, const siginfo_t *info, const ucontext_t *context) {
    memset(&record, 0, sizeof record);
    record.magic = CLICKSTREAM_CRASH_MAGIC;
    record.version = CLICKSTREAM_CRASH_VERSION;
    record.signal = number;
    record.code = info->si_code;
    record.process = getpid();
    record.thread = this_thread();
    // For a signal sent by a process, the field of the address contains the process id.
    record.address = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
    record.wall = milliseconds(CLOCK_REALTIME);
    record.steady = milliseconds(CLOCK_BOOTTIME);
    read_registers(context);
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
    write_all((const void *)(uintptr_t)record.stack_start, record.stack_bytes, CLICKSTREAM_CRASH_STACK_OFFSET);
    write_record();
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

// Passes the signal to the previous handler or to the system, which may write a core dump.
static void pass_on(int number, siginfo_t *info) {
    for (int index = 0; index < signal_count; index++) {
        if (signals[index] == number) sigaction(number, &earlier[index], NULL);
    }
    int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
    // The faulting instruction is executed again and raises the signal again.
    if (is_fault && info->si_code > 0) return;
    // The signal is not repeated by itself. It is queued again, blocked until the handler returns, so that it
    // interrupts the thread at the same instruction.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), this_thread(), number, info) != 0) {
        syscall(SYS_tgkill, getpid(), this_thread(), number);
    }
}

static void handle(int number, siginfo_t *info, void *context) {
    int saved = errno;
    if (atomic_load(&owner) == getpid()) {
        pid_t thread = this_thread(), nobody = 0;
        if (atomic_compare_exchange_strong(&crashing_thread, &nobody, thread)) {
            if (sigsetjmp(escape, 1) == 0) write_signal(number, info, context);
            if (sigsetjmp(escape, 1) == 0) write_stack();
            if (sigsetjmp(escape, 1) == 0) write_message();
            atomic_store(&is_written, 1);
        } else if (nobody == thread && !atomic_load(&is_written)) {
            // A crash within the handler: continue with the next step.
            siglongjmp(escape, 1);
        } else if (nobody != thread) {
            // Another thread crashed first. Wait for its record, two seconds at most; the process ends in any case.
            for (int turn = 0; turn < 200 && !atomic_load(&is_written); turn++) {
                struct timespec pause = {0, 10000000};
                nanosleep(&pause, NULL);
            }
        }
    }
    pass_on(number, info);
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
    if (swift_getFatalErrorMessageBuffer) swift_message = swift_getFatalErrorMessageBuffer();
    libc_message = dlsym(RTLD_DEFAULT, "__abort_msg");
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    // SA_NODEFER: a failure within the handler invokes it again instead of ending the process.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < signal_count; index++) {
        struct sigaction current;
        if (sigaction(signals[index], NULL, &current) != 0) continue;
        // The app ignores this signal.
        if (!(current.sa_flags & SA_SIGINFO) && current.sa_handler == SIG_IGN) continue;
        earlier[index] = current;
        is_installed[index] = sigaction(signals[index], &action, NULL) == 0;
    }
}

int clickstream_crash_watch(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    int place = 0;
    while (place < CLICKSTREAM_CRASH_WATCHES && atomic_load(&watches[place].descriptor) >= 0) place++;
    if (place == CLICKSTREAM_CRASH_WATCHES) return -1;
    watches[place].device = status.st_dev;
    watches[place].inode = status.st_ino;
    atomic_store(&watches[place].descriptor, descriptor);
    give_alternate_stack();
    if (watch_count++ == 0) {
        atomic_store(&crashing_thread, 0);
        atomic_store(&is_written, 0);
        atomic_store(&owner, getpid());
        install();
    }
    return place;
}

void clickstream_crash_unwatch(int place) {
    if (place < 0 || place >= CLICKSTREAM_CRASH_WATCHES || atomic_exchange(&watches[place].descriptor, -1) < 0) return;
    if (--watch_count > 0) return;
    for (int index = 0; index < signal_count; index++) {
        struct sigaction current;
        if (!is_installed[index] || sigaction(signals[index], NULL, &current) != 0) continue;
        if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == handle) {
            sigaction(signals[index], &earlier[index], NULL);
        }
        is_installed[index] = 0;
    }
}

void clickstream_crash_reset(void) {
    for (int place = 0; place < CLICKSTREAM_CRASH_WATCHES; place++) {
        int descriptor = atomic_load(&watches[place].descriptor);
        if (is_open(&watches[place], descriptor)) close(descriptor);
        clickstream_crash_unwatch(place);
    }
}

typedef struct {
    void *context;
    clickstream_module_body body;
} visit;

static int visit_module(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const visit *visit = context;
    uint64_t start = UINT64_MAX, end = 0;
    const uint8_t *build_id = NULL;
    uint64_t build_id_count = 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        uint64_t place = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD) {
            if (place < start) start = place;
            if (place + header->p_memsz > end) end = place + header->p_memsz;
        } else if (header->p_type == PT_NOTE) {
            // Note format: name size, description size, type; name; description; both padded to four bytes.
            uint64_t offset = 0;
            while (offset + 12 <= header->p_memsz) {
                const uint32_t *note = (const uint32_t *)(uintptr_t)(place + offset);
                uint64_t name = (note[0] + 3u) & ~3u, description = (note[1] + 3u) & ~3u;
                if (name > header->p_memsz || description > header->p_memsz) break;
                if (offset + 12 + name + description > header->p_memsz) break;
                if (note[2] == NT_GNU_BUILD_ID && note[0] == 4 && memcmp(&note[3], "GNU", 4) == 0) {
                    build_id = (const uint8_t *)&note[3] + name;
                    build_id_count = note[1];
                }
                offset += 12 + name + description;
            }
        }
    }
    if (start < end) {
        const char *path = info->dlpi_name ? info->dlpi_name : "";
        visit->body(visit->context, path, info->dlpi_addr, start, end, build_id, build_id_count);
    }
    return 0;
}

void clickstream_modules(void *context, clickstream_module_body body) {
    visit visit = {context, body};
    dl_iterate_phdr(visit_module, &visit);
}

#else

int clickstream_crash_watch(int descriptor) {
    (void)descriptor;
    return -1;
}

void clickstream_crash_unwatch(int place) { (void)place; }

void clickstream_crash_reset(void) {}

void clickstream_modules(void *context, clickstream_module_body body) {
    (void)context;
    (void)body;
}

#endif
