/* Loop of calls for Tests/Bindings/cost: cost prepared|built|values|json COUNT. */
#include <clickstream.h>
#include <stdlib.h>
#include <string.h>

static void set(clickstream_attributes *list) {
    clickstream_attributes_set_string(list, "category", "shoes");
    clickstream_attributes_set_string(list, "currency", "CNY");
    clickstream_attributes_set_string(list, "event_category", "recommended");
    clickstream_attributes_set_double(list, "price", 279.9);
    clickstream_attributes_set_int(list, "count", 3);
    clickstream_attributes_set_bool(list, "is_member", true);
    clickstream_attributes_set_string(list, "product_name", "trail runner");
    clickstream_attributes_set_int(list, "position", 4);
}

#define NAMED(name) name, sizeof name - 1
#define TEXT(name, text) {NAMED(name), CLICKSTREAM_VALUE_STRING, {.string = {NAMED(text)}}}
#define INT(name, kind, number) {NAMED(name), kind, {.integer = number}}

static void record_values(clickstream_client *client) {
    clickstream_value values[] = {
        TEXT("category", "shoes"), TEXT("currency", "CNY"), TEXT("event_category", "recommended"),
        {NAMED("price"), CLICKSTREAM_VALUE_DOUBLE, {.number = 279.9}}, INT("count", CLICKSTREAM_VALUE_INT, 3),
        INT("is_member", CLICKSTREAM_VALUE_BOOL, 1), TEXT("product_name", "trail runner"), INT("position", CLICKSTREAM_VALUE_INT, 4),
    };
    clickstream_record_values(client, NAMED("add_to_cart"), values, sizeof values / sizeof *values);
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    static const char json[] = "{\"category\":\"shoes\",\"currency\":\"CNY\",\"event_category\":\"recommended\",\"price\":279.9,"
                               "\"count\":3,\"is_member\":true,\"product_name\":\"trail runner\",\"position\":4}";
    clickstream_client *client = clickstream_default_client();
    if (clickstream_start(NULL, NULL, 0) != CLICKSTREAM_OK) return 70;
    clickstream_attributes *list = clickstream_attributes_create();
    set(list);
    for (int i = atoi(arguments[2]); i > 0; i--) {
        if (strcmp(arguments[1], "prepared") == 0) {
            clickstream_record(client, "add_to_cart", list, NULL, 0);
        } else if (strcmp(arguments[1], "built") == 0) {
            clickstream_attributes_clear(list);
            set(list);
            clickstream_record(client, "add_to_cart", list, NULL, 0);
        } else if (strcmp(arguments[1], "values") == 0) {
            record_values(client);
        } else {
            clickstream_record_json(client, "add_to_cart", json, NULL);
        }
    }
    return clickstream_close(client, 0, NULL) == CLICKSTREAM_OK ? 0 : 1;
}
