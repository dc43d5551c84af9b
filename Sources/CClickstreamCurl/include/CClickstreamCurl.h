// The few calls of libcurl that sending one request takes. The library is looked for at run time: nothing of it has to be
// installed to build, and whoever has none is told so.

#ifndef CLICKSTREAM_CURL_H
#define CLICKSTREAM_CURL_H

#include <stddef.h>
#include <stdint.h>

// One request at a time, and the connection that stays for the next. For one thread at a time.
typedef struct clickstream_curl clickstream_curl;

// What libcurl calls while clickstream_curl_step runs: `size * count` bytes. Gives how many were taken, or put there.
typedef size_t (*clickstream_curl_bytes)(char *bytes, size_t size, size_t count, void *context);

// One request. Whatever is pointed to must stay until clickstream_curl_finish, except for the texts.
typedef struct {
    const char *url;
    // -1: a GET, which has none.
    int64_t body_count;
    // A file with the roots to trust; NULL for the system's.
    const char *roots;
    // 1: on a new connection that is closed afterwards.
    int is_alone;
    void *context;
    // Asks for the body's next bytes.
    clickstream_curl_bytes body;
    // Brings one line of the reply's head, its end included, and the reply's body.
    clickstream_curl_bytes reply_line, reply_body;
} clickstream_curl_post;

// NULL when there is no libcurl, or one older than 7.68 (2020). Any thread.
clickstream_curl *clickstream_curl_open(void);
void clickstream_curl_close(clickstream_curl *curl);

// "name: value", for the next request. 0 when memory ends.
int clickstream_curl_add_header(clickstream_curl *curl, const char *line);
// Begins a request; nothing moves yet. Gives libcurl's number for what is wrong, 0 for nothing.
int clickstream_curl_start(clickstream_curl *curl, const clickstream_curl_post *post);
// Does what can be done without waiting. -1 while the request goes on, then libcurl's number for how it ended.
int clickstream_curl_step(clickstream_curl *curl);
// Whether the connection stands, TLS included, so that the request is on its way.
int clickstream_curl_is_connected(clickstream_curl *curl);
// True if the request went, or was to go, over the connection of an earlier one.
int clickstream_curl_is_reused(clickstream_curl *curl);
// Waits until something can be done, or clickstream_curl_wake. Whether a connection had bytes, or room for some.
int clickstream_curl_wait(clickstream_curl *curl, int milliseconds);
// Ends the wait, or the next one. Any thread, until clickstream_curl_close.
void clickstream_curl_wake(clickstream_curl *curl);
// What libcurl says of number `code`. Until clickstream_curl_finish.
const char *clickstream_curl_words(clickstream_curl *curl, int code);
// Ends the request, done or not. May wait for the system to give up on a name.
void clickstream_curl_finish(clickstream_curl *curl);

#endif
