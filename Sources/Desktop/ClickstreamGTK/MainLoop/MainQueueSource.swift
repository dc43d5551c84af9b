#if GTK
import CGtk4

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Source of GLib's main loop that executes jobs of the main actor and work of the main dispatch queue.
///
/// Without it they are not executed in a program whose main thread runs GLib's loop. The source is idle, and costs no
/// processor time, while no work is pending.
@MainActor
enum MainQueueSource {
    private static var isAttached = false

    /// Adds the source to the default main context. Later calls have no effect.
    static func attach() {
        guard !isAttached else { return }
        isAttached = true
        g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, executePending, nil)
    }
}

/// Callback of the source. The descriptor is read before the work is executed, so that work added meanwhile makes it
/// readable again; a descriptor that is not read would make the loop spin.
private func executePending(_ descriptor: gint, _ condition: GIOCondition, _ data: gpointer?) -> gboolean {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    _dispatch_main_queue_callback_4CF(nil)
    return 1
}
#endif
