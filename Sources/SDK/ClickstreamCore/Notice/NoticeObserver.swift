/// Registration of a notice handler, active until ``cancel()``. Releasing this object does not cancel it.
///
/// Thread-safe. After ``cancel()`` has returned, no further call of the handler begins; a call already running on
/// another thread may still finish.
public final class NoticeObserver: Sendable {
    /// Wrapper structure: a closure stored directly as a generic value is wrapped in one more reabstraction thunk at
    /// each read, so every notice would cost more than the one before.
    private struct Body {
        var notify: @Sendable (Notice) -> Void
    }

    private let body: Locked<Body?>

    /// True in a handler and in the tasks that it starts.
    @TaskLocal package static var isNotifying = false

    package init(_ body: @escaping @Sendable (Notice) -> Void) {
        self.body = Locked(Body(notify: body))
    }

    /// Ends the registration. Idempotent.
    public func cancel() {
        body.withLock { $0 = nil }
    }

    package var isCancelled: Bool { body.withLock { $0 == nil } }

    /// Calls the handler with a notice, outside every lock, so that the handler may call the client.
    package func notify(_ notice: Notice) {
        guard let body = body.withLock({ $0 }) else { return }
        Self.$isNotifying.withValue(true) { body.notify(notice) }
    }
}
