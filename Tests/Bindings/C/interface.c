/* Test of the C interface: wrong arguments of every kind, 64 threads, and the events that a program records.
 *
 * Usage: interface FOLDER [arguments|threads|events]; FOLDER is a new, empty folder for stores. Prints "N passed, N failed".
 */
#include <clickstream.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int passed, failed;

static void check(bool holds, const char *text, const char *file, int line) {
    if (holds) {
        atomic_fetch_add(&passed, 1);
    } else {
        atomic_fetch_add(&failed, 1);
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
    }
}
#define CHECK(condition) check((condition), #condition, __FILE__, __LINE__)
#define STATUS(expected, call)                                                                                             \
    do {                                                                                                                   \
        clickstream_status status_ = (call);                                                                               \
        if (status_ != (expected)) fprintf(stderr, "%s instead of %s: ", clickstream_status_text(status_), #expected);     \
        check(status_ == (expected), #call, __FILE__, __LINE__);                                                           \
    } while (0)
#define OK(call) STATUS(CLICKSTREAM_OK, call)

static const char *invalid_texts[] = {"\xff", "a\x80", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "ok\xe2\x82"};
static const size_t invalid_count = sizeof invalid_texts / sizeof *invalid_texts;

static clickstream_configuration *configuration(const char *folder, const char *app) {
    clickstream_configuration *made = clickstream_configuration_create();
    CHECK(made != NULL);
    OK(clickstream_configuration_set_string(made, "appId", app));
    OK(clickstream_configuration_set_string(made, "storageDirectory", folder));
    OK(clickstream_configuration_set_string(made, "endpoint", "http://127.0.0.1:9/collect"));
    OK(clickstream_configuration_set_int(made, "autoFlushEventsInterval", 0));
    return made;
}

static clickstream_client *opened(const char *folder, const char *app) {
    clickstream_configuration *settings = configuration(folder, app);
    clickstream_client *client = NULL;
    char message[256];
    OK(clickstream_open(settings, &client, message, sizeof message));
    if (!client) fprintf(stderr, "%s\n", message);
    OK(clickstream_configuration_release(settings));
    return client;
}

/* ---- Wrong arguments ------------------------------------------------------------------------------------------- */

static void test_attributes(void) {
    clickstream_attributes *list = clickstream_attributes_create();
    size_t count = 99;
    CHECK(list != NULL);
    OK(clickstream_attributes_set_string(list, "category", "shoes"));
    OK(clickstream_attributes_set_string_n(list, "brand", 5, "a\0b", 3));
    OK(clickstream_attributes_set_int(list, "count", INT64_MIN));
    OK(clickstream_attributes_set_double(list, "value", 279.9));
    OK(clickstream_attributes_set_bool(list, "new", true));
    OK(clickstream_attributes_set_int(list, "count", INT64_MAX));
    OK(clickstream_attributes_count(list, &count));
    CHECK(count == 5);
    STATUS(CLICKSTREAM_NOT_FINITE, clickstream_attributes_set_double(list, "value", NAN));
    STATUS(CLICKSTREAM_NOT_FINITE, clickstream_attributes_set_double(list, "value", -INFINITY));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_string(list, NULL, "a"));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_string(list, "a", NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_string_n(list, "a", (size_t)-1, "a", 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_string_n(list, "a", SIZE_MAX / 2, "a", 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_string_n(list, "a", 1, "a", (size_t)1 << 31));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_string_n(list, "a", 1, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_int(list, NULL, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_double(list, NULL, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_bool(list, NULL, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_set_int(NULL, "a", 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_count(list, NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_count(NULL, &count));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_clear(NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_release(NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_remove(list, NULL));
    STATUS(CLICKSTREAM_UNKNOWN_KEY, clickstream_attributes_remove(list, "unknown"));
    for (size_t i = 0; i < invalid_count; i++) {
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_set_string(list, "a", invalid_texts[i]));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_set_string(list, invalid_texts[i], "a"));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_set_int(list, invalid_texts[i], 1));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_set_double(list, invalid_texts[i], 1));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_set_bool(list, invalid_texts[i], 1));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_remove(list, invalid_texts[i]));
    }
    OK(clickstream_attributes_count(list, &count));
    CHECK(count == 5);
    OK(clickstream_attributes_remove(list, "category"));
    OK(clickstream_attributes_clear(list));
    OK(clickstream_attributes_count(list, &count));
    CHECK(count == 0);
    OK(clickstream_attributes_release(list));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_release(list));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_set_int(list, "a", 1));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_count(list, &count));
}

static void test_attributes_of_json(void) {
    clickstream_attributes *list = NULL;
    size_t count = 0;
    OK(clickstream_attributes_create_json("{\"a\": 1, \"b\": 2.5, \"c\": \"\\u00e9\", \"d\": true, \"a\": 3}", &list));
    OK(clickstream_attributes_count(list, &count));
    CHECK(count == 4);
    OK(clickstream_attributes_release(list));
    list = NULL;
    static const char *texts[] = {"", "null", "[]", "{", "{\"a\":null}", "{\"a\":[]}", "{\"a\":{}}", "{\"a\":1}x", "{a:1}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        STATUS(CLICKSTREAM_INVALID_JSON, clickstream_attributes_create_json(texts[i], &list));
    STATUS(CLICKSTREAM_NOT_FINITE, clickstream_attributes_create_json("{\"a\":1e999}", &list));
    STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_attributes_create_json("{\"a\":\"\xff\"}", &list));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_create_json(NULL, &list));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_create_json("{}", NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_attributes_create_json_n("{}", (size_t)-2, &list));
    CHECK(list == NULL);
    char *deep = malloc(200001);
    memset(deep, '[', 200000);
    deep[200000] = 0;
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_attributes_create_json(deep, &list));
    free(deep);
}

static void test_configuration(void) {
    clickstream_configuration *settings = clickstream_configuration_create();
    bool truth = false;
    int64_t integer = 0;
    size_t length = 0;
    char buffer[1024];
    OK(clickstream_configuration_get_int(settings, "autoFlushEventsInterval", &integer));
    CHECK(integer == 10000);
    OK(clickstream_configuration_get_bool(settings, "isCompressEvents", &truth));
    CHECK(truth);
    STATUS(CLICKSTREAM_NO_VALUE, clickstream_configuration_get_string(settings, "authCookie", buffer, 9, &length));
    OK(clickstream_configuration_set_json(
        settings, "{\"analytics\":{\"plugins\":{\"awsClickstreamPlugin \":{\"appId\":\"shop\",\"sessionTimeoutDuration\":5}}}}"));
    OK(clickstream_configuration_set_json(settings, "{\"isLogEvents\":true,\"globalAttributes\":{\"a\":1}}"));
    OK(clickstream_configuration_get_int(settings, "sessionTimeoutDuration", &integer));
    CHECK(integer == 5);
    OK(clickstream_configuration_get_string(settings, "appId", buffer, sizeof buffer, &length));
    CHECK(length == 4 && strcmp(buffer, "shop") == 0);
    STATUS(CLICKSTREAM_BUFFER_TOO_SMALL, clickstream_configuration_get_string(settings, "appId", buffer, 4, &length));
    STATUS(CLICKSTREAM_BUFFER_TOO_SMALL, clickstream_configuration_get_string(settings, "appId", NULL, 0, &length));
    CHECK(length == 4);
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_configuration_get_string(settings, "appId", NULL, 5, &length));
    OK(clickstream_configuration_get_json(settings, buffer, sizeof buffer, &length));
    CHECK(strstr(buffer, "\"appId\":\"shop\"") && strstr(buffer, "\"globalAttributes\":{\"a\":1}"));
    STATUS(CLICKSTREAM_UNKNOWN_KEY, clickstream_configuration_set_json(settings, "{\"appId\":\"other\",\"appid\":\"a\"}"));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_json(settings, "{\"appId\":\"other\",\"endpoint\":1}"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_configuration_set_json(settings, "{\"analytics\":{}}"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_configuration_set_json(settings, "7"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_configuration_set_json(settings, "{"));
    OK(clickstream_configuration_get_string(settings, "appId", buffer, sizeof buffer, NULL));
    CHECK(strcmp(buffer, "shop") == 0);
    OK(clickstream_configuration_set_string(settings, "appId", "shop\n"));
    OK(clickstream_configuration_get_string(settings, "appId", buffer, sizeof buffer, NULL));
    CHECK(strcmp(buffer, "shop") == 0);
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_string(settings, "endpoint", "http://a\nb"));
    STATUS(CLICKSTREAM_UNKNOWN_KEY, clickstream_configuration_set_string(settings, "appID", "a"));
    STATUS(CLICKSTREAM_UNKNOWN_KEY, clickstream_configuration_get_int(settings, "none", &integer));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_string(settings, "isLogEvents", "true"));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_string(settings, "durability", "paper"));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_string(settings, "authCookie", "a\r\nb"));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_int(settings, "maxStoreBytes", 0));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_int(settings, "appId", 1));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_bool(settings, "appId", true));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_get_bool(settings, "appId", &truth));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_get_string(settings, "isLogEvents", buffer, 9, NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_configuration_get_int(settings, "maxStoreBytes", NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_configuration_get_bool(settings, NULL, &truth));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_configuration_set_file(settings, NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_configuration_set_file_n(settings, "a\0b", 3));
    STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_configuration_set_file(settings, "\xff"));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_configuration_set_attributes(settings, "globalAttributes", NULL));
    clickstream_attributes *list = clickstream_attributes_create();
    OK(clickstream_configuration_set_attributes(settings, "globalAttributes", list));
    STATUS(CLICKSTREAM_INVALID_VALUE, clickstream_configuration_set_attributes(settings, "appId", list));
    /* Handles of other kinds. */
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_configuration_release((clickstream_configuration *)list));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_clear((clickstream_attributes *)settings));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_observer_cancel((clickstream_observer *)list));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_record((clickstream_client *)list, "a", NULL, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_clear((clickstream_attributes *)buffer));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_clear((clickstream_attributes *)(uintptr_t)-1));
    OK(clickstream_attributes_release(list));
    OK(clickstream_configuration_release(settings));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_configuration_release(settings));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_configuration_set_int(settings, "maxStoreBytes", 1));
}

static void test_starts(const char *folder) {
    clickstream_client *client = NULL;
    char message[300] = "x", small[8];
    clickstream_configuration *settings = clickstream_configuration_create();
    OK(clickstream_configuration_set_string(settings, "storageDirectory", folder));
    STATUS(CLICKSTREAM_INVALID_CONFIGURATION, clickstream_open(settings, &client, message, sizeof message));
    CHECK(strstr(message, "appId") != NULL);
    STATUS(CLICKSTREAM_INVALID_CONFIGURATION, clickstream_open(settings, &client, small, sizeof small));
    CHECK(strlen(small) == 7);
    STATUS(CLICKSTREAM_INVALID_CONFIGURATION, clickstream_open(settings, &client, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_open(settings, &client, NULL, 8));
    STATUS(CLICKSTREAM_INVALID_CONFIGURATION, clickstream_start(NULL, message, sizeof message));
    OK(clickstream_configuration_set_string(settings, "appId", "wrong"));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_open(settings, NULL, message, sizeof message));
    CHECK(strcmp(message, "invalid argument") == 0);
    OK(clickstream_configuration_set_string(settings, "endpoint", "ftp://a"));
    STATUS(CLICKSTREAM_INVALID_CONFIGURATION, clickstream_open(settings, &client, message, sizeof message));
    OK(clickstream_configuration_set_string(settings, "endpoint", "http://127.0.0.1:9/"));
    OK(clickstream_configuration_set_file(settings, "/nonexistent/amplifyconfiguration.json"));
    STATUS(CLICKSTREAM_INVALID_CONFIGURATION, clickstream_open(settings, &client, message, sizeof message));
    CHECK(strstr(message, "/nonexistent/") != NULL);
    OK(clickstream_configuration_release(settings));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_open(settings, &client, message, sizeof message));
    CHECK(strcmp(message, "invalid handle") == 0);
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_start(settings, NULL, 0));
    CHECK(client == NULL);
    bool enabled;
    clickstream_report report;
    clickstream_client *process = clickstream_default_client();
    clickstream_configuration *current = NULL;
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_is_enabled(process, &enabled));
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_flush(process, 0, &report));
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_close(process, 0, &report));
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_client_configuration(process, &current));
}

static clickstream_value value_of_text(const char *name, const char *text, size_t length) {
    clickstream_value value = {name, strlen(name), CLICKSTREAM_VALUE_STRING, {{text, length}}};
    return value;
}

/* Keeps the last attributes of the event "values" in the context. */
static void keep_attributes(const clickstream_notice *notice, void *context) {
    if (notice->kind != CLICKSTREAM_NOTICE_RECORDED || strcmp(notice->name, "values") != 0) return;
    const char *own = strstr(notice->json, "\"text\":");
    snprintf(context, 200, "%s", own ? own : "");
}

static void test_values(clickstream_client *client) {
    clickstream_value values[5];
    char recorded[200] = "";
    clickstream_observer *observer = NULL;
    memset(values, 0, sizeof values);
    values[0] = value_of_text("text", "first", 5);
    for (int i = 1; i < 4; i++) values[i] = value_of_text(i == 1 ? "int" : i == 2 ? "double" : "bool", NULL, 0);
    values[1].kind = CLICKSTREAM_VALUE_INT;
    values[1].value.integer = INT64_MIN;
    values[2].kind = CLICKSTREAM_VALUE_DOUBLE;
    values[2].value.number = 2.5;
    values[3].kind = CLICKSTREAM_VALUE_BOOL;
    values[3].value.integer = 7;
    values[4] = value_of_text("text", "a\0b", 3);
    OK(clickstream_observe(client, keep_attributes, recorded, NULL, &observer));
    OK(clickstream_record_values(client, "values", 6, values, 5));
    CHECK(strstr(recorded, "\"text\":\"a\\u0000b\",\"int\":-9223372036854775808,\"double\":2.5,\"bool\":true}") == recorded);
    OK(clickstream_observer_cancel(observer));
    OK(clickstream_record_values(client, "values", 6, NULL, 0));
    OK(clickstream_record_values(client, "", 0, values, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, NULL, 0, values, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(NULL, "values", 6, values, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, "values", 6, NULL, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, "values", 6, values, (size_t)-1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, "values", 6, values, 100001));
    values[2].value.number = NAN;
    STATUS(CLICKSTREAM_NOT_FINITE, clickstream_record_values(client, "values", 6, values, 3));
    values[2].kind = (clickstream_value_kind)99;
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, "values", 6, values, 3));
    values[1].name = NULL;
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, "values", 6, values, 2));
    values[0].value.string.start = NULL;
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_values(client, "values", 6, values, 1));
    for (size_t i = 0; i < invalid_count; i++) {
        values[0] = value_of_text("text", invalid_texts[i], strlen(invalid_texts[i]));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_record_values(client, "values", 6, values, 1));
        values[0] = value_of_text(invalid_texts[i], "text", 4);
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_record_values(client, "values", 6, values, 1));
    }
}

static void test_records(const char *folder) {
    clickstream_client *client = opened(folder, "arguments");
    clickstream_attributes *list = clickstream_attributes_create(), *items[2] = {list, NULL};
    bool enabled = false;
    clickstream_report report;
    memset(&report, 0x55, sizeof report);
    OK(clickstream_attributes_set_int(list, "id", 1));
    OK(clickstream_record(client, "add", list, NULL, 0));
    OK(clickstream_record(client, "add", NULL, items, 1));
    OK(clickstream_record(client, "1 bad name", NULL, NULL, 0));
    OK(clickstream_record_n(client, "", 0, NULL, NULL, 0));
    OK(clickstream_record_n(client, "a\0b", 3, NULL, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record(client, NULL, list, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record(NULL, "add", list, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record(client, "add", list, NULL, 1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record(client, "add", list, items, 2));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record(client, "add", list, items, (size_t)-1));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_n(client, "add", (size_t)-1, NULL, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_record(client, "add", (clickstream_attributes *)client, NULL, 0));
    OK(clickstream_record_json(client, "add", "{\"a\":1}", "[{\"id\":1},{\"id\":\"b\"}]"));
    OK(clickstream_record_json(client, "add", NULL, NULL));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_record_json(client, "add", "[]", NULL));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_record_json(client, "add", NULL, "{}"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_record_json(client, "add", NULL, "[1]"));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_json(client, NULL, "{}", NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_json_n(client, "a", 1, NULL, 1, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_record_json_n(client, "a", 1, NULL, 0, NULL, 1));
    test_values(client);
    for (size_t i = 0; i < invalid_count; i++) {
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_record(client, invalid_texts[i], NULL, NULL, 0));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_record_json(client, invalid_texts[i], "{}", NULL));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_set_user_id(client, invalid_texts[i]));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_screen(client, invalid_texts[i], NULL, NULL));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_screen(client, "a", invalid_texts[i], NULL));
        STATUS(CLICKSTREAM_INVALID_UTF8, clickstream_delete_global_attribute(client, invalid_texts[i]));
    }
    OK(clickstream_add_global_attributes(client, list));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_add_global_attributes(client, NULL));
    OK(clickstream_delete_global_attribute(client, "id"));
    OK(clickstream_delete_global_attribute(client, "unknown"));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_delete_global_attribute(client, NULL));
    OK(clickstream_set_user_id(client, "carl"));
    OK(clickstream_set_user_id(client, NULL));
    OK(clickstream_set_user_id(client, ""));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_user_id_n(client, NULL, 3));
    OK(clickstream_add_user_attributes(client, list));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_add_user_attributes(client, NULL));
    OK(clickstream_screen(client, "Home", NULL, NULL));
    OK(clickstream_screen(client, "", NULL, NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_screen(client, NULL, NULL, NULL));
    OK(clickstream_foreground(client));
    OK(clickstream_disable(client));
    OK(clickstream_is_enabled(client, &enabled));
    CHECK(!enabled);
    OK(clickstream_record(client, "ignored", NULL, NULL, 0));
    OK(clickstream_flush(client, 1000, &report));
    CHECK(report.error == CLICKSTREAM_FLUSH_DISABLED && report.sent == 0);
    OK(clickstream_enable(client));
    OK(clickstream_is_enabled(client, &enabled));
    CHECK(enabled);
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_is_enabled(client, NULL));
    OK(clickstream_background(client));
    OK(clickstream_flush(client, 3000, &report));
    CHECK(report.sent == 0 && report.retained > 0 && report.error != CLICKSTREAM_FLUSH_COMPLETE && report.message[0]);
    CHECK(memchr(report.message, 0, sizeof report.message) != NULL);
    OK(clickstream_flush(client, 0, NULL));
    OK(clickstream_disable(client));
    OK(clickstream_flush(client, INT64_MAX, &report));
    CHECK(report.error == CLICKSTREAM_FLUSH_DISABLED);
    OK(clickstream_flush(client, INT64_MIN, &report));
    OK(clickstream_enable(client));
    OK(clickstream_flush_soon(client));
    clickstream_configuration *current = NULL;
    int64_t integer = 0;
    OK(clickstream_client_configuration(client, &current));
    OK(clickstream_configuration_get_int(current, "autoFlushEventsInterval", &integer));
    CHECK(integer == 0);
    OK(clickstream_configuration_set_int(current, "sessionTimeoutDuration", 77));
    OK(clickstream_client_configure(client, current));
    OK(clickstream_configuration_release(current));
    OK(clickstream_client_configuration(client, &current));
    OK(clickstream_configuration_get_int(current, "sessionTimeoutDuration", &integer));
    CHECK(integer == 77);
    OK(clickstream_configuration_release(current));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_client_configure(client, current));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_client_configure(client, NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_client_configuration(client, NULL));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_close(client, -1, NULL));
    OK(clickstream_close(client, 0, &report));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_close(client, 0, &report));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_record(client, "late", list, NULL, 0));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_flush(client, 0, &report));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_foreground(client));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_background(client));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_enable(client));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_disable(client));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_screen(client, "a", NULL, NULL));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_set_user_id(client, "a"));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_flush_soon(client));
    OK(clickstream_attributes_release(list));
    for (int status = -3; status < 40; status++) CHECK(clickstream_status_text((clickstream_status)status)[0] != 0);
    CHECK(strchr(clickstream_version(), '.') != NULL);
}

/* ---- Observers ------------------------------------------------------------------------------------------------- */

struct seen {
    clickstream_client *client;
    atomic_int recorded, rejected, released, nested, other;
    int code;
};

static void observe(const clickstream_notice *notice, void *context) {
    struct seen *seen = context;
    clickstream_report report;
    CHECK(notice->name && notice->json && notice->text);
    CHECK(strlen(notice->json) == notice->json_length);
    switch (notice->kind) {
    case CLICKSTREAM_NOTICE_RECORDED:
        atomic_fetch_add(&seen->recorded, 1);
        CHECK(notice->json[0] == '{');
        if (strcmp(notice->name, "outer") == 0 && atomic_fetch_add(&seen->nested, 1) == 0) {
            OK(clickstream_record(seen->client, "inner", NULL, NULL, 0));
            STATUS(CLICKSTREAM_IN_CALLBACK, clickstream_flush(seen->client, -1, &report));
            STATUS(CLICKSTREAM_IN_CALLBACK, clickstream_close(seen->client, 0, &report));
        }
        break;
    case CLICKSTREAM_NOTICE_REJECTED:
        atomic_fetch_add(&seen->rejected, 1);
        seen->code = notice->code;
        break;
    default:
        atomic_fetch_add(&seen->other, 1);
    }
}

static void released(void *context) { atomic_fetch_add(&((struct seen *)context)->released, 1); }

static void test_observers(const char *folder) {
    clickstream_client *client = opened(folder, "observers");
    struct seen seen = {.client = client};
    clickstream_observer *observer = NULL;
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_observe(client, NULL, &seen, released, &observer));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_observe(NULL, observe, &seen, released, &observer));
    OK(clickstream_observe(client, observe, &seen, released, &observer));
    OK(clickstream_record(client, "outer", NULL, NULL, 0));
    CHECK(atomic_load(&seen.recorded) == 2 && atomic_load(&seen.nested) == 1);
    OK(clickstream_record(client, "not a name", NULL, NULL, 0));
    CHECK(atomic_load(&seen.rejected) == 1 && seen.code == 1001);
    OK(clickstream_observer_cancel(observer));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_observer_cancel(observer));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_observer_cancel(NULL));
    int before = atomic_load(&seen.recorded);
    OK(clickstream_record(client, "outer", NULL, NULL, 0));
    CHECK(atomic_load(&seen.recorded) == before);
    CHECK(atomic_load(&seen.released) == 1);
    OK(clickstream_observe(client, observe, &seen, NULL, NULL));
    OK(clickstream_close(client, 0, NULL));
    /* Refused registrations release nothing: their context was not taken over. */
    CHECK(atomic_load(&seen.released) == 1);
}

/* ---- Threads --------------------------------------------------------------------------------------------------- */

enum { threads = 64, rounds = 60, shared_lists = 8 };

static struct {
    clickstream_client *client;
    _Atomic(clickstream_attributes *) lists[shared_lists];
    pthread_barrier_t barrier;
    atomic_int recorded, closed;
} arena;

static void count_recorded(const clickstream_notice *notice, void *context) {
    (void)context;
    if (notice->kind == CLICKSTREAM_NOTICE_RECORDED && strcmp(notice->name, "shared") == 0)
        atomic_fetch_add(&arena.recorded, 1);
}

static void *run(void *argument) {
    uint64_t random = (uintptr_t)argument * 0x9E3779B97F4A7C15u + 1;
    int recorded = 0;
    pthread_barrier_wait(&arena.barrier);
    for (int round = 0; round < rounds; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int index = (int)(random >> 33) % shared_lists;
        clickstream_attributes *list = atomic_load(&arena.lists[index]);
        clickstream_attributes *own = clickstream_attributes_create();
        CHECK(own != NULL);
        OK(clickstream_attributes_set_int(own, "round", round));
        clickstream_status status = clickstream_attributes_set_int(list, "round", round);
        CHECK(status == CLICKSTREAM_OK || status == CLICKSTREAM_INVALID_HANDLE);
        status = clickstream_record(arena.client, "shared", list, &own, round % 2);
        CHECK(status == CLICKSTREAM_OK || status == CLICKSTREAM_INVALID_HANDLE);
        recorded += status == CLICKSTREAM_OK;
        switch (random >> 60) {
        case 0: /* Replaces a list that other threads use. */
            if (atomic_compare_exchange_strong(&arena.lists[index], &list, own)) {
                OK(clickstream_attributes_release(list));
                own = NULL;
            }
            break;
        case 1: OK(clickstream_add_global_attributes(arena.client, own)); break;
        case 2: OK(clickstream_set_user_id(arena.client, "carl")); break;
        case 3: OK(clickstream_screen(arena.client, "Home", NULL, NULL)); break;
        case 4: OK(clickstream_foreground(arena.client)); break;
        case 5: {
            clickstream_observer *observer = NULL;
            OK(clickstream_observe(arena.client, count_recorded, NULL, NULL, &observer));
            OK(clickstream_observer_cancel(observer));
            break;
        }
        case 6: OK(clickstream_flush(arena.client, 1, NULL)); break;
        case 7: {
            clickstream_configuration *current = NULL;
            OK(clickstream_client_configuration(arena.client, &current));
            OK(clickstream_client_configure(arena.client, current));
            OK(clickstream_configuration_release(current));
            break;
        }
        default: break;
        }
        if (own) OK(clickstream_attributes_release(own));
    }
    /* One of the threads closes the client that all of them use. */
    pthread_barrier_wait(&arena.barrier);
    clickstream_status status = clickstream_close(arena.client, 0, NULL);
    CHECK(status == CLICKSTREAM_OK || status == CLICKSTREAM_INVALID_HANDLE);
    if (status == CLICKSTREAM_OK) atomic_fetch_add(&arena.closed, 1);
    return (void *)(intptr_t)recorded;
}

static void test_threads(const char *folder) {
    pthread_t ids[threads];
    arena.client = opened(folder, "threads");
    clickstream_observer *observer = NULL;
    OK(clickstream_observe(arena.client, count_recorded, NULL, NULL, &observer));
    for (int i = 0; i < shared_lists; i++) atomic_store(&arena.lists[i], clickstream_attributes_create());
    pthread_barrier_init(&arena.barrier, NULL, threads);
    for (intptr_t i = 0; i < threads; i++) CHECK(pthread_create(&ids[i], NULL, run, (void *)i) == 0);
    int recorded = 0;
    for (int i = 0; i < threads; i++) {
        void *result = NULL;
        pthread_join(ids[i], &result);
        recorded += (int)(intptr_t)result;
    }
    CHECK(atomic_load(&arena.closed) == 1);
    CHECK(recorded > threads * rounds / 2);
    OK(clickstream_observer_cancel(observer));
    for (int i = 0; i < shared_lists; i++) OK(clickstream_attributes_release(atomic_load(&arena.lists[i])));
    CHECK(atomic_load(&arena.recorded) >= recorded);
}

/* ---- Consent, erasure and middleware ------------------------------------------------------------------------------- */

struct middleware {
    clickstream_draft *last;
    atomic_int released;
};

static void middleware_released(void *context) { atomic_fetch_add(&((struct middleware *)context)->released, 1); }

static clickstream_decision rename_or_drop(clickstream_draft *draft, const char *json, size_t length, void *context) {
    CHECK(strlen(json) == length && strstr(json, "\"attributes\":{") != NULL);
    ((struct middleware *)context)->last = draft;
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_draft_set_json(draft, "[]"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_draft_set_json(draft, "{\"name\": 1}"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_draft_set_json(draft, "{\"name\": \"lost\", \"more\": 1}"));
    STATUS(CLICKSTREAM_INVALID_JSON, clickstream_draft_set_json(draft, "{\"items\": [1]}"));
    STATUS(CLICKSTREAM_NOT_FINITE, clickstream_draft_set_json(draft, "{\"attributes\": {\"a\": 1e999}}"));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_draft_set_json(draft, NULL));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_attributes_release((clickstream_attributes *)draft));
    if (strstr(json, "\"name\":\"dropped\"")) return CLICKSTREAM_DROP;
    OK(clickstream_draft_set_json(draft, "{\"name\": \"renamed\", \"attributes\": {\"b\": true}}"));
    return CLICKSTREAM_KEEP;
}

static void test_privacy(const char *folder) {
    clickstream_configuration *settings = configuration(folder, "privacy");
    clickstream_attributes *rates = clickstream_attributes_create();
    OK(clickstream_attributes_set_double(rates, "never", 0));
    OK(clickstream_configuration_set_attributes(settings, "sampling", rates));
    OK(clickstream_configuration_set_string(settings, "consent", "hold"));
    clickstream_client *client = NULL;
    OK(clickstream_open(settings, &client, NULL, 0));
    struct seen seen = {.client = client};
    OK(clickstream_observe(client, observe, &seen, NULL, NULL));
    clickstream_consent decision = 9;
    unsigned both = CLICKSTREAM_PURPOSE_ANALYTICS | CLICKSTREAM_PURPOSE_PERSONALIZATION;
    OK(clickstream_get_consent(client, CLICKSTREAM_PURPOSE_ANALYTICS, &decision));
    CHECK(decision == CLICKSTREAM_CONSENT_UNDECIDED);
    OK(clickstream_record(client, "held", NULL, NULL, 0));
    int before = atomic_load(&seen.recorded);
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_consent(client, CLICKSTREAM_CONSENT_GRANTED, 0));
    /* The first bit without a purpose. */
    unsigned unknown = 1;
    while (clickstream_get_consent(client, (clickstream_purpose)unknown, &decision) == CLICKSTREAM_OK) unknown <<= 1;
    CHECK(unknown > CLICKSTREAM_PURPOSE_PERSONALIZATION);
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_consent(client, CLICKSTREAM_CONSENT_GRANTED, unknown));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_consent(client, CLICKSTREAM_CONSENT_GRANTED, both | unknown));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_consent(client, CLICKSTREAM_CONSENT_GRANTED, 1u << 31));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_consent(client, (clickstream_consent)3, both));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_set_consent(NULL, CLICKSTREAM_CONSENT_GRANTED, both));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_get_consent(client, (clickstream_purpose)both, &decision));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_get_consent(client, CLICKSTREAM_PURPOSE_ANALYTICS, NULL));
    OK(clickstream_set_consent(client, CLICKSTREAM_CONSENT_GRANTED, both));
    OK(clickstream_get_consent(client, CLICKSTREAM_PURPOSE_PERSONALIZATION, &decision));
    CHECK(decision == CLICKSTREAM_CONSENT_GRANTED && atomic_load(&seen.recorded) > before);

    struct middleware used = {0};
    OK(clickstream_add_middleware(client, "first", rename_or_drop, &used, middleware_released));
    OK(clickstream_add_middleware(client, "first", rename_or_drop, &used, middleware_released));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_add_middleware(client, "second", NULL, &used, middleware_released));
    STATUS(CLICKSTREAM_INVALID_ARGUMENT, clickstream_add_middleware(client, NULL, rename_or_drop, &used, middleware_released));
    before = atomic_load(&seen.recorded);
    OK(clickstream_record(client, "dropped", NULL, NULL, 0));
    OK(clickstream_record(client, "never", NULL, NULL, 0));
    CHECK(atomic_load(&seen.recorded) == before + 1);
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_draft_set_json(used.last, "{}"));
    OK(clickstream_remove_middleware(client, "first"));
    STATUS(CLICKSTREAM_UNKNOWN_KEY, clickstream_remove_middleware(client, "first"));
    CHECK(atomic_load(&used.released) == 2);
    before = atomic_load(&seen.recorded);
    OK(clickstream_record(client, "never", NULL, NULL, 0));
    CHECK(atomic_load(&seen.recorded) == before);
    OK(clickstream_erase_all(client));
    OK(clickstream_get_consent(client, CLICKSTREAM_PURPOSE_ANALYTICS, &decision));
    CHECK(decision == CLICKSTREAM_CONSENT_UNDECIDED);
    OK(clickstream_close(client, 0, NULL));
    STATUS(CLICKSTREAM_INVALID_HANDLE, clickstream_erase_all(client));
    OK(clickstream_attributes_release(rates));
    OK(clickstream_configuration_release(settings));
}

/* ---- Default client and fork ----------------------------------------------------------------------------------- */

static void test_default_client(const char *folder) {
    clickstream_client *client = clickstream_default_client();
    clickstream_configuration *settings = configuration(folder, "default_client");
    struct seen seen = {.client = client};
    clickstream_observer *observer = NULL;
    clickstream_report report;
    CHECK(client == clickstream_default_client());
    OK(clickstream_record(client, "before_start", NULL, NULL, 0));
    OK(clickstream_observe(client, observe, &seen, released, &observer));
    OK(clickstream_start(settings, NULL, 0));
    STATUS(CLICKSTREAM_ALREADY_RUNNING, clickstream_start(settings, NULL, 0));
    OK(clickstream_reset_after_fork());
    CHECK(atomic_load(&seen.recorded) >= 2);
    char message[64] = "x";
    pid_t child = fork();
    if (child == 0) {
        bool enabled;
        bool refused = clickstream_record(client, "child", NULL, NULL, 0) == CLICKSTREAM_CHILD_PROCESS
            && clickstream_attributes_create() == NULL && clickstream_configuration_create() == NULL
            && clickstream_is_enabled(client, &enabled) == CLICKSTREAM_CHILD_PROCESS
            && clickstream_flush(client, -1, NULL) == CLICKSTREAM_CHILD_PROCESS
            && clickstream_start(settings, message, sizeof message) == CLICKSTREAM_CHILD_PROCESS
            && strcmp(message, clickstream_status_text(CLICKSTREAM_CHILD_PROCESS)) == 0
            && clickstream_close(client, 5, NULL) == CLICKSTREAM_CHILD_PROCESS;
        if (!refused) _exit(1);
        // After a reset the child has a default client and handles of its own; the parent's stay refused.
        clickstream_attributes *list = NULL;
        bool works = clickstream_reset_after_fork() == CLICKSTREAM_OK && clickstream_reset_after_fork() == CLICKSTREAM_OK
            && clickstream_observer_cancel(observer) == CLICKSTREAM_CHILD_PROCESS
            && clickstream_configuration_release(settings) == CLICKSTREAM_CHILD_PROCESS
            && clickstream_attributes_create_json("{\"a\": 1}", &list) == CLICKSTREAM_OK
            && clickstream_start(settings = configuration(folder, "default_client"), NULL, 0) == CLICKSTREAM_OK
            && clickstream_record(client, "child", list, NULL, 0) == CLICKSTREAM_OK
            && clickstream_flush(client, 100, NULL) == CLICKSTREAM_OK && clickstream_close(client, 0, NULL) == CLICKSTREAM_OK;
        _exit(works && atomic_load(&failed) == 0 ? 0 : 1);
    }
    int result = -1;
    waitpid(child, &result, 0);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    OK(clickstream_close(client, 500, &report));
    CHECK(report.sent == 0 && report.retained > 0);
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_close(client, 0, NULL));
    clickstream_value value = {.name = "a", .name_length = 1, .kind = CLICKSTREAM_VALUE_INT, .value.integer = 1};
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_record(client, "late", NULL, NULL, 0));
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_record_json(client, "late", "{}", NULL));
    STATUS(CLICKSTREAM_NOT_RUNNING, clickstream_record_values(client, "late", 4, &value, 1));
    OK(clickstream_start(settings, NULL, 0));
    OK(clickstream_record(client, "again", NULL, NULL, 0));
    OK(clickstream_close(client, 0, NULL));
    OK(clickstream_observer_cancel(observer));
    OK(clickstream_configuration_release(settings));
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    const char *folder = arguments[1];
    const char *part = count > 2 ? arguments[2] : "";
    unsetenv("CLICKSTREAM_APP_ID");
    if (chdir(folder) != 0) return 66;
    if (!*part || strcmp(part, "arguments") == 0) {
        test_attributes();
        test_attributes_of_json();
        test_configuration();
        test_starts(folder);
        test_records(folder);
        test_observers(folder);
        test_privacy(folder);
    }
    if (!*part || strcmp(part, "threads") == 0) test_threads(folder);
    if (!*part || strcmp(part, "default") == 0) test_default_client(folder);
    printf("%d passed, %d failed\n", atomic_load(&passed), atomic_load(&failed));
    return atomic_load(&failed) == 0 ? 0 : 1;
}
