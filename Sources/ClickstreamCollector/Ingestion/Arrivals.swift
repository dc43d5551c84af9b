#if Tools
import ClickstreamCore

/// Tells those who wait that something was stored. Callable from any thread; telling nobody costs a lock.
final class Arrivals: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Something comes at once and after every arrival; what a slow listener misses is told as one.
    func changes() -> AsyncStream<Void> {
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
        return changes
    }

    func tell() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }

    /// Nothing will come any more.
    func end() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            state.hasEnded = true
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
    }
}
#endif
