// Preloaded part of capture from programs that cannot be changed. It defines functions of the C library only, and
// depends on no other library: GTK 4 binds its text domain, and that starts capture in the library beside this one.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CClickstreamGettext.h"

// No header or library of GTK is used: a program without GTK 4 loads neither, and executes nothing of this file but the
// first function.

/// Function that starts capture. Called once in a process, on its main thread.
static const char start_function[] = "clickstream_gtk_start";
/// Library with that function, in the folder of this one.
static const char capture_library[] = "libclickstream-gtk-capture.so";

static const char gtk_library[] = "libgtk-4.so.1";
static const char gtk_domain[] = "gtk40";

/// Texts are added to the table of translations from the start in a program that is linked with GTK 4, and otherwise
/// (plug-ins, interpreters) from the initialization of GTK 4.
__attribute__((constructor)) static void prepare(void) {
    void *library = dlopen(gtk_library, RTLD_NOLOAD | RTLD_LAZY);
    clickstream_gettext_record(library != NULL);
    if (library) dlclose(library);
}

/// Loads the library with the capture, which is in the same folder, and starts it. A failure is one line on standard
/// error.
static void start(void) {
    static atomic_flag started = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&started)) return;
    if (syscall(SYS_gettid) != getpid()) {
        fputs("clickstream: capture from GTK is not started: GTK was not initialized on the main thread\n", stderr);
        return;
    }
    Dl_info info;
    char path[PATH_MAX];
    if (!dladdr((void *)&start, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname + 1) : 0;
    int length = snprintf(path, sizeof path, "%.*s%s", folder, info.dli_fname, capture_library);
    if (length < 0 || (size_t)length >= sizeof path) return;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*run)(void) = library ? (void (*)(void))dlsym(library, start_function) : NULL;
    if (run) {
        run();
    } else {
        const char *reason = dlerror();
        fprintf(stderr, "clickstream: capture from GTK is not started: %s\n", reason ? reason : path);
    }
}

/// Emission hook of `GdkDisplayManager::display-opened`, the last step of the initialization of GTK.
/// @return false: the hook is removed.
static int display_opened(void *hint, unsigned int count, const void *values, void *data) {
    (void)hint, (void)count, (void)values, (void)data;
    start();
    return 0;
}

/// Installs the hook. GTK is initializing on this thread, so that its functions are available, but not its widgets.
static void await_display(void) {
    static atomic_flag awaited = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&awaited)) return;
    void *library = dlopen(gtk_library, RTLD_NOLOAD | RTLD_LAZY);
    if (!library) return;
    clickstream_gettext_record(1);
    // The handle's scope includes the libraries of GLib.
    size_t (*manager_type)(void) = (size_t (*)(void))dlsym(library, "gdk_display_manager_get_type");
    void *(*class_ref)(size_t) = (void *(*)(size_t))dlsym(library, "g_type_class_ref");
    unsigned int (*lookup)(const char *, size_t) =
        (unsigned int (*)(const char *, size_t))dlsym(library, "g_signal_lookup");
    unsigned long (*add_hook)(unsigned int, unsigned int, void *, void *, void *) =
        (unsigned long (*)(unsigned int, unsigned int, void *, void *, void *))dlsym(
            library, "g_signal_add_emission_hook");
    // The handle is not closed: it keeps GTK loaded, and GTK does not support being unloaded.
    if (!manager_type || !class_ref || !lookup || !add_hook || !class_ref(manager_type())) return;
    unsigned int signal = lookup("display-opened", manager_type());
    if (signal) add_hook(signal, 0, (void *)display_opened, NULL, NULL);
}

char *bindtextdomain(const char *domain, const char *folder);

/// `bindtextdomain` of the C library. GTK 4 calls it when it is initialized, however it was loaded, and before it opens
/// the display.
char *bindtextdomain(const char *domain, const char *folder) {
    static _Atomic(void *) next;
    void *function = atomic_load_explicit(&next, memory_order_relaxed);
    if (!function) {
        function = dlsym(RTLD_NEXT, "bindtextdomain");
        if (!function) {
            errno = ENOSYS;
            return NULL;
        }
        atomic_store_explicit(&next, function, memory_order_relaxed);
    }
    char *result = ((char *(*)(const char *, const char *))function)(domain, folder);
    if (domain && strcmp(domain, gtk_domain) == 0) {
        int error = errno;
        await_display();
        errno = error;
    }
    return result;
}
