/* Program whose machine sleeps: two screens, and a suspension of the machine in between.
 *
 * Usage: sleep FOLDER SECONDS; FOLDER is the folder for stores. The program's own clock_gettime replaces that of the C
 * library: the machine is awake for two seconds, sleeps for SECONDS, and is awake for another second. Nothing waits.
 */
#include <clickstream.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Seconds by which all clocks, and the clocks that include sleep, are ahead of the system's. */
static atomic_long awake, asleep;

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME)) time->tv_sec += awake + asleep;
    if (result == 0 && clock == CLOCK_MONOTONIC) time->tv_sec += awake;
    return result;
}

static void check(clickstream_status status, const char *call) {
    if (status == CLICKSTREAM_OK) return;
    fprintf(stderr, "%s: %s\n", call, clickstream_status_text(status));
    exit(1);
}
#define OK(call) check((call), #call)

int main(int count, char **arguments) {
    if (count != 3) return 64;
    clickstream_configuration *settings = clickstream_configuration_create();
    OK(clickstream_configuration_set_string(settings, "appId", "shop"));
    OK(clickstream_configuration_set_string(settings, "storageDirectory", arguments[1]));
    OK(clickstream_configuration_set_string(settings, "endpoint", "http://127.0.0.1:9/collect"));
    OK(clickstream_configuration_set_int(settings, "autoFlushEventsInterval", 0));
    clickstream_client *client = NULL;
    char message[256];
    OK(clickstream_open(settings, &client, message, sizeof message));
    OK(clickstream_configuration_release(settings));

    OK(clickstream_foreground(client));
    OK(clickstream_screen(client, "A", NULL, NULL));
    awake += 2;
    OK(clickstream_record(client, "tap", NULL, NULL, 0));
    asleep += atol(arguments[2]);
    awake += 1;
    OK(clickstream_screen(client, "B", NULL, NULL));
    OK(clickstream_close(client, 0, NULL));
    return 0;
}
