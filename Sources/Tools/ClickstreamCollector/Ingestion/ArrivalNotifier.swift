import ClickstreamCore

/// Notification about stored and removed requests. Callable from any thread; a notification without listeners costs one lock.
final class ArrivalNotifier: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var ends: [Int: @Sendable () -> Void] = [:]
        /// The number of the next listener or end.
        var next = 1
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Elements for a first check and for each arrival, eviction, and reset; a slow listener receives one element for
    /// several of them.
    func changes() -> AsyncStream<Void> {
        listen().changes
    }

    /// As ``changes()``, with its continuation, for a listener that also waits for something else.
    func listen() -> (changes: AsyncStream<Void>, bell: AsyncStream<Void>.Continuation) {
        let (changes, listener) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        listener.yield()
        let number: Int? = state.withLock { state in
            if state.hasEnded { return nil }
            defer { state.next += 1 }
            state.listeners[state.next] = listener
            return state.next
        }
        if let number {
            listener.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            }
        } else {
            listener.finish()
        }
        return (changes, listener)
    }

    /// True once ``end()`` was called.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Calls `work` at ``end()``, or at once if that was called before.
    /// - Returns: number for ``forget(_:)``.
    func onEnd(_ work: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.hasEnded { return nil }
            defer { state.next += 1 }
            state.ends[state.next] = work
            return state.next
        }
        if number == nil { work() }
        return number ?? 0
    }

    func forget(_ number: Int) {
        _ = state.withLock { $0.ends.removeValue(forKey: number) }
    }

    /// Notifies all listeners.
    func notify() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    /// Ends all streams and calls the work registered with ``onEnd(_:)``.
    func end() {
        let (listeners, ends) = state.withLock { state in
            defer { (state.listeners, state.ends) = ([:], [:]) }
            state.hasEnded = true
            return (Array(state.listeners.values), Array(state.ends.values))
        }
        for listener in listeners { listener.finish() }
        for end in ends { end() }
    }
}
