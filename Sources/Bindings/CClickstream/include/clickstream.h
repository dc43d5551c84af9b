/* C interface of the Clickstream SDK: C99 or later, C++17 or later.
 *
 * Link with `pkg-config --cflags --libs clickstream`. Docs/bindings.md has complete examples.
 *
 * Handles
 *   A handle is an opaque value, not an address. Each use is checked: a handle that was closed, or is of another kind,
 *   returns CLICKSTREAM_INVALID_HANDLE. The caller owns each handle that a function returns, and releases it once with
 *   the function named there. Most programs use one handle only: clickstream_default_client().
 *
 * Text
 *   All text is UTF-8, and shorter than 2 GiB. A function `f` expects NUL-terminated text; `f_n` expects the length in
 *   bytes, and accepts NUL bytes. Arguments are copied: they are not used after the return. Invalid UTF-8 returns
 *   CLICKSTREAM_INVALID_UTF8.
 *
 * Results
 *   A wrong argument returns a status and has no effect; it never ends the process. Functions that record return
 *   CLICKSTREAM_OK also if a name or a value violates a rule of the SDK: the event then contains _error_code and
 *   _error_message, or is replaced by a _clickstream_error event, and an observer receives the violation. Output
 *   parameters may be NULL if the description says so; they are written only if the status is CLICKSTREAM_OK, unless the
 *   description says otherwise.
 *
 * Threads
 *   Every function may be called from any thread at any time, concurrently with any other, including on the same handle.
 *   No function is async-signal-safe.
 *
 * Processes
 *   In a child of fork() whose parent has used the library, every function with a status returns
 *   CLICKSTREAM_CHILD_PROCESS and has no other effect, until the child calls clickstream_reset_after_fork().
 */
#ifndef CLICKSTREAM_H
#define CLICKSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CLICKSTREAM_API __attribute__((visibility("default")))
#else
#define CLICKSTREAM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Result of a call. Values are stable; later versions may add further ones. */
typedef enum clickstream_status {
    CLICKSTREAM_OK = 0,
    /* A required pointer is NULL, or a length or count is out of range. */
    CLICKSTREAM_INVALID_ARGUMENT = 1,
    /* A text is not valid UTF-8. */
    CLICKSTREAM_INVALID_UTF8 = 2,
    /* A number is NaN or infinite. */
    CLICKSTREAM_NOT_FINITE = 3,
    /* A handle was closed, is of another kind, or never existed. */
    CLICKSTREAM_INVALID_HANDLE = 4,
    /* A text is not JSON, or not of the expected structure. */
    CLICKSTREAM_INVALID_JSON = 5,
    /* There is no configuration key or attribute of that name. */
    CLICKSTREAM_UNKNOWN_KEY = 6,
    /* The configuration key has another type, or does not accept the value. */
    CLICKSTREAM_INVALID_VALUE = 7,
    /* The key has no value. */
    CLICKSTREAM_NO_VALUE = 8,
    /* The buffer is too small; the required length is returned. */
    CLICKSTREAM_BUFFER_TOO_SMALL = 9,
    /* The default client is running already. */
    CLICKSTREAM_ALREADY_RUNNING = 10,
    /* The default client is not running. */
    CLICKSTREAM_NOT_RUNNING = 11,
    /* A setting is missing or invalid, or the configuration file cannot be read. */
    CLICKSTREAM_INVALID_CONFIGURATION = 12,
    /* The store cannot be opened. */
    CLICKSTREAM_STORE_FAILED = 13,
    /* The process is a child of fork(). */
    CLICKSTREAM_CHILD_PROCESS = 14,
    /* A blocking function was called by an observer's callback. */
    CLICKSTREAM_IN_CALLBACK = 15,
    /* More handles of this kind exist than supported (2^20). */
    CLICKSTREAM_TOO_MANY_HANDLES = 16,
    /* No thread could be created for a blocking function: nothing was sent. */
    CLICKSTREAM_NO_THREAD = 17
} clickstream_status;

/* List of attribute names and values, of an event, an item or a user. */
typedef struct clickstream_attributes clickstream_attributes;
/* Settings of a client. */
typedef struct clickstream_configuration clickstream_configuration;
/* Analytics client of one app. */
typedef struct clickstream_client clickstream_client;
/* Registration of a callback. */
typedef struct clickstream_observer clickstream_observer;

/* Returns the version of the library, such as "0.2.0". The text is static. */
CLICKSTREAM_API const char *clickstream_version(void);

/* Returns a short English description of a status; never NULL. The text is static. */
CLICKSTREAM_API const char *clickstream_status_text(clickstream_status status);

/* ---- Attributes ------------------------------------------------------------------------------------------------ */

/* Returns an empty list, to be released with clickstream_attributes_release; NULL if there are too many handles, or in a
 * child of fork(). A list may be used for any number of events. */
CLICKSTREAM_API clickstream_attributes *clickstream_attributes_create(void);

/* Creates a list from a JSON object of strings, numbers and booleans, to be released with
 * clickstream_attributes_release. Numbers keep their digits.
 * Errors: CLICKSTREAM_INVALID_JSON for other text, or a member that is null, an array or an object. */
CLICKSTREAM_API clickstream_status clickstream_attributes_create_json(const char *json,
                                                                      clickstream_attributes **attributes);
CLICKSTREAM_API clickstream_status clickstream_attributes_create_json_n(const char *json, size_t json_length,
                                                                        clickstream_attributes **attributes);

/* Releases a list. Events that were recorded with it are not affected. */
CLICKSTREAM_API clickstream_status clickstream_attributes_release(clickstream_attributes *attributes);

/* Sets the value of `name`: in place if the list contains the name, at its end otherwise. Cost: linear in the number of
 * names. Names and values are checked when an event is recorded; only text that is not UTF-8 and numbers that are not
 * finite are refused here. */
CLICKSTREAM_API clickstream_status clickstream_attributes_set_string(clickstream_attributes *attributes, const char *name,
                                                                     const char *value);
CLICKSTREAM_API clickstream_status clickstream_attributes_set_string_n(clickstream_attributes *attributes,
                                                                       const char *name, size_t name_length,
                                                                       const char *value, size_t value_length);
CLICKSTREAM_API clickstream_status clickstream_attributes_set_int(clickstream_attributes *attributes, const char *name,
                                                                  int64_t value);
CLICKSTREAM_API clickstream_status clickstream_attributes_set_int_n(clickstream_attributes *attributes, const char *name,
                                                                    size_t name_length, int64_t value);
/* Errors: CLICKSTREAM_NOT_FINITE for NaN and the infinities. */
CLICKSTREAM_API clickstream_status clickstream_attributes_set_double(clickstream_attributes *attributes, const char *name,
                                                                     double value);
CLICKSTREAM_API clickstream_status clickstream_attributes_set_double_n(clickstream_attributes *attributes,
                                                                       const char *name, size_t name_length,
                                                                       double value);
CLICKSTREAM_API clickstream_status clickstream_attributes_set_bool(clickstream_attributes *attributes, const char *name,
                                                                   bool value);
CLICKSTREAM_API clickstream_status clickstream_attributes_set_bool_n(clickstream_attributes *attributes, const char *name,
                                                                     size_t name_length, bool value);

/* Removes `name`. Errors: CLICKSTREAM_UNKNOWN_KEY if the list does not contain it. */
CLICKSTREAM_API clickstream_status clickstream_attributes_remove(clickstream_attributes *attributes, const char *name);
CLICKSTREAM_API clickstream_status clickstream_attributes_remove_n(clickstream_attributes *attributes, const char *name,
                                                                   size_t name_length);

/* Removes all names. */
CLICKSTREAM_API clickstream_status clickstream_attributes_clear(clickstream_attributes *attributes);

/* Writes the number of names to `count`. */
CLICKSTREAM_API clickstream_status clickstream_attributes_count(clickstream_attributes *attributes, size_t *count);

/* ---- Configuration --------------------------------------------------------------------------------------------- */

/* Returns an empty configuration, to be released with clickstream_configuration_release; NULL if there are too many
 * handles, or in a child of fork(). A setting that is not set here comes from the environment (CLICKSTREAM_APP_ID, ...),
 * then from the configuration file, then from the defaults. Docs/configuration.md lists the keys. */
CLICKSTREAM_API clickstream_configuration *clickstream_configuration_create(void);

/* Releases a configuration. Clients that were started with it are not affected. */
CLICKSTREAM_API clickstream_status clickstream_configuration_release(clickstream_configuration *configuration);

/* Sets the path of the configuration file; without it, amplifyconfiguration.json is searched in the working directory
 * and beside the executable. The file is read when a client starts, and must exist then. */
CLICKSTREAM_API clickstream_status clickstream_configuration_set_file(clickstream_configuration *configuration,
                                                                      const char *path);
CLICKSTREAM_API clickstream_status clickstream_configuration_set_file_n(clickstream_configuration *configuration,
                                                                        const char *path, size_t path_length);

/* Sets every key of a JSON text: the content of an amplifyconfiguration.json, or a flat object of keys.
 * Errors: CLICKSTREAM_INVALID_JSON, CLICKSTREAM_UNKNOWN_KEY, CLICKSTREAM_INVALID_VALUE; nothing is set then. */
CLICKSTREAM_API clickstream_status clickstream_configuration_set_json(clickstream_configuration *configuration,
                                                                      const char *json);
CLICKSTREAM_API clickstream_status clickstream_configuration_set_json_n(clickstream_configuration *configuration,
                                                                        const char *json, size_t json_length);

/* Sets one key. Errors: CLICKSTREAM_UNKNOWN_KEY, CLICKSTREAM_INVALID_VALUE. */
CLICKSTREAM_API clickstream_status clickstream_configuration_set_string(clickstream_configuration *configuration,
                                                                        const char *key, const char *value);
CLICKSTREAM_API clickstream_status clickstream_configuration_set_string_n(clickstream_configuration *configuration,
                                                                          const char *key, size_t key_length,
                                                                          const char *value, size_t value_length);
CLICKSTREAM_API clickstream_status clickstream_configuration_set_int(clickstream_configuration *configuration,
                                                                     const char *key, int64_t value);
CLICKSTREAM_API clickstream_status clickstream_configuration_set_bool(clickstream_configuration *configuration,
                                                                      const char *key, bool value);
/* Sets the key globalAttributes: attributes of every event, from the launch events on; or the key sampling: rates from 0 to
 * 1 by event name, which replace those set before. A rate is the part of an app's events of that name that is recorded. */
CLICKSTREAM_API clickstream_status clickstream_configuration_set_attributes(clickstream_configuration *configuration,
                                                                            const char *key,
                                                                            clickstream_attributes *attributes);

/* Reads one key: the value set, or the default. Environment and file are not read; use clickstream_client_configuration
 * for the values of a running client. Numbers are milliseconds, bytes or events, as documented for the key.
 * Errors: CLICKSTREAM_UNKNOWN_KEY, CLICKSTREAM_INVALID_VALUE if the key has another type, CLICKSTREAM_NO_VALUE. */
CLICKSTREAM_API clickstream_status clickstream_configuration_get_int(clickstream_configuration *configuration,
                                                                     const char *key, int64_t *value);
CLICKSTREAM_API clickstream_status clickstream_configuration_get_bool(clickstream_configuration *configuration,
                                                                      const char *key, bool *value);
/* Copies the text and a NUL into `buffer`. `length`, which may be NULL, receives the length without the NUL, also with
 * CLICKSTREAM_BUFFER_TOO_SMALL. With capacity 0 the buffer may be NULL. */
CLICKSTREAM_API clickstream_status clickstream_configuration_get_string(clickstream_configuration *configuration,
                                                                        const char *key, char *buffer, size_t capacity,
                                                                        size_t *length);
/* Copies all keys that have a value as a flat JSON object, which clickstream_configuration_set_json accepts. It contains
 * the authentication cookie. Buffer and length as for clickstream_configuration_get_string. */
CLICKSTREAM_API clickstream_status clickstream_configuration_get_json(clickstream_configuration *configuration,
                                                                      char *buffer, size_t capacity, size_t *length);

/* ---- Processes -------------------------------------------------------------------------------------------------- */

/* Makes the library as new in a child of fork() whose parent has used it: without clients, attributes, configurations and
 * observers. Handles of the parent stay refused with CLICKSTREAM_CHILD_PROCESS, and what the parent recorded stays the
 * parent's. The child may open clients of its own, with the parent's store or another. To be called in the child before
 * other functions, while it has one thread, for example by a handler of pthread_atfork. Returns CLICKSTREAM_OK; without
 * effect in a process that is no child, and a second time. A child of the child needs a call of its own. */
CLICKSTREAM_API clickstream_status clickstream_reset_after_fork(void);

/* ---- Clients --------------------------------------------------------------------------------------------------- */

/* Returns the client of the process, which Swift code of the same process uses through ClickstreamAnalytics. The handle
 * is a constant and always valid, and need not be released. Calls before clickstream_start are queued (1 000 at most) and
 * executed after the launch events, with their original time; so are calls between clickstream_close and the next start,
 * except those that record an event. */
CLICKSTREAM_API clickstream_client *clickstream_default_client(void);

/* Starts the default client: opens the store, and records the launch events. Costs some file operations.
 *   configuration: NULL for the environment and the configuration file alone.
 *   message: receives a NUL-terminated description of the failure, whatever the status, cut to `capacity` bytes, or an
 *   empty text; may be NULL if the capacity is 0.
 * Errors: CLICKSTREAM_ALREADY_RUNNING, CLICKSTREAM_INVALID_CONFIGURATION, CLICKSTREAM_STORE_FAILED for a store of a later
 * version or a broken disk. The client is not started then; queued calls stay queued. With any other folder that cannot
 * be used the client starts: at most 1 000 events are kept in memory, and observers receive a warning. */
CLICKSTREAM_API clickstream_status clickstream_start(clickstream_configuration *configuration, char *message,
                                                     size_t capacity);

/* Starts a further client, for another app of the same process; its store must differ from those of other clients by app
 * id or storageDirectory. `client` is to be released with clickstream_close. Other parameters and errors as for
 * clickstream_start. */
CLICKSTREAM_API clickstream_status clickstream_open(clickstream_configuration *configuration, clickstream_client **client,
                                                    char *message, size_t capacity);

/* Reason for which a flush left events in the store. Later versions may add further ones. */
typedef enum clickstream_flush_error {
    CLICKSTREAM_FLUSH_COMPLETE = 0,
    CLICKSTREAM_FLUSH_NO_ENDPOINT = 1,
    CLICKSTREAM_FLUSH_DISABLED = 2,
    CLICKSTREAM_FLUSH_CLIENT_ENDED = 3,
    CLICKSTREAM_FLUSH_OFFLINE = 4,
    /* Another process is sending the events of this store. */
    CLICKSTREAM_FLUSH_STORE_IN_USE = 5,
    CLICKSTREAM_FLUSH_DEADLINE_PASSED = 6,
    /* A pause after an earlier failure has not ended. */
    CLICKSTREAM_FLUSH_PAUSING = 7,
    /* The server answered with a status other than 2xx: see http_status. */
    CLICKSTREAM_FLUSH_REFUSED = 8,
    /* No complete response of the server was received. With an http_status of 2xx, a web page (text/html) came in its
     * place, as of a captive portal or a proxy. */
    CLICKSTREAM_FLUSH_NO_RESPONSE = 9,
    CLICKSTREAM_FLUSH_STORE_FAILED = 10,
    CLICKSTREAM_FLUSH_INTERRUPTED = 11
} clickstream_flush_error;

/* Result of a flush. */
typedef struct clickstream_report {
    /* Events that the server accepted. */
    int64_t sent;
    /* Events that are still in the store. */
    int64_t retained;
    /* Events set aside as dead letters, because the server refused them permanently. */
    int64_t set_aside;
    /* Bytes of JSON sent, before compression. */
    int64_t raw_bytes;
    /* Bytes of request bodies, including failed attempts. */
    int64_t sent_bytes;
    /* Requests made. */
    int64_t attempts;
    clickstream_flush_error error;
    /* HTTP status of the last failure, or 0. */
    int32_t http_status;
    /* Description of the error, NUL-terminated, cut to the size; empty if there is none. */
    char message[208];
} clickstream_report;

/* Ends a client: records the end of the app and closes the store. Events that are not sent are sent by the next process.
 *   deadline: milliseconds for sending queued events first; 0 sends nothing. A request in flight is awaited for two
 *   seconds at most.
 *   report: receives the result of sending; may be NULL.
 * The handle of a further client is released; another use returns CLICKSTREAM_INVALID_HANDLE. The default client can be
 * started again; queued calls are discarded. No callback of an observer of the client runs after the return, unless it has
 * been running for two more seconds. A client that is not closed ends with the process: at exit() its end is recorded,
 * nothing is sent, and observers are still called.
 * Errors: CLICKSTREAM_NOT_RUNNING, CLICKSTREAM_IN_CALLBACK, CLICKSTREAM_NO_THREAD,
 * CLICKSTREAM_INVALID_ARGUMENT for a negative deadline. */
CLICKSTREAM_API clickstream_status clickstream_close(clickstream_client *client, int64_t deadline,
                                                     clickstream_report *report);

/* ---- Recording ------------------------------------------------------------------------------------------------- */

/* Records an event. On return, the event would survive the death of the process. Costs some microseconds.
 *   name: at most 50 characters of A-Z, a-z, 0-9 and _, not beginning with a digit; "_screen_view" makes the screen in
 *   its attributes the current one.
 *   attributes: may be NULL.
 *   items: `item_count` lists (100 at most), each with the attribute "id"; may be NULL if the count is 0.
 * Errors: after clickstream_close CLICKSTREAM_INVALID_HANDLE, or CLICKSTREAM_NOT_RUNNING for the default client until its
 * next start. The event then counts as disabled in the accounting of its store (of the 16 further clients closed last),
 * before the return; that costs some file operations. */
CLICKSTREAM_API clickstream_status clickstream_record(clickstream_client *client, const char *name,
                                                      clickstream_attributes *attributes,
                                                      clickstream_attributes *const *items, size_t item_count);
CLICKSTREAM_API clickstream_status clickstream_record_n(clickstream_client *client, const char *name, size_t name_length,
                                                        clickstream_attributes *attributes,
                                                        clickstream_attributes *const *items, size_t item_count);

/* Records an event with attributes and items as JSON.
 *   attributes: an object as for clickstream_attributes_create_json; may be NULL.
 *   items: an array of such objects; may be NULL.
 * Errors: CLICKSTREAM_INVALID_JSON; nothing is recorded then. */
CLICKSTREAM_API clickstream_status clickstream_record_json(clickstream_client *client, const char *name,
                                                           const char *attributes, const char *items);
CLICKSTREAM_API clickstream_status clickstream_record_json_n(clickstream_client *client, const char *name,
                                                             size_t name_length, const char *attributes,
                                                             size_t attributes_length, const char *items,
                                                             size_t items_length);

/* Type of the value of a clickstream_value. */
typedef enum clickstream_value_kind {
    CLICKSTREAM_VALUE_STRING = 1,
    CLICKSTREAM_VALUE_INT = 2,
    CLICKSTREAM_VALUE_DOUBLE = 3,
    /* `integer` is 0 for false, any other value for true. */
    CLICKSTREAM_VALUE_BOOL = 4
} clickstream_value_kind;

/* Name and value of an attribute, in memory of the caller. */
typedef struct clickstream_value {
    const char *name;
    size_t name_length;
    clickstream_value_kind kind;
    union {
        struct {
            const char *start;
            size_t length;
        } string;
        int64_t integer;
        double number;
    } value;
} clickstream_value;

/* Records an event with `value_count` attributes (100 000 at most) in one call: the cheapest way if the values differ from
 * event to event. Of two values with one name the latest wins. `values` may be NULL if the count is 0.
 * Errors: CLICKSTREAM_NOT_FINITE, CLICKSTREAM_INVALID_ARGUMENT for an unknown kind; nothing is recorded then. */
CLICKSTREAM_API clickstream_status clickstream_record_values(clickstream_client *client, const char *name,
                                                             size_t name_length, const clickstream_value *values,
                                                             size_t value_count);

/* Adds attributes to every later event of the process. An existing name gets the new value. */
CLICKSTREAM_API clickstream_status clickstream_add_global_attributes(clickstream_client *client,
                                                                     clickstream_attributes *attributes);

/* Removes an attribute from every later event. A name that is not set is ignored. */
CLICKSTREAM_API clickstream_status clickstream_delete_global_attribute(clickstream_client *client, const char *name);
CLICKSTREAM_API clickstream_status clickstream_delete_global_attribute_n(clickstream_client *client, const char *name,
                                                                         size_t name_length);

/* Logs a user in, and records the whole profile as _profile_set. The id has 1 to 256 characters. NULL logs out. */
CLICKSTREAM_API clickstream_status clickstream_set_user_id(clickstream_client *client, const char *id);
CLICKSTREAM_API clickstream_status clickstream_set_user_id_n(clickstream_client *client, const char *id,
                                                             size_t id_length);

/* Sets attributes of the current user, stores them on disk, and records the whole profile as _profile_set. */
CLICKSTREAM_API clickstream_status clickstream_add_user_attributes(clickstream_client *client,
                                                                   clickstream_attributes *attributes);

/* Reports that a screen appeared, and records _screen_view unless it is the current one. Ignored while
 * isTrackScreenViewEvents is off. `id` and `unique_id` may be NULL; the unique id is then derived from the name. */
CLICKSTREAM_API clickstream_status clickstream_screen(clickstream_client *client, const char *name, const char *id,
                                                      const char *unique_id);
CLICKSTREAM_API clickstream_status clickstream_screen_n(clickstream_client *client, const char *name, size_t name_length,
                                                        const char *id, size_t id_length, const char *unique_id,
                                                        size_t unique_id_length);

/* Reports that the app became visible. Repeated calls have no effect. */
CLICKSTREAM_API clickstream_status clickstream_foreground(clickstream_client *client);

/* Reports that the app became invisible: records engagement and _app_end, and starts a flush. */
CLICKSTREAM_API clickstream_status clickstream_background(clickstream_client *client);

/* Stops recording and sending until clickstream_enable. Queued events stay in the store. */
CLICKSTREAM_API clickstream_status clickstream_disable(clickstream_client *client);

/* Resumes recording and sending. */
CLICKSTREAM_API clickstream_status clickstream_enable(clickstream_client *client);

/* Writes true to `enabled` if events are recorded. Errors: CLICKSTREAM_NOT_RUNNING. */
CLICKSTREAM_API clickstream_status clickstream_is_enabled(clickstream_client *client, bool *enabled);

/* ---- Consent, erasure and middleware --------------------------------------------------------------------------------- */

/* Decision of a person on a purpose. */
typedef enum clickstream_consent {
    /* Not decided yet: the key `consent` of the configuration defines what happens to events. */
    CLICKSTREAM_CONSENT_UNDECIDED = 0,
    CLICKSTREAM_CONSENT_GRANTED = 1,
    /* Refused or withdrawn. */
    CLICKSTREAM_CONSENT_DENIED = 2
} clickstream_consent;

/* Purpose of a decision. */
typedef enum clickstream_purpose {
    /* Recording and sending events, in every format. */
    CLICKSTREAM_PURPOSE_ANALYTICS = 1,
    /* The identity of the person: user id and user attributes in the events. */
    CLICKSTREAM_PURPOSE_PERSONALIZATION = 2
} clickstream_purpose;

/* Stores a person's decision, and performs its consequences before the return. CLICKSTREAM_CONSENT_GRANTED for analytics
 * records the events that wait, with their original times; CLICKSTREAM_CONSENT_DENIED drops them, and removes all queued
 * events from the disk, also if the process is killed meanwhile. Before clickstream_start the decision takes effect with the
 * launch. Costs some file operations. Docs/privacy.md has all consequences.
 *   purposes: one or more values of clickstream_purpose, combined by `|`.
 * Errors: CLICKSTREAM_INVALID_ARGUMENT for another decision or purpose; nothing is stored then. */
CLICKSTREAM_API clickstream_status clickstream_set_consent(clickstream_client *client, clickstream_consent decision,
                                                           unsigned purposes);

/* Returns the stored decision on one purpose. Errors: CLICKSTREAM_NOT_RUNNING. */
CLICKSTREAM_API clickstream_status clickstream_get_consent(clickstream_client *client, clickstream_purpose purpose,
                                                           clickstream_consent *decision);

/* Removes the identity, all queued events, dead letters, crash reports, sessions and decisions on consent from the disk,
 * and continues as a new installation. Before clickstream_start it takes effect with the launch. */
CLICKSTREAM_API clickstream_status clickstream_erase_all(clickstream_client *client);

/* Event that middleware may change. */
typedef struct clickstream_draft clickstream_draft;

/* Decision of middleware on an event. */
typedef enum clickstream_decision {
    CLICKSTREAM_KEEP = 0,
    /* The event is not recorded; it is counted. */
    CLICKSTREAM_DROP = 1
} clickstream_decision;

/* Function that sees an event before it is validated. Called on the thread that records, by several threads at the same
 * time. It may call every function that neither blocks nor records; it must return normally.
 *   draft: for clickstream_draft_set_json; valid during the call only.
 *   json: the event, {"name": ..., "attributes": {...}, "items": [...]}, NUL-terminated; valid during the call only. */
typedef clickstream_decision (*clickstream_middleware)(clickstream_draft *draft, const char *json, size_t json_length,
                                                       void *context);

/* Replaces parts of a draft: the members of a JSON object with the members `name`, `attributes` and `items`; what is not
 * given stays. Errors: CLICKSTREAM_INVALID_JSON, CLICKSTREAM_NOT_FINITE; nothing is changed then. */
CLICKSTREAM_API clickstream_status clickstream_draft_set_json(clickstream_draft *draft, const char *json);
CLICKSTREAM_API clickstream_status clickstream_draft_set_json_n(clickstream_draft *draft, const char *json,
                                                                size_t json_length);

/* Adds middleware, called after the functions added before. It sees the events that the app records; those of the lifecycle
 * and user attributes do not pass. What it changes and drops is counted by its name in the accounting. Every event then
 * costs its JSON and a call.
 *   name: identifies the function; a function of the same name is replaced.
 *   context: passed to the function.
 *   release: called once with `context` when the function is not called any more; not after errors. May be NULL.
 * It stays until clickstream_remove_middleware, or the end of the client. */
CLICKSTREAM_API clickstream_status clickstream_add_middleware(clickstream_client *client, const char *name,
                                                              clickstream_middleware middleware, void *context,
                                                              void (*release)(void *context));

/* Removes middleware. Waits for calls that are running on other threads, two seconds at most; no call begins after that.
 * Does not wait within a callback. Errors: CLICKSTREAM_UNKNOWN_KEY if there is none of that name. */
CLICKSTREAM_API clickstream_status clickstream_remove_middleware(clickstream_client *client, const char *name);

/* ---- Delivery -------------------------------------------------------------------------------------------------- */

/* Starts sending queued events, and returns immediately. */
CLICKSTREAM_API clickstream_status clickstream_flush_soon(clickstream_client *client);

/* Sends queued events, and blocks until the queue is empty, a request fails, or the deadline passes.
 *   deadline: milliseconds after which the call returns; a request in flight continues. Negative: no deadline.
 *   report: receives the result; may be NULL.
 * Returns CLICKSTREAM_OK also if events were retained: see report->error.
 * Errors: CLICKSTREAM_NOT_RUNNING, CLICKSTREAM_IN_CALLBACK, CLICKSTREAM_NO_THREAD. */
CLICKSTREAM_API clickstream_status clickstream_flush(clickstream_client *client, int64_t deadline,
                                                     clickstream_report *report);

/* ---- Configuration of a running client ------------------------------------------------------------------------- */

/* Creates a configuration with the current values of a client, to be released with clickstream_configuration_release. A
 * later change of the client does not affect it. Errors: CLICKSTREAM_NOT_RUNNING. */
CLICKSTREAM_API clickstream_status clickstream_client_configuration(clickstream_client *client,
                                                                    clickstream_configuration **configuration);

/* Applies the keys that were set in `configuration` since its creation to a running client, from the next call on. Keys
 * that cannot change while a client runs are ignored with a warning. Errors: CLICKSTREAM_NOT_RUNNING. */
CLICKSTREAM_API clickstream_status clickstream_client_configure(clickstream_client *client,
                                                                clickstream_configuration *configuration);

/* ---- Observation ----------------------------------------------------------------------------------------------- */

/* Kind of a notice. Later versions may add further ones. */
typedef enum clickstream_notice_kind {
    /* An event was stored: name, json, code and text of its first violation. */
    CLICKSTREAM_NOTICE_RECORDED = 1,
    /* An event in another format was stored: name (of the format), json. */
    CLICKSTREAM_NOTICE_CAPTURED = 2,
    /* An event was lost: name, text. */
    CLICKSTREAM_NOTICE_UNSTORED = 3,
    /* A call violated a rule and recorded no event of its own: code, text. */
    CLICKSTREAM_NOTICE_REJECTED = 4,
    /* A session continues (code 0) or starts (code 1): count is its number, text the reason. */
    CLICKSTREAM_NOTICE_SESSION = 5,
    /* A batch was delivered: count. */
    CLICKSTREAM_NOTICE_UPLOADED = 6,
    /* A flush ended early; the events are kept: count, text. */
    CLICKSTREAM_NOTICE_RETAINED = 7,
    /* The server accepts nothing from this client, or a web page came in place of its response: text. */
    CLICKSTREAM_NOTICE_DELIVERY_REFUSED = 8,
    /* Events were moved to the dead letters: count, text. */
    CLICKSTREAM_NOTICE_SET_ASIDE = 9,
    /* Events were removed unsent, because a limit was reached, or for lack of consent: count, text. */
    CLICKSTREAM_NOTICE_EVICTED = 10,
    /* A problem of the store, the configuration or a call: name (of its kind, such as store_in_memory), text. */
    CLICKSTREAM_NOTICE_WARNING = 11
} clickstream_notice_kind;

/* Notification of an observer. Texts are UTF-8, NUL-terminated, never NULL, and valid during the callback only. */
typedef struct clickstream_notice {
    clickstream_notice_kind kind;
    /* Error code of a rule, such as 1001, or 0. */
    int32_t code;
    int64_t count;
    const char *name;
    size_t name_length;
    /* The event as JSON, as in a request. */
    const char *json;
    size_t json_length;
    const char *text;
    size_t text_length;
} clickstream_notice;

/* Callback of an observer. Called in the order of the notices, one at a time for each client, outside every lock, on the
 * thread of the call that caused the notice or on an internal thread. It may call every function that does not block; it
 * must return normally: a C++ exception or longjmp must not leave it. */
typedef void (*clickstream_callback)(const clickstream_notice *notice, void *context);

/* Calls `callback` with every notice of the client. Registered with the default client before clickstream_start, it also
 * receives the notices of the launch.
 *   context: passed to the callback.
 *   release: called once with `context` when the callback is not called any more, at the latest some time after
 *   clickstream_observer_cancel; also with CLICKSTREAM_TOO_MANY_HANDLES, but not after other errors. May be NULL.
 *   observer: to be released with clickstream_observer_cancel. May be NULL: the registration then ends with the client;
 *   on the default client, with the process. A host that unloads `callback`, or that cannot run it any more, such as an
 *   interpreter at its end, cancels it before.
 * Every event then costs a copy of its JSON. */
CLICKSTREAM_API clickstream_status clickstream_observe(clickstream_client *client, clickstream_callback callback,
                                                       void *context, void (*release)(void *context),
                                                       clickstream_observer **observer);

/* Ends a registration and releases its handle. Waits for a call that is running on another thread, two seconds at most;
 * no call begins or is running after that, and `release` has been called, or is called when the call ends. Does not wait
 * within a callback. */
CLICKSTREAM_API clickstream_status clickstream_observer_cancel(clickstream_observer *observer);

#ifdef __cplusplus
}
#endif

#endif
