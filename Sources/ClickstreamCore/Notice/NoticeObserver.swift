/// Somebody who is told what a client does, until ``cancel()``. Letting go of it changes nothing.
///
/// Thread-safe. After ``cancel()`` has returned, no further notice begins to be told; one that another thread is telling
/// at that moment may still be under way.
public final class NoticeObserver: Sendable {
    /// In a structure: a function that stands in a generic value by itself gets one more layer around it at each look, and
    /// every notice would cost more than the one before.
    private struct Body {
        var tell: @Sendable (Notice) -> Void
    }

    private let body: Locked<Body?>

    package init(_ body: @escaping @Sendable (Notice) -> Void) {
        self.body = Locked(Body(tell: body))
    }

    /// Ends it. Calling it again does nothing.
    public func cancel() {
        body.withLock { $0 = nil }
    }

    package var isCancelled: Bool { body.withLock { $0 == nil } }

    /// Tells one notice, outside every lock, so that the observer may call the client.
    package func tell(_ notice: Notice) {
        body.withLock { $0 }?.tell(notice)
    }
}
