#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore

extension GTKAdapter {
    /// A window became active or inactive.
    func activityChanged() {
        perform(visibility.update(hasActiveWindow: hasActiveWindow, at: now))
    }

    private var hasActiveWindow: Bool {
        let windows = gtk_window_get_toplevels()
        for index in 0..<g_list_model_get_n_items(windows) {
            guard let window = g_list_model_get_item(windows, index) else { continue }
            defer { g_object_unref(window) }
            if gtk_window_is_active(window.assumingMemoryBound(to: GtkWindow.self)) != 0 { return true }
        }
        return false
    }

    private func perform(_ action: AppVisibility.Action?) {
        switch action {
        case .show: capture.client.foreground()
        case .hide: capture.client.background()
        case .wait(let time):
            visibilityTimeout.set(milliseconds: time) { [weak self] in
                guard let self else { return }
                self.perform(self.visibility.expire(at: self.now))
            }
        case nil: break
        }
    }
}
#endif
