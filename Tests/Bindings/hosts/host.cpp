// C++ program with handlers of exit and static objects on both sides of the client's: they record, too. Tests/Bindings/hosts/run
// runs it.
//
// usage: host STORE APP ENDPOINT record|observe|flush close|none, as host.c
#include <clickstream.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

constexpr int events = 20;
clickstream_client *client = nullptr;
std::atomic<int> seen{0};

void require(bool holds, const char *text) {
    if (holds) return;
    std::fprintf(stderr, "host: %s\n", text);
    std::_Exit(1);
}

// Records when it is destroyed, as a program's global objects do that log to the end.
struct Last {
    ~Last() {
        if (client) clickstream_record(client, "late", nullptr, nullptr, 0);
    }
} last;

}  // namespace

int main(int count, char **arguments) {
    require(count == 6, "five arguments are needed");
    const std::string what = arguments[4], end = arguments[5];
    std::atexit([] { clickstream_record(client, "late", nullptr, nullptr, 0); });
    clickstream_configuration *settings = clickstream_configuration_create();
    require(!clickstream_configuration_set_string(settings, "storageDirectory", arguments[1]), "storageDirectory");
    require(!clickstream_configuration_set_string(settings, "appId", arguments[2]), "appId");
    require(!clickstream_configuration_set_string(settings, "endpoint", arguments[3]), "endpoint");
    require(!clickstream_configuration_set_int(settings, "autoFlushEventsInterval", 0), "autoFlushEventsInterval");
    char message[1024] = "";
    if (clickstream_open(settings, &client, message, sizeof message)) std::fprintf(stderr, "%s\n", message);
    require(client != nullptr, "clickstream_open");
    clickstream_configuration_release(settings);
    std::atexit([] { clickstream_record(client, "late", nullptr, nullptr, 0); });
    static const auto context = std::string("tap");
    const auto note = [](const clickstream_notice *notice, void *name) {
        if (notice->kind == CLICKSTREAM_NOTICE_RECORDED && *static_cast<const std::string *>(name) == notice->name) seen++;
    };
    if (what == "observe") {
        require(!clickstream_observe(client, note, const_cast<std::string *>(&context), nullptr, nullptr), "observe");
    }
    for (int i = 0; i < events; i++) require(!clickstream_record(client, "tap", nullptr, nullptr, 0), "record");
    if (what == "observe") require(seen == events, "an observer misses notices");
    if (what == "flush") {
        clickstream_report report{};
        require(!clickstream_flush(client, 20000, &report), "flush");
        require(report.retained == 0, "events are not sent");
    }
    // A thread that records until the process is gone.
    std::thread([] {
        while (true) {
            clickstream_record(client, "late", nullptr, nullptr, 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }).detach();
    if (end == "close") require(!clickstream_close(client, 0, nullptr), "close");
    std::exit(0);
}
