#include <clickstream.h>
#include <stdio.h>

int main(void) {
    clickstream_client *client = clickstream_default_client();
    clickstream_configuration *configuration = clickstream_configuration_create();
    clickstream_configuration_set_string(configuration, "appId", "shopping");
    clickstream_configuration_set_string(configuration, "endpoint", "http://127.0.0.1:9090/collect");

    char message[256];
    if (clickstream_start(configuration, message, sizeof message) != CLICKSTREAM_OK) {
        fprintf(stderr, "not started: %s\n", message);
        return 1;
    }
    clickstream_configuration_release(configuration);

    clickstream_set_user_id(client, "carl");
    clickstream_attributes *attributes = clickstream_attributes_create();
    clickstream_attributes_set_string(attributes, "category", "shoes");
    clickstream_attributes_set_double(attributes, "value", 279.9);
    clickstream_record(client, "add_to_cart", attributes, NULL, 0);
    clickstream_attributes_release(attributes);

    clickstream_record_json(client, "view_item", NULL, "[{\"id\": \"123\", \"name\": \"Nature\", \"price\": 99.9}]");

    clickstream_report report;
    clickstream_flush(client, 5000, &report);
    printf("sent %lld, retained %lld %s\n", (long long)report.sent, (long long)report.retained, report.message);
    clickstream_close(client, 0, NULL);
    return report.retained == 0 ? 0 : 1;
}
