import ClickstreamJudges
import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Prefetch of batches")
struct BatchMakerTests {
    // MARK: What is sent is the same

    /// Everything that can be seen of a life from outside.
    private struct Traces: Equatable {
        var attempts: [UploadRequest] = []
        var outline: [String] = []
        var files: [String: [UInt8]] = [:]
    }

    /// A life of 30 rounds on a network that fails at random. Events are recorded, and the configuration changes, also while
    /// a request is on its way.
    private static func life(seed: UInt64, readsAhead: Bool) async throws -> Traces {
        let living = Locked<ClickstreamClient?>(nil)
        let dice = Locked(SeededGenerator(seed: seed &+ 1_000))
        let phone = Phone(seed: seed) { request in
            let events = ReceivedUpload(target: request.url, body: request.body).recordedEvents
            if events.contains(where: { $0.name == "poison" }) { return .status(400) }
            let client = living.withLock { $0 }
            let (meanwhile, fate) = dice.withLock { dice in
                (Int.random(in: 0..<40, using: &dice), Int.random(in: 0..<60, using: &dice))
            }
            switch meanwhile {
            case 0..<4: for number in 0...meanwhile * 10 { client?.record("meanwhile", attributes: ["number": number]) }
            case 4: client?.configure { $0.maxBatchBytes = 2_000 + fate * 100 }
            case 5: client?.configure { $0.compressesEvents.toggle() }
            case 6: client?.setOnline(false)
            default: break
            }
            switch fate {
            case 0: return .status(503)
            case 1: return .status(413)
            case 2: return .cutBeforeReply
            case 3: return .refuse
            case 4: return .status(429, retryAfter: "30")
            case 5: return .status(401)
            case 6: return .status(400)
            default: return .status(200)
            }
        }
        func launch() throws -> ClickstreamClient {
            let client = try phone.launch(readsAhead: readsAhead) {
                $0.maxBatchBytes = 4_000
                $0.maxStoreEvents = 800
                $0.compressesEvents = seed.isMultiple(of: 3)
            }
            living.withLock { $0 = client }
            return client
        }
        var random = SeededGenerator(seed: seed)
        var client = try launch()
        for _ in 0..<30 {
            client.setOnline(true)
            for number in 0..<Int.random(in: 0...60, using: &random) {
                let isBad = Int.random(in: 0..<300, using: &random) == 0
                let text = String(repeating: "x", count: Int.random(in: 0...120, using: &random))
                client.record(isBad ? "poison" : "tap", attributes: ["number": number, "text": text])
            }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                client.kill()
                client = try launch()
            case 1..<4: await phone.time.advance(milliseconds: Int64.random(in: 0...600_000, using: &random))
            default: _ = await client.flush()
            }
        }
        client.terminate()
        var traces = Traces(attempts: phone.server.attempts, outline: phone.log.all.outline)
        for path in phone.disk.paths { traces.files[path] = phone.disk[path] }
        return traces
    }

    @Test(
        "does not change requests, notices and store",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func same(seed: UInt64) async throws {
        let plain = try await Self.life(seed: seed, readsAhead: false)
        let ahead = try await Self.life(seed: seed, readsAhead: true)
        #expect(ahead.attempts.count == plain.attempts.count)
        let differs = zip(ahead.attempts, plain.attempts).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(differs == nil)
        #expect(ahead == plain)
        #expect(plain.attempts.count > 30)
    }

    // MARK: It happens

    /// Client whose server has accepted a batch and holds the first of several requests.
    private func holding(_ phone: Phone, readsAhead: Bool) async throws -> ClickstreamClient {
        let client = try phone.launch(readsAhead: readsAhead) {
            $0.maxBatchBytes = 3_000
            $0.compressesEvents = false
        }
        #expect(await client.flush().isComplete)
        for number in 0..<30 { client.record("tap", attributes: ["number": number]) }
        phone.server.answer(.hold(.status(200)))
        client.flushEvents()
        await phone.settle()
        #expect(phone.server.heldCount == 1)
        return client
    }

    @Test("reads only the next batch before the one in flight is answered")
    func overlaps() async throws {
        let plain = Phone()
        _ = try await holding(plain, readsAhead: false)
        let phone = Phone()
        let client = try await holding(phone, readsAhead: true)
        await phone.disk.operations(reach: plain.disk.operations + 1)
        // One operation more: a read.
        #expect(phone.disk.operations == plain.disk.operations + 1)

        // What was read is sent although the disk gives nothing any more.
        let before = phone.server.requests.count
        phone.disk.refuse([.read], errno: 24)
        phone.server.release()
        await phone.server.requests(reach: before + 1)
        _ = await client.flush()
        #expect(phone.server.requests.count == before + 1)
        phone.disk.refuse([.read], errno: nil)
        #expect(await client.flush().isComplete)
        #expect(phone.server.events == phone.log.events)
    }

    @Test("is disabled while the server's state is unknown")
    func notForProbes() async throws {
        let counts = try await [false, true].asyncMap { readsAhead in
            let phone = Phone()
            phone.server.defaultReply = .status(503)
            let client = try phone.launch(readsAhead: readsAhead) { $0.compressesEvents = false }
            for number in 0..<100 { client.record("tap", attributes: ["number": number]) }
            #expect(await client.flush().attempts == 1)
            return phone.disk.operations
        }
        #expect(counts[0] == counts[1])
    }

    @Test("a full batch stays valid when the queue has grown; one that was not full does not")
    func grows() {
        let range = QueueRange(run: "/run", segment: 1, from: 0, to: 1_000, nextSequence: 1, endSequence: 11)
        let form = BatchForm(encoding: .gzipText)
        var recipe = BatchParameters(range: range, limit: 500, maxEvents: .max, form: form)
        let batch = Batch(body: [], isCompressed: true, rawByteCount: 2, eventCount: 1)
        var part = range
        part.to = 400
        let full = MadeBatch(recipe: recipe, range: part, batch: batch)
        let whole = MadeBatch(recipe: recipe, range: range, batch: batch)
        #expect(full.isMade(by: recipe) && whole.isMade(by: recipe))
        recipe.range.to = 1_100
        recipe.range.endSequence = 12
        #expect(full.isMade(by: recipe) && !whole.isMade(by: recipe))
        for change: (inout BatchParameters) -> Void in [
            { $0.limit = 400 }, { $0.maxEvents = 2 }, { $0.form.encoding = .plain }, { $0.range.bundleID = 3 },
            { $0.range.from = 10 }, { $0.range.segment = 2 }, { $0.range.run = "/other" },
            { $0.range.nextSequence = 2 },
        ] {
            var other = recipe
            change(&other)
            #expect(!full.isMade(by: other))
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
