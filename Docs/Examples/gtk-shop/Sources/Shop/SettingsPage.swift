import CGtk

/// Settings of the user. `Reset` changes the controls itself, and the progress bar moves by itself.
@MainActor
final class SettingsPage {
    let root: Widget

    init() {
        let notifications = gtk_switch_new()!
        notifications.name = "notifications"
        gtk_widget_set_halign(notifications, GTK_ALIGN_START)
        let newsletter = gtk_check_button_new_with_label(localized("Newsletter"))!
        newsletter.name = "newsletter"
        let dark = gtk_toggle_button_new_with_label(localized("Dark"))!
        dark.name = "dark"
        let volume = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 100, 10)!
        volume.name = "volume"
        gtk_widget_set_hexpand(volume, 1)
        let language = withStrings(["English", "Deutsch", "Français"]) { gtk_drop_down_new_from_strings($0) }!
        language.name = "language"
        let user = gtk_entry_new()!
        user.name = "user"
        let password = gtk_password_entry_new()!
        password.name = "password"
        let progress = gtk_progress_bar_new()!
        let reset = gtk_button_new_with_label(localized("Reset"))!
        reset.name = "reset"

        root = column([
            labeled("Notifications", notifications), newsletter, dark, labeled("Volume", volume),
            labeled("Language", language), labeled("Name", user), labeled("Password", password), progress, reset,
        ])
        root.name = "settings"
        on(reset, "clicked") {
            gtk_switch_set_active(notifications.opaque, 0)
            gtk_check_button_set_active(newsletter.pointer(), 0)
            gtk_toggle_button_set_active(dark.pointer(), 0)
            gtk_range_set_value(volume.pointer(), 50)
            gtk_drop_down_set_selected(language.opaque, 0)
            gtk_editable_set_text(user.opaque, "")
            gtk_editable_set_text(password.opaque, "")
        }
        let timer = g_timeout_add(
            200,
            { data in
                gtk_progress_bar_pulse(data.map { OpaquePointer($0) })
                return 1
            },
            progress
        )
        on(progress, "destroy") { g_source_remove(timer) }
    }
}
