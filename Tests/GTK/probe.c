// Library for LD_PRELOAD that makes a program with GTK 4 observable for the harness: it writes the tree of widgets with
// their places on the screen, and changes widgets as the program itself would.
//
// A file named by GTK_PROBE receives the result of each command, which is one line in the FIFO `$GTK_PROBE.in`:
//   tree                      all mapped widgets as JSON lines: depth, class, name, text, place on the screen
//   call NAME FUNCTION VALUE  gtk_range_set_value, gtk_switch_set_active, … on the first widget with that name or text
//   windows COUNT             opens and destroys windows with a button
//   memory                    resident set in kilobytes
//   living                    widgets of the windows of `windows` that are not released
//   keep                      marks the open windows
//   close                     destroys all windows that are not marked
//   input                     presses and releases of a button or a finger that the program has handled
//   pause                     stops the program after the answer, until the next command: not within a frame
//   quit                      closes all windows

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gdk/broadway/gdkbroadway.h>
#include <gdk/x11/gdkx.h>
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static FILE *output;

static void write_text(const char *text) {
    fputc('"', output);
    for (const unsigned char *next = (const unsigned char *)(text ? text : ""); *next; next++) {
        if (*next == '"' || *next == '\\') fprintf(output, "\\%c", *next);
        else if (*next < 32) fprintf(output, "\\u%04x", *next);
        else fputc(*next, output);
    }
    fputc('"', output);
}

static const char *text_of(GtkWidget *widget) {
    if (GTK_IS_LABEL(widget)) return gtk_label_get_text(GTK_LABEL(widget));
    if (GTK_IS_INSCRIPTION(widget)) return gtk_inscription_get_text(GTK_INSCRIPTION(widget));
    if (GTK_IS_BUTTON(widget)) return gtk_button_get_label(GTK_BUTTON(widget));
    if (GTK_IS_CHECK_BUTTON(widget)) return gtk_check_button_get_label(GTK_CHECK_BUTTON(widget));
    if (GTK_IS_WINDOW(widget)) return gtk_window_get_title(GTK_WINDOW(widget));
    if (GTK_IS_EDITABLE(widget)) return gtk_editable_get_text(GTK_EDITABLE(widget));
    return NULL;
}

static double value_of(GtkWidget *widget) {
    if (GTK_IS_RANGE(widget)) return gtk_range_get_value(GTK_RANGE(widget));
    if (GTK_IS_SPIN_BUTTON(widget)) return gtk_spin_button_get_value(GTK_SPIN_BUTTON(widget));
    if (GTK_IS_SWITCH(widget)) return gtk_switch_get_active(GTK_SWITCH(widget));
    if (GTK_IS_TOGGLE_BUTTON(widget)) return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(widget));
    if (GTK_IS_CHECK_BUTTON(widget)) return gtk_check_button_get_active(GTK_CHECK_BUTTON(widget));
    if (GTK_IS_DROP_DOWN(widget)) return gtk_drop_down_get_selected(GTK_DROP_DOWN(widget));
    return 0;
}

/// Position of a surface on the screen; (0, 0) for broadway, where the harness reads it from the page.
static void origin_of(GdkSurface *surface, int *x, int *y) {
    *x = *y = 0;
    if (GDK_IS_X11_SURFACE(surface)) {
        Display *display = gdk_x11_display_get_xdisplay(gdk_surface_get_display(surface));
        Window child;
        int scale = gdk_surface_get_scale_factor(surface);
        XTranslateCoordinates(
            display, gdk_x11_surface_get_xid(surface), DefaultRootWindow(display), 0, 0, x, y, &child);
        *x /= scale;
        *y /= scale;
    }
}

static void write_widget(GtkWidget *widget, int depth) {
    if (!gtk_widget_get_mapped(widget)) return;
    GtkNative *native = gtk_widget_get_native(widget);
    GdkSurface *surface = native ? gtk_native_get_surface(native) : NULL;
    graphene_rect_t bounds;
    if (surface && gtk_widget_compute_bounds(widget, GTK_WIDGET(native), &bounds)) {
        int x, y;
        double dx, dy;
        origin_of(surface, &x, &y);
        gtk_native_get_surface_transform(native, &dx, &dy);
        fprintf(output, "{\"depth\": %d, \"class\": \"%s\", \"name\": ", depth, G_OBJECT_TYPE_NAME(widget));
        write_text(gtk_widget_get_name(widget));
        fputs(", \"id\": ", output);
        write_text(GTK_IS_BUILDABLE(widget) ? gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget)) : NULL);
        fputs(", \"text\": ", output);
        write_text(text_of(widget));
        fprintf(output, ", \"value\": %g, \"sensitive\": %s, \"native\": \"%s\", \"x\": %g, \"y\": %g, \"width\": %g, "
                        "\"height\": %g}\n",
                value_of(widget), gtk_widget_is_sensitive(widget) ? "true" : "false", G_OBJECT_TYPE_NAME(native),
                x + dx + bounds.origin.x, y + dy + bounds.origin.y, bounds.size.width, bounds.size.height);
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        write_widget(child, depth + 1);
    }
}

static GtkWidget *find(GtkWidget *widget, const char *name) {
    if (g_str_equal(gtk_widget_get_name(widget), name)) return widget;
    const char *id = GTK_IS_BUILDABLE(widget) ? gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget)) : NULL;
    if (id && g_str_equal(id, name)) return widget;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = find(child, name);
        if (found) return found;
    }
    return NULL;
}

static void each_window(void (*body)(GtkWidget *, void *), void *data) {
    GListModel *windows = gtk_window_get_toplevels();
    // From the last one on: a body may remove its window.
    for (guint index = g_list_model_get_n_items(windows); index-- > 0;) {
        GtkWidget *window = g_list_model_get_item(windows, index);
        body(window, data);
        g_object_unref(window);
    }
}

static void write_window(GtkWidget *window, void *data) { (void)data, write_widget(window, 0); }

struct search { const char *name; GtkWidget *found; };

static void search_window(GtkWidget *window, void *data) {
    struct search *search = data;
    if (!search->found) search->found = find(window, search->name);
}

/// Changes a widget as the program would.
/// @return false if there is no such widget or function.
static gboolean call(const char *name, const char *function, double value) {
    struct search search = { name, NULL };
    each_window(search_window, &search);
    GtkWidget *widget = search.found;
    if (!widget) return FALSE;
    if (g_str_equal(function, "set_value")) {
        if (GTK_IS_SPIN_BUTTON(widget)) gtk_spin_button_set_value(GTK_SPIN_BUTTON(widget), value);
        else if (GTK_IS_RANGE(widget)) gtk_range_set_value(GTK_RANGE(widget), value);
        else return FALSE;
    } else if (g_str_equal(function, "set_active")) {
        if (GTK_IS_SWITCH(widget)) gtk_switch_set_active(GTK_SWITCH(widget), value != 0);
        else if (GTK_IS_CHECK_BUTTON(widget)) gtk_check_button_set_active(GTK_CHECK_BUTTON(widget), value != 0);
        else if (GTK_IS_TOGGLE_BUTTON(widget)) gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(widget), value != 0);
        else return FALSE;
    } else if (g_str_equal(function, "set_selected")) {
        if (!GTK_IS_DROP_DOWN(widget)) return FALSE;
        gtk_drop_down_set_selected(GTK_DROP_DOWN(widget), (guint)value);
    } else if (g_str_equal(function, "clicked")) {
        g_signal_emit_by_name(widget, "clicked");
    } else if (g_str_equal(function, "set_text")) {
        if (!GTK_IS_EDITABLE(widget)) return FALSE;
        gtk_editable_set_text(GTK_EDITABLE(widget), "by the program");
    } else if (g_str_equal(function, "scroll")) {
        if (!GTK_IS_SCROLLED_WINDOW(widget)) return FALSE;
        gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(widget)), value);
    } else {
        return FALSE;
    }
    return TRUE;
}

// MARK: - Windows

static int remaining;
/// Widgets of these windows that are not released yet.
static int living;

static void released(gpointer data, GObject *widget) { (void)data, (void)widget, living--; }

static void count_until_release(GtkWidget *widget) {
    living++;
    g_object_weak_ref(G_OBJECT(widget), released, NULL);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child; child = gtk_widget_get_next_sibling(child)) {
        count_until_release(child);
    }
}

static gboolean next_window(gpointer data) {
    GtkWidget **window = data;
    if (*window) {
        gtk_window_destroy(GTK_WINDOW(*window));
        *window = NULL;
        return G_SOURCE_CONTINUE;
    }
    if (remaining-- == 0) {
        fputs("end\n", output);
        fflush(output);
        return G_SOURCE_REMOVE;
    }
    *window = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(*window), "Probe");
    GtkWidget *scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), gtk_button_new_with_label("Button"));
    gtk_window_set_child(GTK_WINDOW(*window), scroller);
    gtk_window_present(GTK_WINDOW(*window));
    count_until_release(*window);
    return G_SOURCE_CONTINUE;
}

static void close_window(GtkWidget *window, void *data) { (void)data, gtk_window_close(GTK_WINDOW(window)); }

static void keep(GtkWidget *window, void *data) {
    (void)data;
    g_object_set_data(G_OBJECT(window), "probe-kept", window);
}

static void destroy_other(GtkWidget *window, void *data) {
    (void)data;
    if (!g_object_get_data(G_OBJECT(window), "probe-kept")) gtk_window_destroy(GTK_WINDOW(window));
}

static void write_memory(void) {
    long pages = 0, resident = 0;
    malloc_trim(0);
    FILE *status = fopen("/proc/self/statm", "r");
    if (status && fscanf(status, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (status) fclose(status);
    fprintf(output, "%ld\n", resident * (sysconf(_SC_PAGESIZE) / 1024));
}

// MARK: - Input

static int presses, releases;

static gboolean count_input(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
    (void)hint, (void)count, (void)data;
    GdkEventType type = gdk_event_get_event_type(g_value_peek_pointer(&values[1]));
    presses += type == GDK_BUTTON_PRESS || type == GDK_TOUCH_BEGIN;
    releases += type == GDK_BUTTON_RELEASE || type == GDK_TOUCH_END;
    return TRUE;
}

static void count_inputs(void) {
    // Signals exist once the class does.
    g_type_class_ref(GDK_TYPE_SURFACE);
    g_signal_add_emission_hook(g_signal_lookup("event", GDK_TYPE_SURFACE), 0, count_input, NULL, NULL);
}

/// Blocks the main loop until the next command, or for ten seconds. Commands are read between two frames: events that
/// arrive in the meantime are handled before the next frame.
static void await_command(int descriptor) {
    struct pollfd input = { descriptor, POLLIN, 0 };
    while (poll(&input, 1, 10000) < 0 && errno == EINTR) {}
}

// MARK: - Commands

static void perform(const char *line, int descriptor) {
    char name[128], function[64];
    double value = 0;
    int count = 0;
    static GtkWidget *window;
    if (g_str_equal(line, "tree")) {
        each_window(write_window, NULL);
    } else if (sscanf(line, "call %127s %63s %lf", name, function, &value) == 3) {
        fputs(call(name, function, value) ? "done\n" : "failed\n", output);
    } else if (sscanf(line, "windows %d", &count) == 1) {
        remaining = count;
        g_idle_add_full(G_PRIORITY_LOW, next_window, &window, NULL);
        return;
    } else if (g_str_equal(line, "memory")) {
        write_memory();
    } else if (g_str_equal(line, "living")) {
        fprintf(output, "%d\n", living);
    } else if (g_str_equal(line, "keep")) {
        each_window(keep, NULL);
    } else if (g_str_equal(line, "close")) {
        each_window(destroy_other, NULL);
    } else if (g_str_equal(line, "input")) {
        fprintf(output, "%d %d\n", presses, releases);
    } else if (g_str_equal(line, "pause")) {
        fputs("end\n", output);
        fflush(output);
        await_command(descriptor);
        return;
    } else if (g_str_equal(line, "quit")) {
        each_window(close_window, NULL);
    } else {
        fprintf(output, "unknown command: %s\n", line);
    }
    fputs("end\n", output);
    fflush(output);
}

static locale_t numbers;

static gboolean read_commands(gint descriptor, GIOCondition condition, gpointer data) {
    (void)condition, (void)data;
    static char buffer[4096];
    static size_t length;
    ssize_t count = read(descriptor, buffer + length, sizeof buffer - 1 - length);
    if (count <= 0) return G_SOURCE_CONTINUE;
    length += (size_t)count;
    buffer[length] = '\0';
    char *end;
    while ((end = strchr(buffer, '\n'))) {
        *end = '\0';
        // Numbers with a decimal point in every language.
        locale_t earlier = uselocale(numbers);
        perform(buffer, descriptor);
        uselocale(earlier);
        length -= (size_t)(end + 1 - buffer);
        memmove(buffer, end + 1, length + 1);
    }
    return G_SOURCE_CONTINUE;
}

static void attach(void) {
    const char *path = getenv("GTK_PROBE");
    if (!path || output) return;
    char *input = g_strconcat(path, ".in", NULL);
    mkfifo(input, 0600);
    // Open for reading and writing, so that the end of one writer is not the end of the input.
    int descriptor = open(input, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    g_free(input);
    output = fopen(path, "ae");
    if (descriptor < 0 || !output) return;
    count_inputs();
    numbers = newlocale(LC_NUMERIC_MASK, "C", duplocale(uselocale((locale_t)0)));
    g_unix_fd_add(descriptor, G_IO_IN, read_commands, NULL);
}

/// `bindtextdomain`, which GTK calls when it is initialized. GTK_PROBE_LOCALES replaces the folder of its translations,
/// and that of the default domain.
char *bindtextdomain(const char *domain, const char *folder) {
    char *(*next)(const char *, const char *) = (char *(*)(const char *, const char *))dlsym(RTLD_NEXT, "bindtextdomain");
    if (!domain || strcmp(domain, "gtk40") != 0) return next(domain, folder);
    attach();
    const char *replacement = getenv("GTK_PROBE_LOCALES");
    if (replacement) next("messages", replacement);
    return next(domain, replacement ? replacement : folder);
}
