/* Random calls of all functions of clickstream.h, with valid and invalid arguments: fuzz FOLDER SECONDS [SEED [UNTIL]].
 *
 * SECONDS is processor time of the whole process, so that other activity does not shorten the run; UNTIL is a Unix time at which it
 * ends in any case. Handles, texts and numbers come from pools that contain closed handles, handles of other kinds, invalid UTF-8
 * and lengths out of range. Every call must return a known status. Prints the seed, which repeats the calls of the first thread.
 */
#include <clickstream.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { pool_size = 64, fuzz_threads = 4 };

/* Shared by the threads, so that a handle may be released while another thread uses it. The first is a client. */
static _Atomic(void *) pool[pool_size];
static atomic_llong calls, refused, unknown;
static double processor_seconds;
static time_t until;

struct source {
    uint64_t state;
};

static uint64_t next(struct source *source) {
    uint64_t z = source->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t below(struct source *source, size_t bound) { return (size_t)(next(source) % bound); }

static void *handle(struct source *source) {
    switch (below(source, 12)) {
    case 0: return NULL;
    case 1: return (void *)(uintptr_t)next(source);
    case 2: return clickstream_default_client();
    case 3: { /* A handle with one changed bit. */
        uintptr_t value = (uintptr_t)atomic_load(&pool[below(source, pool_size)]);
        return (void *)(value ^ ((uintptr_t)1 << below(source, 64)));
    }
    case 4: return atomic_load(&pool[0]);
    default: return atomic_load(&pool[below(source, pool_size)]);
    }
}

/* Adds a handle to the pool, and releases the one that it replaces: a long run does not accumulate handles. */
static void keep(struct source *source, void *value) {
    if (!value) return;
    void *former = atomic_exchange(&pool[1 + below(source, pool_size - 1)], value);
    if (clickstream_attributes_release(former) == CLICKSTREAM_OK) return;
    if (clickstream_configuration_release(former) == CLICKSTREAM_OK) return;
    clickstream_observer_cancel(former);
}

/* Processor time of the process in seconds. */
static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static const char *const texts[] = {
    "a", "add_to_cart", "_screen_view", "_screen_name", "id", "appId", "endpoint", "globalAttributes", "isLogEvents", "durability",
    "sessionTimeoutDuration", "maxStoreEvents", "", "1a", "with space", "\xff", "\xc3\xa9t\xc3\xa9", "\xed\xa0\x80", "a\x80",
    "{}", "[]", "[{}]", "{\"a\":1}", "{\"a\":\"b\",\"c\":2.5,\"d\":true}", "{\"a\":null}", "{\"a\":1e999}", "[{\"id\":1}]", "{\"a\":",
    "{\"appId\":\"fuzz\",\"isCompressEvents\":false}", "{\"analytics\":{\"plugins\":{\"awsClickstreamPlugin\":{\"appId\":\"b\"}}}}",
    "http://127.0.0.1:9/collect", "[[[[[[[[[[", "\"\\ud800\"", "{\"\\u0000\":\"\\n\"}", "-0", "process", "power",
};

struct text {
    const char *start;
    size_t length;
    char bytes[300];
};

/* Makes NULL, a text of the pool, or random bytes; a NUL follows them. The length is sometimes out of range. */
static void make_text(struct source *source, struct text *text) {
    size_t kind = below(source, 10);
    text->start = text->bytes;
    memset(text->bytes, 0, sizeof text->bytes);
    if (kind == 0) {
        text->start = NULL;
        text->length = below(source, 3);
    } else if (kind < 8) {
        strcpy(text->bytes, texts[below(source, sizeof texts / sizeof *texts)]);
        text->length = strlen(text->bytes);
        if (kind == 1) text->bytes[below(source, text->length + 1)] = (char)next(source);
    } else {
        text->length = below(source, sizeof text->bytes - 1);
        for (size_t i = 0; i < text->length; i++)
            text->bytes[i] = kind == 8 ? (char)('a' + below(source, 26)) : (char)next(source);
    }
    if (text->start && below(source, 20) == 0) text->length = (below(source, 2) ? SIZE_MAX : SIZE_MAX / 2) - below(source, 9);
}

static double number(struct source *source) {
    static const double some[] = {0, -0.0, 1.5, 1e308, -1e-310, NAN, INFINITY, -INFINITY, 9007199254740993.0};
    return some[below(source, sizeof some / sizeof *some)];
}

static int64_t integer(struct source *source) {
    static const int64_t some[] = {0, 1, -1, INT64_MIN, INT64_MAX, 1000, 77};
    return some[below(source, sizeof some / sizeof *some)];
}

/* Short deadlines, and none: a flush without a deadline ends at the first refused connection. */
static int64_t deadline(struct source *source) {
    static const int64_t some[] = {0, 1, 2, -1, INT64_MIN};
    return some[below(source, sizeof some / sizeof *some)];
}

static void observe(const clickstream_notice *notice, void *context) {
    (void)context;
    if (notice->json_length != strlen(notice->json)) abort();
    /* An event for each recorded event would never end. */
    if (notice->kind == CLICKSTREAM_NOTICE_REJECTED) clickstream_record(clickstream_default_client(), "nested", NULL, NULL, 0);
    if (notice->kind == CLICKSTREAM_NOTICE_WARNING) clickstream_flush(clickstream_default_client(), 0, NULL);
}

static clickstream_decision middleware(clickstream_draft *draft, const char *json, size_t length, void *context) {
    (void)context;
    if (length != strlen(json)) abort();
    clickstream_draft_set_json(draft, length % 3 ? json : "{\"attributes\": {\"a\": 1}}");
    return length % 5 ? CLICKSTREAM_KEEP : CLICKSTREAM_DROP;
}

/* Opens a further client with any handle as configuration, and closes the former. */
static clickstream_status reopen(void *configuration) {
    clickstream_client *client = NULL;
    char message[32];
    clickstream_status status = clickstream_open(configuration, &client, message, sizeof message);
    if (status == CLICKSTREAM_OK) clickstream_close(atomic_exchange(&pool[0], client), 0, NULL);
    return status;
}

static clickstream_status record_values(struct source *source, void *client, const struct text *a, const struct text *b) {
    clickstream_value values[4];
    for (int i = 0; i < 4; i++) {
        const struct text *name = below(source, 2) ? a : b, *text = below(source, 2) ? a : b;
        memset(&values[i], 0, sizeof values[i]);
        values[i].name = name->start;
        values[i].name_length = name->length;
        values[i].kind = (clickstream_value_kind)below(source, 6);
        switch (values[i].kind) {
        case CLICKSTREAM_VALUE_STRING:
            values[i].value.string.start = text->start;
            values[i].value.string.length = text->length;
            break;
        case CLICKSTREAM_VALUE_DOUBLE: values[i].value.number = number(source); break;
        default: values[i].value.integer = integer(source);
        }
    }
    return clickstream_record_values(client, a->start, a->length, below(source, 9) ? values : NULL, below(source, 5));
}

static clickstream_status call(struct source *source) {
    struct text a, b, c;
    make_text(source, &a);
    make_text(source, &b);
    make_text(source, &c);
    void *h = handle(source), *made = NULL;
    char buffer[64];
    size_t length = 0;
    int64_t value = 0;
    bool truth = false;
    clickstream_consent decision;
    clickstream_report report;
    clickstream_status status = CLICKSTREAM_OK;
    void *many[3] = {handle(source), handle(source), handle(source)};
    switch (below(source, 50)) {
    case 0: case 1: keep(source, clickstream_attributes_create()); break;
    case 2: keep(source, clickstream_configuration_create()); break;
    case 3: status = clickstream_attributes_create_json(a.start, (clickstream_attributes **)&made); break;
    case 4: status = clickstream_attributes_create_json_n(a.start, a.length, (clickstream_attributes **)&made); break;
    case 5: if (below(source, 3) == 0) status = clickstream_attributes_release(h); break;
    case 6: status = clickstream_attributes_set_string(h, a.start, b.start); break;
    case 7: status = clickstream_attributes_set_string_n(h, a.start, a.length, b.start, b.length); break;
    case 8: status = clickstream_attributes_set_int(h, a.start, integer(source)); break;
    case 9: status = clickstream_attributes_set_int_n(h, a.start, a.length, integer(source)); break;
    case 10: status = clickstream_attributes_set_double(h, a.start, number(source)); break;
    case 11: status = clickstream_attributes_set_double_n(h, a.start, a.length, number(source)); break;
    case 12: status = clickstream_attributes_set_bool(h, a.start, true); break;
    case 13: status = clickstream_attributes_set_bool_n(h, a.start, a.length, false); break;
    case 14: status = clickstream_attributes_remove(h, a.start); break;
    case 15: status = clickstream_attributes_remove_n(h, a.start, a.length); break;
    case 16: if (below(source, 5) == 0) status = clickstream_attributes_clear(h); break;
    case 17: status = clickstream_attributes_count(h, below(source, 5) ? &length : NULL); break;
    case 18: if (below(source, 5) == 0) status = clickstream_configuration_release(h); break;
    case 19: status = clickstream_configuration_set_file(h, a.start); break;
    case 20: status = clickstream_configuration_set_file_n(h, a.start, a.length); break;
    case 21: status = clickstream_configuration_set_json(h, a.start); break;
    case 22: status = clickstream_configuration_set_json_n(h, a.start, a.length); break;
    case 23: status = clickstream_configuration_set_string(h, a.start, b.start); break;
    case 24: status = clickstream_configuration_set_string_n(h, a.start, a.length, b.start, b.length); break;
    case 25: status = clickstream_configuration_set_int(h, a.start, integer(source)); break;
    case 26: status = clickstream_configuration_set_bool(h, a.start, true); break;
    case 27: status = clickstream_configuration_set_attributes(h, a.start, many[0]); break;
    case 28: status = clickstream_configuration_get_int(h, a.start, &value); break;
    case 29: status = clickstream_configuration_get_bool(h, a.start, &truth); break;
    case 30: status = clickstream_configuration_get_string(h, a.start, buffer, below(source, sizeof buffer), &length); break;
    case 31: status = clickstream_configuration_get_json(h, buffer, below(source, sizeof buffer), &length); break;
    case 32: status = clickstream_client_configuration(h, (clickstream_configuration **)&made); break;
    case 33: status = clickstream_client_configure(h, many[0]); break;
    case 34: status = clickstream_record(h, a.start, many[0], (clickstream_attributes **)many, below(source, 4)); break;
    case 35: status = clickstream_record_n(h, a.start, a.length, many[0], (clickstream_attributes **)many, below(source, 4)); break;
    case 36: status = clickstream_record_json(h, a.start, b.start, c.start); break;
    case 37: status = clickstream_record_json_n(h, a.start, a.length, b.start, b.length, c.start, c.length); break;
    case 38: status = clickstream_add_global_attributes(h, many[0]); break;
    case 39:
        status = below(source, 2) ? clickstream_delete_global_attribute_n(h, a.start, a.length)
                                  : clickstream_delete_global_attribute(h, a.start);
        break;
    case 40:
        status = below(source, 2) ? clickstream_set_user_id_n(h, a.start, a.length) : clickstream_set_user_id(h, a.start);
        break;
    case 41: status = clickstream_add_user_attributes(h, many[0]); break;
    case 42:
        status = below(source, 2) ? clickstream_screen_n(h, a.start, a.length, b.start, b.length, c.start, c.length)
                                  : clickstream_screen(h, a.start, b.start, c.start);
        break;
    case 43: status = below(source, 2) ? clickstream_foreground(h) : clickstream_background(h); break;
    case 44: status = below(source, 3) ? clickstream_enable(h) : clickstream_disable(h); break;
    case 45: status = clickstream_flush(h, deadline(source), &report); break;
    case 46: status = clickstream_observe(h, below(source, 9) ? observe : NULL, NULL, NULL, (clickstream_observer **)&made); break;
    case 47: status = record_values(source, h, &a, &b); break;
    case 48: status = clickstream_reset_after_fork(); break;
    default:
        switch (below(source, 9)) {
        case 6:
            status = below(source, 2) ? clickstream_draft_set_json_n(h, a.start, a.length)
                                      : clickstream_set_consent(h, (clickstream_consent)below(source, 4), (unsigned)below(source, 5));
            break;
        case 7:
            status = below(source, 200) ? clickstream_get_consent(h, (clickstream_purpose)below(source, 4), &decision)
                                        : clickstream_erase_all(h);
            break;
        case 8:
            status = below(source, 4) ? clickstream_remove_middleware(h, a.start)
                                      : clickstream_add_middleware(h, a.start, below(source, 9) ? middleware : NULL, NULL, NULL);
            break;
        case 0: status = clickstream_observer_cancel(h); break;
        case 1: status = clickstream_is_enabled(h, &truth); break;
        case 2: status = clickstream_flush_soon(h); break;
        case 3: status = below(source, 40) ? CLICKSTREAM_OK : clickstream_close(h, integer(source) % 2, &report); break;
        case 4: status = below(source, 40) ? CLICKSTREAM_OK : reopen(h); break;
        default: status = below(source, 20) ? CLICKSTREAM_OK : clickstream_start(h, buffer, sizeof buffer); break;
        }
    }
    keep(source, made);
    return status;
}

static void *run(void *argument) {
    struct source source = {(uint64_t)(uintptr_t)argument};
    while (processor_time() < processor_seconds && time(NULL) < until) {
        for (int i = 0; i < 500; i++) {
            clickstream_status status = call(&source);
            atomic_fetch_add(&calls, 1);
            if (status != CLICKSTREAM_OK) atomic_fetch_add(&refused, 1);
            if (strcmp(clickstream_status_text(status), "unknown status") == 0) atomic_fetch_add(&unknown, 1);
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 3 || chdir(arguments[1]) != 0) return 64;
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 0) : (uint64_t)time(NULL);
    processor_seconds = atof(arguments[2]);
    until = count > 4 ? (time_t)strtoll(arguments[4], NULL, 10) : (time_t)INT64_MAX;
    setenv("CLICKSTREAM_STORAGE_DIRECTORY", arguments[1], 1);
    setenv("CLICKSTREAM_APP_ID", "fuzz", 1);
    setenv("CLICKSTREAM_ENDPOINT", "http://127.0.0.1:9/collect", 1);
    setenv("CLICKSTREAM_MAX_STORE_BYTES", "1000000", 1);
    clickstream_client *client = NULL;
    if (clickstream_start(NULL, NULL, 0) != CLICKSTREAM_OK) return 70;
    setenv("CLICKSTREAM_APP_ID", "further", 1);
    if (clickstream_open(NULL, &client, NULL, 0) != CLICKSTREAM_OK) return 70;
    atomic_store(&pool[0], client);
    pthread_t ids[fuzz_threads];
    for (uintptr_t i = 0; i < fuzz_threads; i++) pthread_create(&ids[i], NULL, run, (void *)(uintptr_t)(seed + i));
    for (int i = 0; i < fuzz_threads; i++) pthread_join(ids[i], NULL);
    printf("%s, seed %llu, %.0f s of processor time, %lld calls, %lld refused\n", clickstream_version(), (unsigned long long)seed,
           processor_time(), atomic_load(&calls), atomic_load(&refused));
    bool holds = atomic_load(&unknown) == 0 && atomic_load(&refused) > 0 && atomic_load(&refused) < atomic_load(&calls);
    printf("%d passed, %d failed\n", holds, !holds);
    return holds ? 0 : 1;
}
