#include <clickstream.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace {

// Owner of an attribute list.
class Attributes {
public:
    Attributes &set(std::string_view name, std::string_view value) {
        clickstream_attributes_set_string_n(list_.get(), name.data(), name.size(), value.data(), value.size());
        return *this;
    }
    Attributes &set(std::string_view name, double value) {
        clickstream_attributes_set_double_n(list_.get(), name.data(), name.size(), value);
        return *this;
    }
    clickstream_attributes *get() const { return list_.get(); }

private:
    struct Release {
        void operator()(clickstream_attributes *list) const { clickstream_attributes_release(list); }
    };
    std::unique_ptr<clickstream_attributes, Release> list_{clickstream_attributes_create()};
};

}  // namespace

int main() {
    clickstream_configuration *configuration = clickstream_configuration_create();
    clickstream_configuration_set_json(configuration, R"({"appId": "shopping", "endpoint": "http://127.0.0.1:9090/collect"})");

    clickstream_client *client = nullptr;
    std::string message(256, '\0');
    if (clickstream_open(configuration, &client, message.data(), message.size()) != CLICKSTREAM_OK) {
        std::fprintf(stderr, "not started: %s\n", message.c_str());
        return 1;
    }
    clickstream_configuration_release(configuration);

    clickstream_set_user_id(client, "carl");
    clickstream_record(client, "add_to_cart", Attributes().set("category", "shoes").set("value", 279.9).get(), nullptr, 0);
    Attributes book;
    book.set("id", "123").set("name", "Nature").set("price", 99.9);
    clickstream_attributes *items[] = {book.get()};
    clickstream_record(client, "view_item", nullptr, items, 1);

    clickstream_report report{};
    clickstream_close(client, 5000, &report);
    std::printf("sent %lld, retained %lld %s\n", static_cast<long long>(report.sent), static_cast<long long>(report.retained),
                report.message);
    return report.retained == 0 ? 0 : 1;
}
