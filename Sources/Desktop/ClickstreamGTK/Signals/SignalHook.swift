#if GTK
import CGtk4
import Glibc

/// Emission hook: a function that is called at every emission of a signal, for all instances of a type.
///
/// Emissions on other threads than that of the user interface are ignored.
@MainActor
final class SignalHook {
    /// Receives the parameters of the emission, of which the first is the instance.
    typealias Body = @MainActor (UnsafePointer<GValue>) -> Void

    private let signal: guint
    private var hook: gulong = 0
    private let body: Body
    private nonisolated let thread = pthread_self()

    /// Installs the hook. `nil` if the type has no such signal, or one that forbids hooks.
    init?(_ type: GType, _ name: String, _ body: @escaping Body) {
        // Signals exist once the class does; it is never unloaded.
        guard type != 0, g_type_class_ref(type) != nil else { return nil }
        signal = g_signal_lookup(name, type)
        self.body = body
        guard signal != 0 else { return nil }
        hook = g_signal_add_emission_hook(
            signal,
            0,
            { _, count, values, data in SignalHook.call(data, count, values) },
            Unmanaged.passRetained(self).toOpaque(),
            { data in data.map { Unmanaged<SignalHook>.fromOpaque($0).release() } }
        )
        guard hook != 0 else { return nil }
    }

    /// Removes the hook.
    func remove() {
        guard hook != 0 else { return }
        g_signal_remove_emission_hook(signal, hook)
        hook = 0
    }

    /// - Returns: 1, which keeps the hook.
    private nonisolated static func call(
        _ data: UnsafeMutableRawPointer?,
        _ count: guint,
        _ values: UnsafePointer<GValue>?
    ) -> gboolean {
        guard let data, let values, count > 0 else { return 1 }
        let hook = Unmanaged<SignalHook>.fromOpaque(data).takeUnretainedValue()
        guard pthread_equal(pthread_self(), hook.thread) != 0 else { return 1 }
        // The body is called on this thread, and returns before the emission frees the values.
        nonisolated(unsafe) let parameters = values
        MainActor.assumeIsolated { hook.body(parameters) }
        return 1
    }
}

extension UnsafePointer<GValue> {
    /// The object in a parameter.
    func object(_ index: Int = 0) -> UnsafeMutableRawPointer? { clickstream_pointer(self + index) }
}
#endif
