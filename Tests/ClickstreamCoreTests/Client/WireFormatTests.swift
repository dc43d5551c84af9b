import ClickstreamJudges
import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

extension FormatName {
    fileprivate static let session = FormatName(rawValue: "session")
}

/// A format with batches of two events of one session, and a header with the time of sending.
private struct SessionFormat: WireFormat {
    static let endpoint = "http://sessions.test/events"

    var name: FormatName { .session }

    func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm {
        BatchForm(encoding: .plain, addedBytes: 64, maxEvents: 2, isPartitioned: true)
    }

    func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        let header = #"{"session":"\#(attempt.partition?.text ?? "")","now":\#(attempt.time.milliseconds),"events":"#
        return UploadRequest(
            url: attempt.destination.endpoint,
            headers: [],
            body: Array(header.utf8) + batch.body + Array("}".utf8)
        )
    }

    static func destination(_ endpoint: String = endpoint) -> Destination {
        Destination(format: SessionFormat(), appID: "shop", endpoint: endpoint)
    }
}

/// A request in ``SessionFormat``.
private struct Sent: Equatable {
    var session: String
    var events: [String]

    init(_ session: String, _ events: [String]) {
        self.session = session
        self.events = events
    }

    init(_ request: UploadRequest) throws {
        let value = try JSONReader.parse(request.body)
        session = value["session"]?.string ?? ""
        events = value["events"]?.array?.compactMap(\.string) ?? []
    }
}

@Suite("Wire formats")
struct WireFormatTests {
    private func record(_ client: ClickstreamClient, _ events: (name: String, session: String)...) {
        for event in events {
            client.withAccess { access, moment in
                access.store(
                    Array("\"\(event.name)\"".utf8),
                    partition: PartitionKey(event.session),
                    format: .session,
                    at: moment
                )
            }
        }
    }

    private func open(_ client: ClickstreamClient, _ endpoint: String = SessionFormat.endpoint) {
        client.withAccess { access, _ in access.open(SessionFormat.destination(endpoint)) }
    }

    private func sent(_ phone: Phone, to endpoint: String = SessionFormat.endpoint) throws -> [Sent] {
        try phone.server.requests.filter { $0.url == endpoint }.map { try Sent($0) }
    }

    private func ledger(_ client: ClickstreamClient) -> (ledger: Ledger, pendingEvents: Int) {
        client.ledger(of: .session)
    }

    @Test("have requests of their own, with one partition key per batch and the limit on its events")
    func batches() async throws {
        let phone = Phone()
        let client = try phone.launch()
        open(client)
        record(client, ("a", "s1"), ("b", "s1"), ("c", "s1"), ("d", "s2"), ("e", "s1"))
        client.record("ordinary")
        let report = await client.flush()
        #expect(report.sent == 9)
        #expect(try sent(phone) == [Sent("s1", ["a", "b"]), Sent("s1", ["c"]), Sent("s2", ["d"]), Sent("s1", ["e"])])
        let uploads = phone.server.requests.filter { $0.url.hasPrefix(Phone.endpoint) }
            .map { ReceivedUpload(target: $0.url, body: $0.body) }
        #expect(uploads.flatMap(\.recordedEvents).map(\.name).last == "ordinary")
        #expect(ledger(client).ledger[.delivered] == 5)
        #expect(client.ledger.ledger[.delivered] == 4)
        #expect(phone.log.all.warnings == [])
    }

    @Test("do not delay each other while a server is unavailable or hangs", arguments: [false, true])
    func unavailable(hangs: Bool) async throws {
        let phone = Phone(
            handler: { request in
                guard request.url == SessionFormat.endpoint else { return nil }
                return hangs ? .hold(.status(200)) : .status(503)
            }
        )
        let client = try phone.launch()
        open(client)
        record(client, ("a", "s1"))
        client.record("ordinary")
        let report = try await phone.moving { await client.flush(deadline: .milliseconds(100)) }
        #expect(report.sent == 4)
        #expect(client.ledger.pendingEvents == 0)
        #expect(ledger(client).pendingEvents == 1)
        phone.server.release()
    }

    @Test("retry a batch with the same events and another time")
    func retry() async throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = await client.flush()
        open(client)
        record(client, ("a", "s1"))
        phone.server.answer(.status(503))
        _ = await client.flush()
        await phone.time.advance(milliseconds: 600_000)
        let bodies = phone.server.attempts.filter { $0.url == SessionFormat.endpoint }.map(\.body)
        #expect(bodies.count == 2 && bodies[0] != bodies[1])
        #expect(try sent(phone) == [Sent("s1", ["a"]), Sent("s1", ["a"])])
    }

    @Test("have run folders beside those of the clickstream format, which later processes deliver from")
    func restart() async throws {
        let phone = Phone()
        var client = try phone.launch()
        client.kill()
        #expect(!phone.disk.paths.contains { $0.contains("runs-") })
        client = try phone.launch()
        open(client)
        record(client, ("a", "s1"), ("b", "s2"))
        client.kill()
        #expect(phone.disk.paths.contains("/data/shop/runs-session/1/00000001.events"))
        client = try phone.launch()
        #expect(await client.flush().isComplete)
        #expect(try sent(phone) == [])
        open(client)
        record(client, ("c", "s2"))
        #expect(await client.flush().isComplete)
        #expect(try sent(phone) == [Sent("s1", ["a"]), Sent("s2", ["b", "c"])])
    }

    @Test("can change their endpoint; earlier events go to the old one")
    func redirect() async throws {
        let phone = Phone()
        let client = try phone.launch()
        open(client)
        record(client, ("a", "s1"))
        open(client, "http://other.test/")
        record(client, ("b", "s1"))
        #expect(await client.flush().isComplete)
        #expect(try sent(phone) == [Sent("s1", ["a"])])
        #expect(try sent(phone, to: "http://other.test/") == [Sent("s1", ["b"])])
    }

    @Test("have dead letters of their own, which keep their partition keys")
    func deadLetters() async throws {
        let isBad = Locked(true)
        let phone = Phone(
            handler: { request in
                let hasBad = (try? Sent(request).events.contains("bad")) ?? false
                return hasBad && isBad.withLock { $0 } ? .status(400) : nil
            }
        )
        let client = try phone.launch()
        open(client)
        record(client, ("good", "s1"), ("bad", "s1"), ("next", "s2"))
        #expect(await client.flush().setAside == 1)
        #expect(try client.deadLetters.all() == [])
        #expect(ledger(client).ledger[.setAside] == 1)
        isBad.withLock { $0 = false }
        #expect(try client.requeueDeadLetters(format: .session) == 1)
        #expect(await client.flush().isComplete)
        #expect(try sent(phone).last == Sent("s1", ["bad"]))
    }

    @Test("are kept in memory with the others, and return to the disk with their keys")
    func memory() async throws {
        let phone = Phone()
        let client = try phone.launch()
        open(client)
        record(client, ("a", "s1"))
        phone.disk.removeTree("/data/shop")
        phone.disk.setReadOnly(true, folder: "/data")
        record(client, ("b", "s2"))
        await phone.time.advance(milliseconds: 100)
        record(client, ("c", "s2"))
        client.record("ordinary")
        phone.disk.setReadOnly(false, folder: "/data")
        await phone.time.advance(milliseconds: 20_000)
        record(client, ("d", "s2"))
        await phone.time.advance(milliseconds: 20_000)
        record(client, ("e", "s2"))
        #expect(await client.flush().isComplete)
        let events = try sent(phone).flatMap { batch in batch.events.map { "\($0) \(batch.session)" } }
        #expect(Set(events) == ["a s1", "b s2", "c s2", "d s2", "e s2"])
        #expect(phone.disk.paths.contains { $0.hasPrefix("/data/shop/runs-session/") })
        let counts = ledger(client)
        #expect(counts.ledger.recorded == counts.ledger.settled + counts.pendingEvents)
    }

    @Test("that wait in memory are dropped if another process has refused consent when the store returns to the disk")
    func refusedOnDisk() async throws {
        let phone = Phone()
        let other = try phone.launch(sends: false) { $0.consent = .hold }
        // The next process cannot create a run folder.
        phone.disk.setReadOnly(true, folder: Phone.path("runs"))
        let client = try phone.launch(sends: false) { $0.consent = .hold }
        #expect(phone.log.all.codes.count { $0 == .storeInMemory } == 1)
        open(client)
        await phone.time.advance(milliseconds: 10_000)
        client.record("tap")
        record(client, ("a", "s1"), ("b", "s1"))
        phone.disk.setReadOnly(false, folder: Phone.path("runs"))
        other.setConsent(.granted, for: .analytics)
        other.setConsent(.denied, for: .analytics)
        // The tap returns the store to the disk, where the later decision is.
        client.setConsent(.granted, for: .analytics)
        #expect(phone.log.all.codes.contains(.storeRestored))
        #expect(client.consent(for: .analytics) == .denied)
        let counts = ledger(client)
        #expect((counts.ledger[.consentDropped], counts.pendingEvents) == (2, 0))
        #expect(client.ledger.pendingEvents == 0)
    }

    @Test("share the limits of the store: the oldest events of any format are evicted first")
    func limits() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.maxStoreEvents = 32 }
        _ = await client.flush()
        open(client)
        for number in 0..<24 {
            record(client, ("\(number)", "s1"))
            await phone.time.advance(milliseconds: 1)
        }
        for _ in 0..<24 {
            client.record("ordinary")
            await phone.time.advance(milliseconds: 1)
        }
        #expect(client.ledger.pendingEvents == 24)
        #expect(ledger(client).pendingEvents <= 8)
        #expect(ledger(client).pendingEvents >= 6)
    }

    @Test("count events that are recorded while recording is off, and keep the queue of another app apart")
    func switches() async throws {
        let phone = Phone()
        let client = try phone.launch()
        open(client)
        client.disable()
        record(client, ("a", "s1"))
        client.enable()
        #expect(ledger(client).ledger[.disabled] == 1)
        record(client, ("b", "s1"))
        client.configure { $0.appID = "other" }
        record(client, ("c", "s1"))
        #expect(phone.disk.paths.contains("/data/other/runs-session/1/00000001.events"))
        #expect(await client.flush().isComplete)
        #expect(Set(try sent(phone).flatMap(\.events)) == ["b", "c"])
    }
}
