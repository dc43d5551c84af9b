import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@Suite("Concurrent calls of one client")
struct ConcurrentClientTests {
    private static let threads = 8
    private static let rounds = 300

    /// Runs `body` on so many threads at once, and waits for all of them.
    private func onThreads(_ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<Self.threads {
            group.enter()
            let thread = Thread {
                body(number)
                group.leave()
            }
            thread.start()
        }
        group.wait()
    }

    @Test("store every event once, in each thread's order, with increasing sequence numbers")
    func events() throws {
        let phone = Phone()
        let client = try phone.launch()
        onThreads { number in
            for round in 0..<Self.rounds { client.record("tap", attributes: ["thread": number, "round": round]) }
        }
        let records = phone.records()
        #expect(records.map(\.sequence) == Array(1...(3 + Self.threads * Self.rounds)))
        #expect(Set(records.map(\.event.id)).count == records.count)
        // The observer hears of the events in the order of the queue.
        #expect(phone.log.events == records.map(\.event))
        for thread in 0..<Self.threads {
            let own = records.map(\.event).filter { $0["thread"] == .number(JSONNumber(integer: Int64(thread))) }
            #expect(own.map { $0["round"] } == (0..<Self.rounds).map { .number(JSONNumber(integer: Int64($0))) })
        }
        let times = try records.map { try JSONReader.parse($0.event.json)["timestamp"]?.integer ?? 0 }
        #expect(times == times.sorted())
    }

    @Test("record violations and long events for each other")
    func unusual() throws {
        let phone = Phone()
        let client = try phone.launch()
        let long = String(repeating: "long ", count: 200)
        onThreads { number in
            for round in 0..<Self.rounds {
                switch round % 3 {
                case 0: client.record("tap", attributes: ["thread": number, "round": round])
                case 1: client.record("1tap", attributes: ["thread": number])
                default:
                    client.record(
                        "tap",
                        attributes: ["thread": number, "round": round, "a": long, "b": long, "c\"": 1]
                    )
                }
            }
        }
        let events = phone.records().map(\.event)
        #expect(phone.log.events == events)
        let errorCount: Int = events.count { $0.name == EventName.clickstreamError }
        let expectedCount: Int = Self.threads * Self.rounds / 3
        #expect(errorCount == expectedCount)
        for thread in 0..<Self.threads {
            let own = events.filter { $0["thread"] == .number(JSONNumber(integer: Int64(thread))) }
            let rounds = (0..<Self.rounds).filter { $0 % 3 != 1 }
            #expect(own.map { $0["round"] } == rounds.map { .number(JSONNumber(integer: Int64($0))) })
            #expect(own.allSatisfy { $0["c\""] == nil })
        }
    }

    @Test("of every kind leave an intact store")
    func everything() async throws {
        let phone = Phone()
        let client = try phone.launch()
        onThreads { number in
            for round in 0..<60 {
                switch (number + round) % 12 {
                case 0: client.foreground()
                case 1: client.background()
                case 2: client.screen(name: "S\(round % 3)")
                case 3: client.setUserID("user\(round % 4)")
                case 4: client.addUserAttributes(["round": round])
                case 5: client.addGlobalAttributes(["g\(round)": round])
                case 6: client.deleteGlobalAttributes(["g\(round)"])
                case 7: client.disable()
                case 8: client.enable()
                case 9: client.configure { $0.sessionTimeout = .milliseconds(round) }
                case 10: client.updateDevice { $0.networkType = round % 2 == 0 ? "WIFI" : "Mobile" }
                default: client.record("tap")
                }
            }
        }
        client.enable()
        client.terminate()
        let stored = phone.records().map(\.event)
        #expect(stored == phone.log.events)
        #expect(phone.log.all.warnings == [])
        let next = try phone.launch()
        #expect(phone.log.all.warnings == [])
        #expect(await next.flush().isComplete)
        #expect(Array(phone.server.events.prefix(stored.count)) == stored)
    }

    @Test("continue while batches are sent: nothing is lost or sent twice")
    func flushing() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.maxBatchBytes = 8_192 }
        let isRecording = Task.detached {
            self.onThreads { number in
                for round in 0..<100 { client.record("tap", attributes: ["thread": number, "round": round]) }
            }
        }
        for _ in 0..<20 { _ = await client.flush() }
        await isRecording.value
        #expect(await client.flush().isComplete)
        #expect(phone.server.events == phone.log.events)
        #expect(phone.server.events.count == 3 + Self.threads * 100)
    }
}
