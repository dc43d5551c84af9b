#if defined(__linux__) && !defined(__ANDROID__)
#define _GNU_SOURCE
#include "CClickstreamCurl.h"
#include "CClickstreamProcess.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// MARK: Library functions and constants, which are part of libcurl's stable ABI

typedef struct {
    int kind;
    void *easy;
    union {
        void *whatever;
        int code;
    } data;
} message;

#define CALLS(call)                                                                                                    \
    call(int, global_init, (long flags))                                                                               \
    call(void *, easy_init, (void))                                                                                    \
    call(void, easy_cleanup, (void *easy))                                                                             \
    call(int, easy_setopt, (void *easy, int option, ...))                                                              \
    call(int, easy_getinfo, (void *easy, int info, ...))                                                               \
    call(const char *, easy_strerror, (int code))                                                                      \
    call(void *, slist_append, (void *list, const char *text))                                                         \
    call(void, slist_free_all, (void *list))                                                                           \
    call(void *, multi_init, (void))                                                                                   \
    call(int, multi_cleanup, (void *multi))                                                                            \
    call(int, multi_setopt, (void *multi, int option, ...))                                                            \
    call(int, multi_add_handle, (void *multi, void *easy))                                                             \
    call(int, multi_remove_handle, (void *multi, void *easy))                                                          \
    call(int, multi_perform, (void *multi, int *running))                                                              \
    call(message *, multi_info_read, (void *multi, int *rest))                                                         \
    call(int, multi_poll, (void *multi, void *extra, unsigned count, int milliseconds, int *moved))                    \
    call(int, multi_wakeup, (void *multi))

#define MEMBER(result, name, arguments) result(*name) arguments;
static struct {
    CALLS(MEMBER)
} library;

// Functions of a libcurl that is linked into the program; NULL without.
#define LINKED(result, name, arguments) extern result curl_##name arguments __attribute__((weak));
CALLS(LINKED)

enum { out_of_memory = 27, aborted = 42 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;
static pid_t owner;
// Held for reading by each thread within the library; held for writing from the end of the process on.
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;

// `exit` frees global state of OpenSSL that another thread may still be using. This function blocks until all threads
// have left the library, and then keeps others out. The timeout of one second avoids blocking the exit forever.
static void close_gate(void) {
    struct timespec end;
    // A child of fork inherits the state of the lock, but none of the threads.
    if (getpid() != owner) return;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 1;
    pthread_rwlock_timedwrlock(&gate, &end);
}

static void load(void) {
    // Never unloaded. A statically linked program cannot load it, and uses its own.
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
#define FIND(result, name, arguments)                                                                                  \
    {                                                                                                                  \
        void *symbol = handle ? dlsym(handle, "curl_" #name) : NULL;                                                   \
        if (handle) memcpy(&library.name, &symbol, sizeof symbol);                                                     \
        else library.name = curl_##name;                                                                               \
        if (!library.name) return;                                                                                     \
    }
    CALLS(FIND)
    // 3: CURL_GLOBAL_DEFAULT.
    if (library.global_init(3) != 0) return;
    owner = getpid();
    // Registered after OpenSSL's exit handler, so that it runs before it.
    is_loaded = atexit(close_gate) == 0;
}

void clickstream_curl_reset(void) {
    static const pthread_rwlock_t none = PTHREAD_RWLOCK_INITIALIZER;
    memcpy(&gate, &none, sizeof gate);
    if (is_loaded) owner = getpid();
}

// Saved state of a thread within the library. SIGPIPE is blocked, because OpenSSL may write to a closed connection. The
// standard descriptor numbers are occupied, because OpenSSL opens descriptors of its own.
typedef struct {
    sigset_t mask;
    int was_pending;
    clickstream_placeholders placeholders;
} saved;

// Returns 0 if the process is ending.
static int enter(saved *saved) {
    if (pthread_rwlock_tryrdlock(&gate) != 0) return 0;
    sigset_t set;
    sigpending(&set);
    saved->was_pending = sigismember(&set, SIGPIPE);
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &saved->mask);
    saved->placeholders = clickstream_occupy_standard_numbers();
    return 1;
}

static void leave(const saved *saved) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    struct timespec none = {0, 0};
    if (!saved->was_pending) sigtimedwait(&set, NULL, &none);
    clickstream_free_standard_numbers(&saved->placeholders);
    pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
    pthread_rwlock_unlock(&gate);
}

// MARK: Requests

struct clickstream_curl {
    void *multi, *easy, *headers;
    char error[256];
    // The connection kept alive by libcurl, or -1. Only polled: libcurl owns it and may close it.
    int kept;
};

clickstream_curl *clickstream_curl_open(void) {
    saved saved;
    pthread_once(&once, load);
    clickstream_curl *curl = is_loaded ? calloc(1, sizeof *curl) : NULL;
    if (curl && enter(&saved)) {
        curl->multi = library.multi_init();
        // CURLMOPT_MAXCONNECTS: one keep-alive connection.
        if (curl->multi) library.multi_setopt(curl->multi, 6, 1L);
        curl->kept = -1;
        leave(&saved);
    }
    if (curl && curl->multi) return curl;
    free(curl);
    return NULL;
}

void clickstream_curl_close(clickstream_curl *curl) {
    saved saved;
    clickstream_curl_finish(curl);
    if (!enter(&saved)) return;
    library.multi_cleanup(curl->multi);
    leave(&saved);
    free(curl);
}

int clickstream_curl_add_header(clickstream_curl *curl, const char *line) {
    void *longer = library.slist_append(curl->headers, line);
    if (longer) curl->headers = longer;
    return longer != NULL;
}

// Returns the first existing CA bundle of the places that Foundation uses, if libcurl was built without a default.
static const char *path_of_roots(void *easy) {
    static const char *const paths[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                         "/usr/share/ssl/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};
    const char *known = NULL;
    // CURLINFO_CAINFO. Before 7.84 it is not available, and libcurl's own default is kept.
    if (library.easy_getinfo(easy, 0x100000 + 61, &known) != 0 || known) return NULL;
    for (size_t index = 0; index < sizeof paths / sizeof paths[0]; index++) {
        if (access(paths[index], R_OK) == 0) return paths[index];
    }
    return NULL;
}

// Creates a socket as libcurl does, but closed on exec. `address` begins with family, type and protocol.
static int make_socket(void *context, int purpose, const int *address) {
    (void)context, (void)purpose;
    return clickstream_above_standard(socket(address[0], address[1] | SOCK_CLOEXEC, address[2]));
}

// Returns true if the server has closed the connection. libcurl itself peeks at one byte, and treats a TLS
// close_notify, which a server sends before it closes, as activity.
static int is_closed(int connection) {
    struct pollfd entry = {connection, POLLRDHUP, 0};
    return connection >= 0 && poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

static int configure(clickstream_curl *curl, const clickstream_curl_post *post) {
    const char *roots = post->roots ? post->roots : path_of_roots(curl->easy);
    int code = 0;
#define SET(name, number, value)                                                                                       \
    if (code == 0) code = library.easy_setopt(curl->easy, number, value)
    SET(URL, 10002, post->url);
    SET(PROTOCOLS, 181, 1L | 2L);  // http, https
    // An empty text, too, keeps libcurl from reading the environment.
    SET(PROXY, 10004, post->proxy);
    SET(NOPROXY, 10177, post->no_proxy);
    if (post->body_count < 0) {
        SET(HTTPGET, 80, 1L);
    } else {
        SET(POST, 47, 1L);
        SET(POSTFIELDSIZE_LARGE, 30120, post->body_count);
    }
    // Without a seek function, a body that has been read is never sent again on another connection.
    SET(READFUNCTION, 20012, post->body);
    SET(READDATA, 10009, post->context);
    SET(HEADERFUNCTION, 20079, post->reply_line);
    SET(HEADERDATA, 10029, post->context);
    SET(WRITEFUNCTION, 20011, post->reply_body);
    SET(WRITEDATA, 10001, post->context);
    SET(HTTPHEADER, 10023, curl->headers);
    // HTTP/1.1: with one request at a time, HTTP/2 has no advantage.
    SET(HTTP_VERSION, 84, 2L);
    SET(HTTP09_ALLOWED, 285, 0L);
    SET(FOLLOWLOCATION, 52, 0L);
    SET(NETRC, 51, 0L);
    SET(PATH_AS_IS, 234, 1L);
    SET(SUPPRESS_CONNECT_HEADERS, 265, 1L);
    SET(SSL_VERIFYPEER, 64, 1L);
    SET(SSL_VERIFYHOST, 81, 2L);
    if (roots) SET(CAINFO, 10065, roots);
    SET(OPENSOCKETFUNCTION, 20163, make_socket);
    // Timeouts are implemented by the caller; 0 would select libcurl's default.
    SET(CONNECTTIMEOUT_MS, 156, 0x7FFFFFFFL);
    SET(NOSIGNAL, 99, 1L);
    SET(ERRORBUFFER, 10010, curl->error);
    if (post->is_alone) {
        SET(FRESH_CONNECT, 74, 1L);
        SET(FORBID_REUSE, 75, 1L);
    } else if (is_closed(curl->kept)) {
        SET(FRESH_CONNECT, 74, 1L);
    }
    return code;
}

int clickstream_curl_start(clickstream_curl *curl, const clickstream_curl_post *post) {
    saved saved;
    if (!enter(&saved)) return aborted;
    curl->easy = library.easy_init();
    int code = curl->easy ? configure(curl, post) : out_of_memory;
    if (code == 0 && library.multi_add_handle(curl->multi, curl->easy) != 0) code = out_of_memory;
    leave(&saved);
    return code;
}

int clickstream_curl_step(clickstream_curl *curl) {
    saved saved;
    if (!enter(&saved)) return aborted;
    int running = 0, rest = 0, code = -1;
    if (library.multi_perform(curl->multi, &running) != 0) code = out_of_memory;
    // CURLMSG_DONE
    const message *message = library.multi_info_read(curl->multi, &rest);
    if (message && message->kind == 1) code = message->data.code;
    leave(&saved);
    return code;
}

int clickstream_curl_is_connected(clickstream_curl *curl) {
    // CURLINFO_PRETRANSFER_TIME_T
    int64_t microseconds = 0;
    return library.easy_getinfo(curl->easy, 0x600000 + 53, &microseconds) == 0 && microseconds > 0;
}

int clickstream_curl_is_reused(clickstream_curl *curl) {
    // CURLINFO_NUM_CONNECTS
    long connects = 0;
    return curl->easy && library.easy_getinfo(curl->easy, 0x200000 + 26, &connects) == 0 && connects == 0;
}

int clickstream_curl_wait(clickstream_curl *curl, int milliseconds) {
    int moved = 0;
    if (library.multi_poll(curl->multi, NULL, 0, milliseconds, &moved) == 0) return moved > 0;
    // If polling fails, a short pause avoids a busy loop.
    struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
    return 0;
}

void clickstream_curl_wake(clickstream_curl *curl) { library.multi_wakeup(curl->multi); }

const char *clickstream_curl_words(clickstream_curl *curl, int code) {
    return curl->error[0] ? curl->error : library.easy_strerror(code);
}

void clickstream_curl_finish(clickstream_curl *curl) {
    saved saved;
    if (!enter(&saved)) return;
    if (curl->easy) {
        // CURLINFO_ACTIVESOCKET
        if (library.easy_getinfo(curl->easy, 0x500000 + 44, &curl->kept) != 0) curl->kept = -1;
        library.multi_remove_handle(curl->multi, curl->easy);
        library.easy_cleanup(curl->easy);
    }
    library.slist_free_all(curl->headers);
    curl->easy = curl->headers = NULL;
    curl->error[0] = 0;
    leave(&saved);
}
#endif
