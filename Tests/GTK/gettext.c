// Calls functions of gettext in several threads, with the table of texts linked, and prints what the table contains.

#include <libintl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CClickstreamGettext.h"

#undef gettext
#undef dgettext
#undef dcgettext
#undef ngettext
#undef dngettext
#undef dcngettext

static void print_key(const char *text) {
    char key[CLICKSTREAM_GETTEXT_LONGEST + 1];
    printf("%s: %s\n", text, clickstream_gettext_key(text, key, sizeof key) ? key : "none");
}

static const char *ids[] = { "togglebutton", "checkbutton", "_About Widget Factory" };

static void *translate(void *data) {
    unsigned seed = (unsigned)(size_t)data;
    for (int round = 0; round < 20000; round++) {
        const char *id = ids[rand_r(&seed) % 3];
        char *copy = strdup(id);
        if (strcmp(gettext(copy), id) == 0) abort();
        free(copy);
        char key[64];
        (void)clickstream_gettext_key("Umschaltknopf", key, sizeof key);
    }
    return NULL;
}

static double nanoseconds(int recording) {
    clickstream_gettext_record(recording);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int round = 0; round < 1000000; round++) (void)gettext("checkbutton");
    clock_gettime(CLOCK_MONOTONIC, &end);
    clickstream_gettext_record(1);
    return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / 1e6;
}

int main(int count, char **arguments) {
    if (!setlocale(LC_ALL, "")) return 1;
    bindtextdomain("messages", getenv("LOCALES"));
    bindtextdomain("gtk40", getenv("LOCALES"));
    if (count > 1 && strcmp(arguments[1], "threads") == 0) {
        // A child of fork inherits the lock of the C library that another thread holds to load a catalog: load it before.
        clickstream_gettext_record(0);
        for (size_t index = 0; index < sizeof ids / sizeof *ids; index++) (void)gettext(ids[index]);
        clickstream_gettext_record(1);
        pthread_t threads[4];
        for (size_t index = 0; index < 4; index++) pthread_create(&threads[index], NULL, translate, (void *)(index + 1));
        // Children use the table while other threads hold its lock.
        for (int child = 0; child < 20; child++) {
            pid_t process = fork();
            if (process == 0) _exit(strcmp(gettext("checkbutton"), "Ankreuzfeld") == 0 ? 0 : 1);
            int status = 1;
            waitpid(process, &status, 0);
            if (status != 0) return 2;
        }
        for (size_t index = 0; index < 4; index++) pthread_join(threads[index], NULL);
        printf("%zu texts\n", clickstream_gettext_count());
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "cost") == 0) {
        (void)gettext("checkbutton");
        double best[2] = { 1e9, 1e9 };
        for (int round = 0; round < 10; round++) {
            double value = nanoseconds(round % 2);
            if (value < best[round % 2]) best[round % 2] = value;
        }
        printf("%.1f %.1f\n", best[0], best[1]);
        return 0;
    }
    if (count > 1 && strcmp(arguments[1], "full") == 0) {
        char id[32], text[32];
        for (int number = 0; number < CLICKSTREAM_GETTEXT_TEXTS + 100; number++) {
            snprintf(id, sizeof id, "id %d", number);
            snprintf(text, sizeof text, "text %d", number);
            clickstream_gettext_add(id, text);
        }
        print_key("text 16383");
        print_key("text 16384");
        printf("%zu texts, %zu dropped\n", clickstream_gettext_count(), clickstream_gettext_dropped());
        return 0;
    }
    // Translated by each function; untranslated; with context; with mnemonic; with several ids.
    gettext("togglebutton");
    dcgettext("messages", "checkbutton", LC_MESSAGES);
    dgettext("messages", "_About Widget Factory");
    gettext("untranslated");
    dgettext("gtk40", "Action name\004Delete");
    dgettext("gtk40", "_Cancel");
    ngettext("%d product", "%d products", 1);
    ngettext("%d product", "%d products", 5);
    dngettext("messages", "no plural", "no plurals", 2);
    dcngettext("messages", "no plural", "no plurals", 1, LC_MESSAGES);
    const char *texts[] = {
        "Umschaltknopf", "Ankreuzfeld", "Info zu Widget Factory", "_Info zu Widget Factory", "untranslated", "Löschen",
        "Abbrechen", "%d Produkt", "%d Produkte", "no plurals", "",
    };
    for (size_t index = 0; index < sizeof texts / sizeof *texts; index++) print_key(texts[index]);
    clickstream_gettext_add("first", "gleich");
    clickstream_gettext_add("second", "gleich");
    print_key("gleich");
    clickstream_gettext_add("file_name", "datei_name");
    clickstream_gettext_add("a__b", "c__d");
    print_key("datei_name");
    print_key("dateiname");
    print_key("c__d");
    char small[4];
    printf("%zu %s\n", clickstream_gettext_key("Umschaltknopf", small, sizeof small), small);
    return 0;
}
