#if Tools
import ClickstreamCore

/// Tells those who wait that something was stored. Callable from any thread; telling nobody costs a lock.
final class ArrivalNotifier: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var ends: [Int: @Sendable () -> Void] = [:]
        /// The number of the next listener or end.
        var next = 1
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Something comes at once and after every arrival; what a slow listener misses is told as one.
    func changes() -> AsyncStream<Void> {
        listen().changes
    }

    /// As ``changes()``, with the side that rings it, for who has more to wait for.
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

    /// Whether nothing will come any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Does something when nothing will come any more, at once if that is so already.
    /// - Returns: what to give to ``forget(_:)`` when it is no longer wanted.
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

    func tell() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    /// Nothing will come any more.
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
#endif
