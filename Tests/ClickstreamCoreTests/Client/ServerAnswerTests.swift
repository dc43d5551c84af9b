import ClickstreamJudges
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

/// Every HTTP status, from a server that sends it once, always, or at random.
@Suite("Replies of a server")
struct ServerAnswerTests {
    typealias Reply = ScriptedServer.Reply

    /// Server with scripted replies that stores the accepted events.
    private final class Server: Sendable {
        struct State {
            var answer: @Sendable (ReceivedUpload, Int, Int) -> Reply = { _, _, _ in .status(200) }
            var requests = 0
            var bytes = 0
            /// The ids of the events that it took, request after request.
            var taken: [String] = []
        }

        let state = Locked(State())

        func reply(to request: UploadRequest) -> Reply {
            let upload = ReceivedUpload(target: request.url, body: request.body)
            return state.withLock { state in
                state.requests += 1
                state.bytes += request.body.count
                let reply = state.answer(upload, request.body.count, state.requests)
                if reply.takes { state.taken += upload.recordedEvents.map(\.id) }
                return reply
            }
        }

        func answer(_ answer: @escaping @Sendable (ReceivedUpload, Int, Int) -> Reply) {
            state.withLock { $0.answer = answer }
        }

        var taken: [String] { state.withLock { $0.taken } }
        var requests: Int { state.withLock { $0.requests } }
    }

    private static func phone(seed: UInt64 = 1) -> (Phone, Server) {
        let server = Server()
        return (Phone(seed: seed, handler: { server.reply(to: $0) }), server)
    }

    /// Advances the clock by more than the longest pause that a server can request, a day, with one flush per hour.
    private static func passDay(_ client: ClickstreamClient, _ phone: Phone) async throws {
        client.configure { $0.sendInterval = .seconds(3_600) }
        await phone.time.advance(milliseconds: 90_000_000)
        // The last one may still wait for a reply.
        if client.isDelivering { _ = try await phone.moving { await client.flush() } }
    }

    static let retryAfters: [String?] = [
        nil, "", "0", "5", "120", "-1", "1.5", "soon", "99999999999999999999", "5 s", "Mon, 01 Jan 2024 00:01:00 GMT",
        "Monday, 01-Jan-24 00:01:00 GMT", "Mon Jan  1 00:01:00 2024", "Mon, 01 Jan 2018 00:00:00 GMT",
        "Mon, 32 Foo 2024 99:99:99 GMT",
    ]

    /// By class.
    static let statuses: [[Int]] = [
        [0, 100, 101, 102, 103], [200, 201, 202, 203, 204, 205, 206, 207, 226, 299],
        [300, 301, 302, 303, 304, 305, 307, 308, 399],
        Array(400...418) + [421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499],
        [500, 501, 502, 503, 504, 505, 507, 508, 511, 599, 600, 999],
    ]

    private static let pausing = [413, 400, 429, 503, 302, 401]

    private static let others: [Reply] = [
        .status(302, location: "https://elsewhere.test/"), .status(200, body: Array(repeating: 120, count: 100_000)),
        .status(200, contentType: "Text/HTML; charset=utf-8", body: Array("<html>log in</html>".utf8)),
        .status(204, contentType: "text/html"), .status(200, contentType: "application/json", body: Array("{}".utf8)),
        .status(413, body: Array("<html>too large</html>".utf8)), .refuse, .ignore, .timeOut, .cutBeforeRequest,
        .cutBeforeReply, .delay(.seconds(3), .status(200)), .delay(.seconds(14), .status(503)),
        .delay(.seconds(20), .status(200)),
        .delay(.seconds(1), .cutBeforeReply),
    ]

    /// All replies, from which the random servers draw.
    static let replies: [Reply] = {
        let plain: [Reply] = statuses.joined().map { .status($0) }
        let withPauses: [Reply] = pausing.flatMap { status -> [Reply] in
            retryAfters.compactMap { $0 }.map { .status(status, retryAfter: $0) }
        }
        return plain + withPauses + others
    }()

    /// All replies, or a sample with each class of statuses, each pause and each of the others.
    static let sampledReplies: [Reply] = {
        let plain: [Reply] = statuses.flatMap { TestLength.sample($0, short: 2) }.map { .status($0) }
        let withPauses: [Reply] = TestLength.pairs(pausing, retryAfters.compactMap { $0 }).map { status, pause in
            .status(status, retryAfter: pause)
        }
        return plain + withPauses + others
    }()

    @Test("if constant, cost few requests and no event, and each event arrives once in order after recovery")
    func always() async throws {
        let events = TestLength.count(60, full: 300)
        for reply in Self.sampledReplies {
            let (phone, server) = Self.phone()
            let client = try phone.launch { $0.sendInterval = .seconds(10) }
            let comment = Comment(rawValue: "\(reply)")
            #expect(await client.flush(deadline: nil).setAside == 0, comment)
            server.answer { _, _, _ in reply }
            for number in 0..<events { client.record("tap", attributes: ["number": number]) }
            let before = server.requests
            for _ in 0..<30 { await phone.time.advance(milliseconds: 60_000) }
            let (ledger, pending) = client.ledger
            #expect(ledger[.setAside] == 0, comment)
            #expect(ledger.recorded == ledger.settled + pending, comment)
            #expect(try client.deadLetters.all() == [], comment)
            if !reply.takes {
                #expect(pending == events, comment)
                #expect(
                    server.requests - before <= 160,
                    "\(reply): \(server.requests - before) requests in half an hour"
                )
            }
            server.answer { _, _, _ in .status(200) }
            try await Self.passDay(client, phone)
            client.record("last")
            try await Self.passDay(client, phone)
            #expect(client.ledger.pendingEvents == 0, comment)
            #expect(server.taken == phone.log.events.map(\.id), comment)
        }
    }

    @Test("if single, cost no event, and none arrives twice or out of order")
    func once() async throws {
        for reply in Self.sampledReplies {
            let (phone, server) = Self.phone()
            let client = try phone.launch()
            #expect(await client.flush().isComplete)
            server.answer { _, _, number in number == 2 ? reply : .status(200) }
            for number in 0..<100 { client.record("tap", attributes: ["number": number]) }
            _ = try await phone.moving { await client.flush() }
            try await Self.passDay(client, phone)
            let (ledger, pending) = client.ledger
            #expect(pending == 0, "\(reply)")
            #expect(ledger[.delivered] == 103, "\(reply)")
            #expect(server.taken == phone.log.events.map(\.id), "\(reply)")
            #expect(server.requests <= 16, "\(reply): \(server.requests) requests")
        }
    }

    @Test(
        "that reject every body with 413 and 400, in any order, keep everything",
        // Includes each share of 413 (seed modulo 5).
        arguments: TestLength.sample([UInt64](1...20), short: 6)
    )
    func anyMix(seed: UInt64) async throws {
        let events = TestLength.count(400, full: 2_000)
        let random = Locked(SeededGenerator(seed: seed))
        let (phone, server) = Self.phone(seed: seed)
        let client = try phone.launch { $0.sendInterval = .seconds(10) }
        if seed.isMultiple(of: 2) { #expect(await client.flush().isComplete) }
        let share = Int(seed % 5)
        server.answer { _, _, _ in
            random.withLock { .status(Int.random(in: 0..<4, using: &$0) < share ? 413 : 400) }
        }
        for number in 0..<events { client.record("tap", attributes: ["number": number]) }
        let (before, bytes) = server.state.withLock { ($0.requests, $0.bytes) }
        for _ in 0..<60 { await phone.time.advance(milliseconds: 60_000) }
        let ledger = client.ledger.ledger
        #expect(ledger[.setAside] == 0)
        let (requests, sent) = server.state.withLock { ($0.requests - before, $0.bytes - bytes) }
        #expect(requests <= 250, "\(requests) requests in an hour")
        print("413 and 400 mixed, seed \(seed): \(requests) requests, \(sent) bytes in an hour, for \(events) events")
        server.answer { _, _, _ in .status(200) }
        for _ in 0..<20 where client.ledger.pendingEvents > 0 { await phone.time.advance(milliseconds: 300_000) }
        #expect(client.ledger.pendingEvents == 0)
        #expect(server.taken == phone.log.events.map(\.id))
    }

    @Test(
        "at random, without rejections of events: no event is lost or accepted twice, the order stays",
        arguments: TestLength.sample([UInt64](1...15), short: 3)
    )
    func random(seed: UInt64) async throws {
        let kept = Self.replies.filter { !$0.refuses }
        let life = try await live(seed: seed) { random in
            Bool.random(using: &random) ? .status(200) : kept[Int.random(in: 0..<kept.count, using: &random)]
        }
        #expect(life.taken == life.recorded)
        #expect(life.setAside.isEmpty)
    }

    @Test(
        "at random, with rejections of events: each event is accepted or dead-lettered",
        arguments: TestLength.sample([UInt64](1...15), short: 3)
    )
    func randomRefusals(seed: UInt64) async throws {
        let life = try await live(seed: seed) { random in
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .status(413)
            case 1: .status(400)
            case 2: Self.replies[Int.random(in: 0..<Self.replies.count, using: &random)]
            default: .status(200)
            }
        }
        #expect(Set(life.taken).union(life.setAside) == Set(life.recorded))
        // Only a search that was broken off, or a witness, repeats an event.
        let repeated = life.taken.count - Set(life.taken).count
        #expect(repeated * 4 <= life.recorded.count, "\(repeated) of \(life.recorded.count) events taken again")
    }

    private struct Life {
        var recorded: [String]
        var taken: [String]
        var setAside: [String]
    }

    /// Records and delivers while the server answers at random, then until it has everything.
    private func live(
        seed: UInt64,
        _ answer: @escaping @Sendable (inout SeededGenerator) -> Reply
    ) async throws -> Life {
        let dice = Locked(SeededGenerator(seed: seed &+ 1_000))
        let (phone, server) = Self.phone(seed: seed)
        var random = SeededGenerator(seed: seed)
        server.answer { _, _, _ in dice.withLock { answer(&$0) } }
        let limit = [700, 3_000, 524_288][Int(seed % 3)]
        func launch() throws -> ClickstreamClient {
            try phone.launch {
                $0.sendInterval = .seconds(10)
                $0.maxBatchBytes = limit
                $0.maxStoreBytes = 1_600_000
            }
        }
        var client = try launch()
        for _ in 0..<40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: _ = try await phone.moving { [client] in await client.flush() }
            case 1:
                // A request that is cut off is sent again.
                try await phone.moving { [client] in _ = await client.endDelivery() }
                client.terminate()
                client = try launch()
            case 2...4: await phone.time.advance(milliseconds: Int64.random(in: 0..<400_000, using: &random))
            default:
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let text = String(repeating: "x", count: Int.random(in: 0..<900, using: &random))
                    client.record("tap", attributes: ["text": text])
                }
            }
            let (ledger, pending) = client.ledger
            #expect(ledger.recorded == ledger.settled + pending)
        }
        server.answer { _, _, _ in .status(200) }
        try await Self.passDay(client, phone)
        #expect(client.ledger.pendingEvents == 0)
        return Life(
            recorded: phone.log.events.map(\.id),
            taken: server.taken,
            setAside: try client.deadLetters.all().map(\.eventID)
        )
    }

    @Test(
        "that depend on the events: exactly the oversized and rejected ones are dead-lettered, all others arrive once",
        arguments: TestLength.sample([UInt64](1...20), short: 2)
    )
    func byContent(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (phone, server) = Self.phone(seed: seed)
        server.answer { upload, size, _ in
            if size > 1_500 { return .status(413) }
            return upload.recordedEvents.contains { $0.name == "poison" } ? .status(400) : .status(200)
        }
        let client = try phone.launch {
            $0.compressesEvents = false
            $0.sendInterval = .seconds(10)
            $0.maxStoreBytes = 640_000
        }
        var bad: Set<String> = []
        let big = String(repeating: "x", count: 1_000)
        for number in 0..<400 {
            _ = phone.log.take()
            let kind = Int.random(in: 0..<20, using: &random)
            switch kind {
            case 0: client.record("poison")
            case 1...2: client.record("big", attributes: ["a": big, "b": big])
            default: client.record("tap", attributes: ["number": number])
            }
            if kind < 3 { bad.formUnion(phone.log.all.events.map(\.id)) }
            if number.isMultiple(of: 50) { await phone.time.advance(milliseconds: 10_000) }
        }
        client.record("last")
        for _ in 0..<200 where client.ledger.pendingEvents > 0 { await phone.time.advance(milliseconds: 300_000) }
        #expect(client.ledger.pendingEvents == 0)
        #expect(Set(try client.deadLetters.all().map(\.eventID)) == bad)
        let taken = server.taken
        #expect(Set(taken).count == 404 - bad.count)
        #expect(taken.count - Set(taken).count <= bad.count, "\(taken.count - Set(taken).count) taken again")
        #expect(server.requests <= 400 + 12 * bad.count, "\(server.requests) requests for \(bad.count) bad events")
    }

    @Test(
        "rejecting one event alone in its segment: the next one is evidence, and it is dead-lettered",
        arguments: [400, 413]
    )
    func alone(status: Int) async throws {
        let (phone, server) = Self.phone()
        server.answer { upload, _, _ in
            upload.recordedEvents.contains { $0.name == "poison" } ? .status(status) : .status(200)
        }
        let first = try phone.launch()
        let second = try phone.launch()
        #expect(await first.flush().isComplete)
        #expect(await second.flush().isComplete)
        second.record("poison")
        #expect(await second.flush().retained == 1)
        first.kill()
        second.kill()
        // The run folder that it adopts contains only the event.
        let client = try phone.launch()
        _ = await client.flush()
        for _ in 0..<10 where client.ledger.pendingEvents > 0 { await phone.time.advance(milliseconds: 300_000) }
        #expect(client.ledger.pendingEvents == 0)
        #expect(try client.deadLetters.all().map { "\($0.eventName) \($0.status)" } == ["poison \(status)"])
    }

    @Test(
        "413 to everything: nothing is dead-lettered, and a minute of flushes costs a few requests of some kilobytes"
    )
    func everythingTooLarge() async throws {
        let events = TestLength.count(1_000, full: 5_000)
        let (phone, server) = Self.phone()
        server.answer { _, _, _ in .status(413) }
        let client = try phone.launch(observes: false)
        for number in 0..<events { client.record("tap", attributes: ["number": number]) }
        for _ in 0..<60 {
            client.flushEvents()
            await phone.time.advance(milliseconds: 1_000)
        }
        let (requests, bytes) = server.state.withLock { ($0.requests, $0.bytes) }
        print("413 to everything: \(requests) requests, \(bytes) bytes in a minute, for \(events) events")
        #expect(requests <= 60)
        #expect(bytes < 131_072)
        #expect(client.ledger.pendingEvents == events + 3)
        #expect(try client.deadLetters.all() == [])
        server.answer { _, _, _ in .status(200) }
        for _ in 0..<3 { await phone.time.advance(milliseconds: 300_000) }
        #expect(await client.flush().isComplete)
        #expect(server.taken.count == events + 3)
        #expect(Set(server.taken).count == events + 3)
    }
}

extension ScriptedServer.Reply {
    /// True if the sender learns in time that the request was taken.
    fileprivate var takes: Bool {
        switch self {
        case .response(let response): response.isSuccess
        case .delay(let delay, let reply): delay < .seconds(15) && reply.takes
        default: false
        }
    }

    /// True for 400 and 413.
    fileprivate var refuses: Bool {
        if case .response(let response) = self { [400, 413].contains(response.status) } else { false }
    }
}
