import Testing

@testable import ClickstreamCore

@Suite
struct NoticeObserverTests {
    @Test("calls the handler for the thousandth notice through as many frames as for the first")
    func depth() {
        let addresses = Locked<Set<UInt>>([])
        let observer = NoticeObserver { _ in
            var local = 0
            let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
            _ = addresses.withLock { $0.insert(address) }
        }
        for _ in 0..<1_000 { observer.notify(.warning(.init(.suggestion, ""))) }
        #expect(addresses.withLock { $0.count } == 1)
    }

    @Test("calls no handler once it is cancelled, and releases it")
    func cancel() {
        final class Held: Sendable {}
        let count = Locked(0)
        var held: Held? = Held()
        weak let kept = held
        let observer = NoticeObserver { [held] _ in
            _ = held
            count.withLock { $0 += 1 }
        }
        held = nil
        observer.notify(.warning(.init(.suggestion, "")))
        #expect(kept != nil)
        observer.cancel()
        observer.notify(.warning(.init(.suggestion, "")))
        #expect(observer.isCancelled)
        #expect(count.withLock { $0 } == 1)
        #expect(kept == nil)
    }
}
