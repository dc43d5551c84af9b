// Window with each widget of GTK 4 that text can be typed into. The program answers to typing: it changes a check box.

#include <gtk/gtk.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char *const sizes[] = {"small", "medium", "large", NULL};

static GtkWidget *add(GtkWidget *box, const char *name, GtkWidget *widget) {
    gtk_widget_set_name(widget, name);
    gtk_box_append(GTK_BOX(box), widget);
    return widget;
}

static GtkTreeModel *model_of_sizes(void) {
    GtkListStore *store = gtk_list_store_new(1, G_TYPE_STRING);
    for (int index = 0; sizes[index]; index++) {
        gtk_list_store_insert_with_values(store, NULL, -1, 0, sizes[index], -1);
    }
    return GTK_TREE_MODEL(store);
}

static void toggle(GtkEditable *editable, gpointer check) {
    (void)editable;
    gtk_check_button_set_active(check, !gtk_check_button_get_active(check));
}

static void add_entries(GtkWidget *box) {
    GtkWidget *check = add(box, "found", gtk_check_button_new_with_label("Found"));
    g_signal_connect(add(box, "entry", gtk_entry_new()), "changed", G_CALLBACK(toggle), check);
    add(box, "search", gtk_search_entry_new());
    add(box, "password", gtk_password_entry_new());
    add(box, "spin", gtk_spin_button_new_with_range(0, 1000000, 1));
    add(box, "editable-label", gtk_editable_label_new("label"));
    GtkEntryCompletion *completion = gtk_entry_completion_new();
    GtkTreeModel *model = model_of_sizes();
    gtk_entry_completion_set_model(completion, model);
    gtk_entry_completion_set_text_column(completion, 0);
    g_object_unref(model);
    gtk_entry_set_completion(GTK_ENTRY(add(box, "completion", gtk_entry_new())), completion);
    g_object_unref(completion);
    add(box, "emoji", gtk_entry_new());
}

static void add_choices(GtkWidget *box) {
    GtkWidget *text = add(box, "combo-text", gtk_combo_box_text_new_with_entry());
    for (int index = 0; sizes[index]; index++) {
        gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(text), sizes[index]);
    }
    gtk_combo_box_set_active(GTK_COMBO_BOX(text), 0);
    GtkTreeModel *model = model_of_sizes();
    GtkWidget *combo = add(box, "combo", gtk_combo_box_new_with_model_and_entry(model));
    g_object_unref(model);
    gtk_combo_box_set_entry_text_column(GTK_COMBO_BOX(combo), 0);
    gtk_combo_box_set_active(GTK_COMBO_BOX(combo), 0);
    GtkExpression *expression = gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string");
    GtkWidget *drop_down = gtk_drop_down_new(G_LIST_MODEL(gtk_string_list_new(sizes)), expression);
    gtk_drop_down_set_enable_search(GTK_DROP_DOWN(drop_down), TRUE);
    add(box, "drop-down", drop_down);
}

static void add_text_view(GtkWidget *box) {
    GtkWidget *scroller = gtk_scrolled_window_new();
    GtkWidget *view = gtk_text_view_new();
    gtk_widget_set_name(view, "text-view");
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), view);
    gtk_widget_set_size_request(scroller, 300, 80);
    gtk_box_append(GTK_BOX(box), scroller);
}

static void activate(GtkApplication *application, gpointer data) {
    (void)data;
    GtkWidget *window = gtk_application_window_new(application);
    gtk_widget_set_name(window, "typing");
    gtk_window_set_title(GTK_WINDOW(window), "Typing");
    gtk_window_set_default_size(GTK_WINDOW(window), 1200, 900);
    GtkWidget *fields = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    add_entries(fields);
    add_choices(fields);
    add_text_view(fields);
    GtkWidget *choosers = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    add(choosers, "font", gtk_font_chooser_widget_new());
    g_object_set(add(choosers, "color", gtk_color_chooser_widget_new()), "show-editor", TRUE, NULL);
    GtkWidget *content = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_box_append(GTK_BOX(content), fields);
    gtk_box_append(GTK_BOX(content), choosers);
    gtk_window_set_child(GTK_WINDOW(window), content);
    gtk_window_present(GTK_WINDOW(window));
}

int main(int count, char **arguments) {
    GtkApplication *application = gtk_application_new("org.example.Typing", G_APPLICATION_FLAGS_NONE);
    g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
    int status = g_application_run(G_APPLICATION(application), count, arguments);
    g_object_unref(application);
    return status;
}
