#if Audit
import ClickstreamAudit
@testable import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("Queue and delivery of audit events")
struct DeliveryTests {
    let recorder = ClickstreamTestRecorder()

    private func launch(
        _ configure: (inout ClickstreamClient.Configuration) -> Void = { _ in }
    ) throws -> ClickstreamClient {
        try recorder.launch { configuration in
            // Bodies are read as JSON below.
            configuration.compressesEvents = false
            configure(&configuration)
        }
    }

    /// Requests with audit events: partition, and the data of each event.
    private var requests: [[String]] {
        recorder.server.requests.compactMap { request in
            guard let mark = request.url.firstRange(of: "/audit?partition=") else { return nil }
            // A body that is not JSON has no events, which no test expects.
            let events = (try? JSONReader.parse(request.body))?.array ?? []
            return [String(request.url[mark.upperBound...])] + events.compactMap { $0["data"]?.string }
        }
    }

    @Test("partitions are delivered one after the other, and continue after a kill")
    func partitions() async throws {
        var configuration = EventConfiguration(partitionPrefix: "p")
        configuration.maxPartitionBytes = 400
        for launch in 0..<2 {
            let client = try self.launch { $0.sendInterval = .zero }
            let events = try Audit.Events(configuration, in: client)
            for number in 0..<4 {
                events.recordEvent(activity: "a", eventType: "e", data: "\(launch).\(number)") { #expect($0 == nil) }
            }
            recorder.kill(client)
        }
        let client = try launch()
        let events = try Audit.Events(configuration, in: client)
        try await events.recordEvent(activity: "a", eventType: "e", data: "last")
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(
            requests == [
                ["p-1", "0.0", "0.1", "0.2"], ["p-2", "0.3"], ["p-3", "1.0", "1.1", "1.2"], ["p-4", "1.3"],
                ["p-5", "last"],
            ]
        )
        let ledger = client.ledger(of: .audit).ledger
        #expect(ledger.recorded == 9)
        #expect(ledger[.delivered] == 9)
    }

    @Test("the default endpoint is beside that of the client, and follows it")
    func endpoint() async throws {
        let client = try launch { $0.endpoint = "http://one.test/api/collect?k=v" }
        let events = try Audit.Events(EventConfiguration(), in: client)
        try await events.recordEvent(activity: "a", eventType: "e", data: "1")
        _ = await client.flush()
        client.configure { $0.endpoint = "http://two.test" }
        try await events.recordEvent(activity: "a", eventType: "e", data: "2")
        _ = await client.flush()
        let urls = recorder.server.requests.map(\.url).filter { $0.contains("audit") }
        #expect(urls == ["http://one.test/api/audit?k=v&partition=audit-1", "http://two.test/audit?partition=audit-1"])
    }

    @Test(
        "endpoint of a client's endpoint",
        arguments: [
            ("https://h/collect", "https://h/audit"), ("https://h", "https://h/audit"),
            ("https://h/", "https://h/audit"),
            ("https://h:8/a/b/", "https://h:8/a/b/audit"), ("http://[::1]:80/c?q=1", "http://[::1]:80/audit?q=1"),
            ("", ""), ("nonsense", ""),
        ]
    )
    func derivedEndpoint(client: String, audit: String) {
        #expect(AuditFormat.endpoint(of: client) == audit)
    }

    @Test("events of a scope that a server rejects become one dead letter, and can be queued again")
    func deadLetters() async throws {
        var world = recorder.world
        world.configuration.compressesEvents = false
        let isStrict = Locked(true)
        let server = ScriptedServer(time: recorder.time) { request in
            let isRefused = isStrict.withLock { $0 } && request.body.firstRange(of: Array("bad".utf8)) != nil
            return isRefused ? .status(400) : nil
        }
        world.dependencies.transport = server
        let client = try ClickstreamClient(in: world)
        let store = try ClientAuditStore(client, EventConfiguration())
        for text in ["one", "bad", "two"] {
            let events = [0, 1].map { AuditEvent(json: Array(#"{"_id":"\#(text)\#($0)","data":"\#(text)"}"#.utf8)) }
            #expect(store.store(events, at: client.time.now()) == nil)
        }
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(report.setAside == 1)
        isStrict.withLock { $0 = false }
        #expect(try client.requeueDeadLetters(format: .audit) == 1)
        #expect(await client.flush().isComplete)
        let last = try #require(server.requests.last)
        #expect(last.url == "http://collector.test/audit?partition=audit-1")
        #expect(
            String(decoding: last.body, as: UTF8.self) == #"[{"_id":"bad0","data":"bad"},{"_id":"bad1","data":"bad"}]"#
        )
    }

    @Test("a dead letter of several events keeps its record")
    func deadLetterLine() throws {
        let json = Array(#"{"_id":"a","data":"],["},{"_id":"b","data":null}"#.utf8)
        let letter = DeadLetter(
            json: json,
            status: 400,
            reason: "HTTP 400",
            attempts: 2,
            setAside: Timestamp(milliseconds: 5),
            partition: PartitionKey("audit-1")
        )
        #expect(letter.eventID == "a")
        #expect(try JSONReader.parse(letter.line)["event"]?.array?.count == 2)
        #expect(DeadLetter(line: letter.line) == letter)
    }

    @Test("a scope that is larger than a batch, a segment and the raw limit is one record")
    func large() async throws {
        let client = try launch { $0.sendInterval = .zero }
        let events = try Audit.Events(EventConfiguration(), in: client)
        let data = String(repeating: "x", count: 20 << 20)
        events.recordEvent(activity: "a", eventType: "e", data: data) { #expect($0 == nil) }
        events.recordEvent(activity: "a", eventType: "e", data: "small") { #expect($0 == nil) }
        recorder.kill(client)
        let next = try launch()
        _ = try Audit.Events(EventConfiguration(), in: next)
        #expect(await next.flush().isComplete)
        #expect(requests == [["audit-1", data], ["audit-2", "small"]])
    }

    @Test("reasons for which events are not stored")
    func errors() throws {
        let small = try launch { $0.maxStoreBytes = 10_000 }
        let events = try Audit.Events(EventConfiguration(), in: small)
        events.recordEvent(activity: "a", eventType: "e", data: String(repeating: "x", count: 20_000)) { error in
            guard case .notStored? = error else {
                Issue.record("not refused: \(String(describing: error))")
                return
            }
        }
        small.disable()
        events.recordEvent(activity: "a", eventType: "e") { #expect($0 == .disabled) }
        small.enable()
        small.terminate()
        events.recordEvent(activity: "a", eventType: "e") { #expect($0 == .unavailable) }
        for prefix in ["", "a b", "a@b", "é", String(repeating: "x", count: 51)] {
            let client = try launch()
            defer { client.terminate() }
            #expect(throws: AuditError.invalidPartitionPrefix(prefix)) {
                try Audit.Events(EventConfiguration(partitionPrefix: prefix), in: client)
            }
        }
    }

    @Test("the asynchronous calls throw the reason")
    func thrown() async throws {
        let client = try launch()
        let events = try Audit.Events(EventConfiguration(), in: client)
        let scope = events.beginScope(activity: "a")
        try await scope.commit()
        await #expect(throws: AuditError.scopeEnded) { try await scope.commit() }
        client.disable()
        await #expect(throws: AuditError.disabled) { try await events.recordEvent(activity: "a", eventType: "e") }
    }

    @Test("a store in memory is reported")
    func inMemory() throws {
        recorder.disk.setReadOnly(true, folder: "/stores")
        let events = try Audit.Events(EventConfiguration(), in: try launch())
        events.recordEvent(activity: "a", eventType: "e") { #expect($0 == .keptInMemory) }
    }
}
#endif
