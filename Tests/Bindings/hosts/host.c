/* Program that loads libclickstream with dlopen, records EVENTS events named `tap`, and ends. Tests/Bindings/hosts/run runs it.
 *
 * usage: host LIBRARY [AS FOLDER] STORE APP ENDPOINT record|observe|flush close|none|late
 *     AS         what the program does to itself before it opens the client, with FOLDER, the folder that contains it:
 *                removed     removes its file and FOLDER
 *                unprivileged    becomes the user 65534, who may not search FOLDER
 *                chroot      makes FOLDER, which has no /proc, its root directory; STORE is relative to it
 *                forked      becomes a daemon: a grandchild in a session of its own
 *                child       opens a client, records half of the events, forks, and resets the library in the child
 *                closed      closes all descriptors
 *                reopened    opens a client, records half of the events, closes all descriptors, and opens
 *                            a file several times
 *                threadless  becomes the user 65534, who may create no thread
 *     record     records the events
 *     observe    and counts the notices of an observer
 *     flush      and sends them
 *     close      closes client and library before the end; `none` closes the library alone
 *     late       closes the client, records as many events again, does the same with the default client of the app APP-default, and
 *                ends with _exit
 */
#include <clickstream.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { events = 20 };

static void *library;
static atomic_int seen;

/* Declares a pointer to a function of the library with the name and the type of its declaration. */
#define FUNCTION(name) static __typeof__(&name) call_##name
#define FIND(name) (*(void **)&call_##name = symbol(#name))

FUNCTION(clickstream_configuration_create);
FUNCTION(clickstream_configuration_set_string);
FUNCTION(clickstream_configuration_set_int);
FUNCTION(clickstream_open);
FUNCTION(clickstream_record);
FUNCTION(clickstream_observe);
FUNCTION(clickstream_flush);
FUNCTION(clickstream_close);
FUNCTION(clickstream_default_client);
FUNCTION(clickstream_start);
FUNCTION(clickstream_reset_after_fork);

static void require(int holds, const char *text) {
    if (holds) return;
    fprintf(stderr, "host: %s\n", text);
    exit(1);
}

static void *symbol(const char *name) {
    void *found = dlsym(library, name);
    require(found != NULL, name);
    return found;
}

static clickstream_configuration *configuration(char **arguments) {
    clickstream_configuration *settings = call_clickstream_configuration_create();
    require(!call_clickstream_configuration_set_string(settings, "storageDirectory", arguments[2]), "storageDirectory");
    require(!call_clickstream_configuration_set_string(settings, "appId", arguments[3]), "appId");
    require(!call_clickstream_configuration_set_string(settings, "endpoint", arguments[4]), "endpoint");
    require(!call_clickstream_configuration_set_int(settings, "autoFlushEventsInterval", 0), "autoFlushEventsInterval");
    return settings;
}

static clickstream_client *opened(clickstream_configuration *settings) {
    clickstream_client *client = NULL;
    char message[1024];
    if (call_clickstream_open(settings, &client, message, sizeof message)) fprintf(stderr, "%s\n", message);
    require(client != NULL, "clickstream_open");
    return client;
}

static void record(clickstream_client *client, int count) {
    for (int i = 0; i < count; i++) require(!call_clickstream_record(client, "tap", NULL, NULL, 0), "record");
}

static void count(const clickstream_notice *notice, void *context) {
    (void)context;
    if (notice->kind == CLICKSTREAM_NOTICE_RECORDED && strcmp(notice->name, "tap") == 0) atomic_fetch_add(&seen, 1);
}

/* Waits for a child and ends with its status. */
static void end_as(pid_t child) {
    int status;
    require(child > 0 && waitpid(child, &status, 0) == child, "fork");
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void close_all(void) {
    for (int descriptor = 0; descriptor < 1024; descriptor++) close(descriptor);
}

/* What a daemon does at its start. */
static void become(const char *what, const char *program, const char *folder) {
    if (strcmp(what, "removed") == 0) {
        require(unlink(program) == 0 && rmdir(folder) == 0, "unlink");
    } else if (strcmp(what, "unprivileged") == 0) {
        require(chmod(folder, 0700) == 0 && chdir("/") == 0 && setgid(65534) == 0 && setuid(65534) == 0, "setuid");
        require(access(program, F_OK) != 0, "the program's folder can be searched");
    } else if (strcmp(what, "threadless") == 0) {
        const struct rlimit none = {0, 0};
        require(setrlimit(RLIMIT_NPROC, &none) == 0 && setgid(65534) == 0 && setuid(65534) == 0, "setrlimit");
    } else if (strcmp(what, "chroot") == 0) {
        require(chroot(folder) == 0 && chdir("/") == 0, "chroot");
        require(access("/proc", F_OK) != 0, "the new root has a /proc");
    } else if (strcmp(what, "forked") == 0) {
        pid_t child = fork();
        if (child) end_as(child);
        require(setsid() > 0, "setsid");
        child = fork();
        if (child) end_as(child);
    } else {
        require(strcmp(what, "closed") == 0, "unknown daemon");
        close_all();
    }
}

int main(int count_of_arguments, char **arguments) {
    require(count_of_arguments == 7 || count_of_arguments == 9, "six or eight arguments are needed");
    library = dlopen(arguments[1], RTLD_NOW);
    if (!library) fprintf(stderr, "%s\n", dlerror());
    require(library != NULL, "dlopen");
    FIND(clickstream_configuration_create);
    FIND(clickstream_configuration_set_string);
    FIND(clickstream_configuration_set_int);
    FIND(clickstream_open);
    FIND(clickstream_record);
    FIND(clickstream_observe);
    FIND(clickstream_flush);
    FIND(clickstream_close);
    FIND(clickstream_default_client);
    FIND(clickstream_start);
    FIND(clickstream_reset_after_fork);

    int is_threadless = 0, left = events;
    clickstream_client *client = NULL;
    char own[4096] = "";
    if (count_of_arguments == 9) {
        const char *kind = arguments[2];
        is_threadless = strcmp(kind, "threadless") == 0;
        if (strcmp(kind, "child") == 0) {
            record(opened(configuration(arguments + 2)), events / 2);
            left -= events / 2;
            pid_t child = fork();
            if (child) end_as(child);
            require(!call_clickstream_reset_after_fork(), "clickstream_reset_after_fork");
        } else if (strcmp(kind, "reopened") == 0) {
            client = opened(configuration(arguments + 2));
            record(client, events / 2);
            left -= events / 2;
            close_all();
            snprintf(own, sizeof own, "%s/own", arguments[3]);
            for (int i = 0; i < 8; i++) require(open(i < 3 ? "/dev/null" : own, O_RDWR | O_CREAT, 0600) == i, "open");
        } else {
            become(kind, arguments[0], arguments[3]);
        }
        arguments += 2;
    }
    const char *what = arguments[5], *end = arguments[6];
    clickstream_configuration *settings = configuration(arguments);
    if (!client) client = opened(settings);
    if (strcmp(what, "observe") == 0) require(!call_clickstream_observe(client, count, NULL, NULL, NULL), "observe");
    record(client, left);
    if (strcmp(what, "observe") == 0) require(atomic_load(&seen) == left, "an observer misses notices");
    if (strcmp(what, "flush") == 0) {
        clickstream_report report = {0};
        clickstream_status status = call_clickstream_flush(client, 20000, &report);
        require(status == (is_threadless ? CLICKSTREAM_NO_THREAD : CLICKSTREAM_OK), "flush");
        if (report.retained) fprintf(stderr, "%s\n", report.message);
        require(report.retained == 0, "events are not sent");
    }
    if (strcmp(end, "late") == 0) {
        char app[256], message[1024];
        snprintf(app, sizeof app, "%s-default", arguments[3]);
        require(!call_clickstream_configuration_set_string(settings, "appId", app), "appId");
        clickstream_client *process = call_clickstream_default_client();
        require(!call_clickstream_start(settings, message, sizeof message), "start");
        require(!call_clickstream_close(client, 0, NULL) && !call_clickstream_close(process, 0, NULL), "close");
        for (int i = 0; i < events; i++) {
            require(call_clickstream_record(client, "tap", NULL, NULL, 0) == CLICKSTREAM_INVALID_HANDLE, "late, further");
            require(call_clickstream_record(process, "tap", NULL, NULL, 0) == CLICKSTREAM_NOT_RUNNING, "late, default");
        }
        _exit(0);
    }
    if (strcmp(end, "close") == 0) require(!call_clickstream_close(client, 0, NULL), "close");
    struct stat status;
    if (*own) require(stat(own, &status) == 0 && status.st_size == 0, "a file of the program was written to");
    require(!dlclose(library), "dlclose");
    return 0;
}
