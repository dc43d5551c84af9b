#if GTK
import CGtk4

/// Timer of the main loop. One-shot; setting it again replaces it.
@MainActor
final class Timeout {
    private var source: guint = 0
    private var body: (@MainActor () -> Void)?

    /// Indicates whether the timer is set.
    var isSet: Bool { source != 0 }

    /// Calls `body` after an interval, unless the timer is canceled or set again.
    func set(milliseconds: Int64, priority: Int32 = G_PRIORITY_DEFAULT, _ body: @escaping @MainActor () -> Void) {
        cancel()
        self.body = body
        source = g_timeout_add_full(
            priority,
            guint(clamping: milliseconds),
            { data in
                // A source of the default main context, which the thread of the user interface runs.
                nonisolated(unsafe) let data = data
                MainActor.assumeIsolated { Timeout.fire(data) }
                return 0
            },
            Unmanaged.passRetained(self).toOpaque(),
            { data in data.map { Unmanaged<Timeout>.fromOpaque($0).release() } }
        )
    }

    func cancel() {
        guard source != 0 else { return }
        g_source_remove(source)
        source = 0
        body = nil
    }

    private static func fire(_ data: UnsafeMutableRawPointer?) {
        guard let data else { return }
        let timeout = Unmanaged<Timeout>.fromOpaque(data).takeUnretainedValue()
        let body = timeout.body
        timeout.source = 0
        timeout.body = nil
        body?()
    }
}
#endif
