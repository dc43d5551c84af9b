// Minimal interface to libcurl for single requests. The library is loaded at run time: it is not required for building,
// and clickstream_curl_open reports if it is missing.

#ifndef CLICKSTREAM_CURL_H
#define CLICKSTREAM_CURL_H

#include <stddef.h>
#include <stdint.h>

// Handle for one request at a time, with a keep-alive connection. Not thread-safe.
typedef struct clickstream_curl clickstream_curl;

// Callback of clickstream_curl_step for `size * count` bytes. Returns the number of bytes consumed or produced.
typedef size_t (*clickstream_curl_bytes)(char *bytes, size_t size, size_t count, void *context);

// Request. All pointers except the strings must remain valid until clickstream_curl_finish.
typedef struct {
    const char *url;
    // Proxy, and hosts that are reached without it, separated by commas; empty for none. libcurl does not read them from the
    // environment.
    const char *proxy, *no_proxy;
    // -1 for a GET request, which has no body.
    int64_t body_count;
    // File with trusted root certificates; NULL for the system's.
    const char *roots;
    // 1 to use a new connection, which is closed afterwards.
    int is_alone;
    void *context;
    // Produces the next bytes of the body.
    clickstream_curl_bytes body;
    // Consume one line of the reply's head, including its end, and bytes of the reply's body.
    clickstream_curl_bytes reply_line, reply_body;
} clickstream_curl_post;

// Returns NULL if libcurl is missing or older than 7.68 (2020). Thread-safe.
clickstream_curl *clickstream_curl_open(void);
void clickstream_curl_close(clickstream_curl *curl);

// In a child of fork: frees the library from threads of the parent that were using it. Handles of the parent must not be used.
// Not thread-safe.
void clickstream_curl_reset(void);

// Adds a header, "name: value", to the next request. Returns 0 if out of memory.
int clickstream_curl_add_header(clickstream_curl *curl, const char *line);
// Starts a request without sending yet. Returns libcurl's error code, or 0.
int clickstream_curl_start(clickstream_curl *curl, const clickstream_curl_post *post);
// Advances the request without blocking. Returns -1 while it is in progress, then libcurl's result code.
int clickstream_curl_step(clickstream_curl *curl);
// Returns 1 once the connection is established, including TLS, and the request is being sent.
int clickstream_curl_is_connected(clickstream_curl *curl);
// Returns 1 if the request uses, or was to use, the connection of an earlier one.
int clickstream_curl_is_reused(clickstream_curl *curl);
// Blocks until the request can advance, or until clickstream_curl_wake. Returns 1 if a connection was ready for reading
// or writing.
int clickstream_curl_wait(clickstream_curl *curl, int milliseconds);
// Ends the current or next wait. Thread-safe, until clickstream_curl_close.
void clickstream_curl_wake(clickstream_curl *curl);
// Returns libcurl's text for `code`. Valid until clickstream_curl_finish.
const char *clickstream_curl_words(clickstream_curl *curl, int code);
// Ends the request, even if it is in progress. May block until the system gives up resolving a name.
void clickstream_curl_finish(clickstream_curl *curl);

#endif
