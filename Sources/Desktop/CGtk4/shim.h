#ifndef CLICKSTREAM_GTK4_SHIM_H
#define CLICKSTREAM_GTK4_SHIM_H

#include <gtk/gtk.h>

/* Functions for macros and variadic functions that Swift does not import. Objects are untyped pointers. */

/* The type of an instance. */
static inline GType clickstream_type(gconstpointer object) {
    return G_TYPE_FROM_INSTANCE(object);
}

/* True if the object is an instance of the type or of a subtype. */
static inline gboolean clickstream_is_a(gpointer object, GType type) {
    return object != NULL && G_TYPE_CHECK_INSTANCE_TYPE(object, type);
}

/* The object, pointer or event in a value. */
static inline gpointer clickstream_pointer(const GValue *value) {
    return g_value_fits_pointer(value) ? g_value_peek_pointer(value) : NULL;
}

/* Starts and ends the observation of a property by a C function with the form of a notification. */
static inline gulong clickstream_connect_notify(gpointer object, const char *signal,
                                                void (*handler)(gpointer, GParamSpec *, gpointer)) {
    return g_signal_connect_data(object, signal, G_CALLBACK(handler), NULL, NULL, (GConnectFlags)0);
}

static inline GtkWidget *clickstream_parent(gpointer widget) {
    return gtk_widget_get_parent((GtkWidget *)widget);
}

static inline gboolean clickstream_is_mapped(gpointer widget) {
    return gtk_widget_get_mapped((GtkWidget *)widget);
}

static inline gboolean clickstream_is_sensitive(gpointer widget) {
    return gtk_widget_is_sensitive((GtkWidget *)widget);
}

/* The label that an application set for assistive technologies, as the toolkit prints it; NULL without one.
   The caller frees it. */
static inline char *clickstream_accessible_label(gpointer widget) {
#if GTK_CHECK_VERSION(4, 10, 0)
    GtkATContext *context = gtk_accessible_get_at_context(GTK_ACCESSIBLE(widget));
    if (context == NULL) {
        return NULL;
    }
    g_object_unref(context);
#endif
    if (!gtk_test_accessible_has_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL)) {
        return NULL;
    }
    return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, "");
}

#endif
