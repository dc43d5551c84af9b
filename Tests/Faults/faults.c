// Fails chosen file operations of a program that is started with this library in LD_PRELOAD.
//
// Operations are counted over all threads, from 1, if they name the folder FAULT_ROOT, a path below it, or a descriptor that
// was opened there. From number FAULT_AT on, FAULT_TIMES of them fail:
//   FAULT_KIND=<number>   with that errno, and have no effect; close takes effect
//   FAULT_KIND=short      reads and writes move half of the bytes, at least one; other operations are not touched
// FAULT_LOG names a file that receives a line for each counted operation: its name, and `!` if it failed.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { descriptors = 4096 };
static _Atomic char is_counted[descriptors];
static _Atomic long count;
static const char *root;
static size_t root_length;
static long first_failure, last_failure;
static int failure, is_short, log_descriptor = -1;

__attribute__((constructor)) static void start(void) {
    root = getenv("FAULT_ROOT");
    if (!root) return;
    root_length = strlen(root);
    const char *at = getenv("FAULT_AT"), *times = getenv("FAULT_TIMES"), *kind = getenv("FAULT_KIND");
    const char *path = getenv("FAULT_LOG");
    first_failure = at ? atol(at) : 0;
    last_failure = first_failure + (times ? atol(times) : 1) - 1;
    is_short = kind && strcmp(kind, "short") == 0;
    failure = kind ? atoi(kind) : 0;
    if (!path) return;
    int opened = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_descriptor = (int)syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, opened);
}

static int is_below(const char *path) {
    return root && path && strncmp(path, root, root_length) == 0 && (path[root_length] == 0 || path[root_length] == '/');
}

static int has(int descriptor) { return descriptor >= 0 && descriptor < descriptors && is_counted[descriptor]; }

static int keep(int descriptor, int counts) {
    if (descriptor >= 0 && descriptor < descriptors) is_counted[descriptor] = (char)counts;
    return descriptor;
}

enum effect { done, failed, halved };

// Counts an operation. `failed` leaves the reason in errno.
static enum effect count_one(const char *name, int moves_bytes) {
    long number = atomic_fetch_add(&count, 1) + 1;
    int fails = first_failure > 0 && number >= first_failure && number <= last_failure && (!is_short || moves_bytes);
    if (log_descriptor >= 0) {
        char line[64];
        size_t length = strlen(name);
        memcpy(line, name, length);
        if (fails) line[length++] = '!';
        line[length++] = '\n';
        syscall(SYS_write, log_descriptor, line, length);
    }
    if (!fails) return done;
    if (is_short) return halved;
    errno = failure;
    return failed;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALL(name, counts, error, ...)                                        \
    do {                                                                      \
        if ((counts) && count_one(#name, 0) == failed) return error;          \
        return NEXT(name)(__VA_ARGS__);                                       \
    } while (0)

static size_t half(size_t bytes) { return bytes > 1 ? bytes / 2 : bytes; }

// MARK: Opening

static int open_at(const char *name, int folder, const char *path, int flags, mode_t mode) {
    int counts = is_below(path);
    if (counts && count_one(name, 0) == failed) return -1;
    int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
    return keep(descriptor, counts);
}

#define MODE(flags)                          \
    mode_t mode = 0;                         \
    if ((flags) & (O_CREAT | O_TMPFILE)) {   \
        va_list list;                        \
        va_start(list, flags);               \
        mode = va_arg(list, mode_t);         \
        va_end(list);                        \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_at("open", AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_at("open", AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_at("open", folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return open_at("open", folder, path, flags, mode);
}

int close(int descriptor) {
    int counts = has(descriptor);
    keep(descriptor, 0);
    enum effect effect = counts ? count_one("close", 0) : done;
    int reason = errno, result = (int)syscall(SYS_close, descriptor);
    if (effect != failed) return result;
    errno = reason;
    return -1;
}

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    int counts = has(descriptor), copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    if (counts && copies && count_one("fcntl", 0) == failed) return -1;
    int result = NEXT(fcntl)(descriptor, command, argument);
    return copies ? keep(result, counts) : result;
}
int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));

// MARK: Bytes

ssize_t read(int descriptor, void *bytes, size_t size) {
    enum effect effect = has(descriptor) ? count_one("read", 1) : done;
    return effect == failed ? -1 : syscall(SYS_read, descriptor, bytes, effect == halved ? half(size) : size);
}
ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset) {
    enum effect effect = has(descriptor) ? count_one("pread", 1) : done;
    return effect == failed ? -1 : syscall(SYS_pread64, descriptor, bytes, effect == halved ? half(size) : size, offset);
}
ssize_t pread64(int, void *, size_t, off_t) __attribute__((alias("pread")));
ssize_t write(int descriptor, const void *bytes, size_t size) {
    enum effect effect = has(descriptor) ? count_one("write", 1) : done;
    return effect == failed ? -1 : syscall(SYS_write, descriptor, bytes, effect == halved ? half(size) : size);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    enum effect effect = has(descriptor) ? count_one("pwrite", 1) : done;
    return effect == failed ? -1 : syscall(SYS_pwrite64, descriptor, bytes, effect == halved ? half(size) : size, offset);
}
ssize_t pwrite64(int, const void *, size_t, off_t) __attribute__((alias("pwrite")));
int ftruncate(int descriptor, off_t size) { CALL(ftruncate, has(descriptor), -1, descriptor, size); }
int ftruncate64(int, off_t) __attribute__((alias("ftruncate")));
int fsync(int descriptor) { CALL(fsync, has(descriptor), -1, descriptor); }
int fdatasync(int descriptor) { CALL(fdatasync, has(descriptor), -1, descriptor); }
int flock(int descriptor, int operation) { CALL(flock, has(descriptor), -1, descriptor, operation); }
int posix_fallocate(int descriptor, off_t offset, off_t size) {
    if (has(descriptor)) {
        int saved = errno;
        enum effect effect = count_one("posix_fallocate", 0);
        errno = saved;
        if (effect == failed) return failure;
    }
    return NEXT(posix_fallocate)(descriptor, offset, size);
}
int posix_fallocate64(int, off_t, off_t) __attribute__((alias("posix_fallocate")));

// MARK: Names

int stat(const char *path, struct stat *status) { CALL(stat, is_below(path), -1, path, status); }
int lstat(const char *path, struct stat *status) { CALL(lstat, is_below(path), -1, path, status); }
int fstat(int descriptor, struct stat *status) { CALL(fstat, has(descriptor), -1, descriptor, status); }
int access(const char *path, int mode) { CALL(access, is_below(path), -1, path, mode); }
int mkdir(const char *path, mode_t mode) { CALL(mkdir, is_below(path), -1, path, mode); }
int rmdir(const char *path) { CALL(rmdir, is_below(path), -1, path); }
int unlink(const char *path) { CALL(unlink, is_below(path), -1, path); }
int rename(const char *path, const char *to) { CALL(rename, is_below(path) || is_below(to), -1, path, to); }

// MARK: Folders

DIR *fdopendir(int descriptor) { CALL(fdopendir, has(descriptor), NULL, descriptor); }
DIR *opendir(const char *path) { CALL(opendir, is_below(path), NULL, path); }
struct dirent *readdir(DIR *folder) { CALL(readdir, has(dirfd(folder)), NULL, folder); }
int closedir(DIR *folder) {
    keep(dirfd(folder), 0);
    return NEXT(closedir)(folder);
}
