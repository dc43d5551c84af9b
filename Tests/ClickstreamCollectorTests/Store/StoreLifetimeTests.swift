#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Dispatch
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("The closing of a store", .timeLimit(.minutes(10)))
struct StoreLifetimeTests {
    @Test("begins after the operations in progress have ended, and no other one begins meanwhile")
    func order() async throws {
        let lifetime = StoreLifetime()
        let steps = AwaitedState<[String]>([])
        async let operation: Void = lifetime.run {
            steps.withLock { $0.append("begun") }
            await steps.until { $0.contains("released") }
            steps.withLock { $0.append("ended") }
        }
        await steps.until { $0.contains("begun") }
        try lifetime.check()
        DispatchQueue.global().async {
            lifetime.close(
                interrupting: { steps.withLock { $0.append("interrupted") } },
                closing: { steps.withLock { $0.append("closed") } }
            )
        }
        await steps.until { $0.contains("interrupted") }
        await #expect(throws: StoreLifetime.Closed.self) {
            try await lifetime.run { steps.withLock { $0.append("another") } }
        }
        #expect(throws: StoreLifetime.Closed.self) { try lifetime.check() }
        lifetime.runIfOpen { steps.withLock { $0.append("another") } }
        steps.withLock { $0.append("released") }
        try await operation
        await steps.until { $0.contains("closed") }
        #expect(steps.withLock { $0 } == ["begun", "interrupted", "released", "ended", "closed"])
    }

    @Test("is done once, whatever the number of callers, and leaves no log")
    func once() async throws {
        try await withFolder { folder in
            let store = try Store(path: folder + "/store.sqlite")
            try await store.append([UploadDecoder().decode(.post(Array("[\(event("A"))]".utf8)))])
            let failures = Locked(0)
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do { try store.close() } catch { failures.withLock { $0 += 1 } }
            }
            #expect(failures.withLock { $0 } == 0)
            store.interrupt()
            await #expect(throws: StoreLifetime.Closed.self) { try await store.summary() }
            await #expect(throws: StoreLifetime.Closed.self) { try await store.reset() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store.sqlite"])
        }
    }
}
#endif
