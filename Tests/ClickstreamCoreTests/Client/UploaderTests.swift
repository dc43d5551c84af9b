import ClickstreamJudges
import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Uploader")
struct UploaderTests {
    private typealias Reply = ScriptedServer.Reply

    /// Milliseconds until the next attempt by itself. Nothing else may be timed: no automatic flush, no other process.
    private func pause(of phone: Phone) throws -> Int64 {
        try #require(phone.time.millisecondsToNextTimer)
    }

    // MARK: What arrives

    @Test("sends batch after batch, in order, until the queue is empty", arguments: [true, false])
    func drains(isCompressed: Bool) async throws {
        let phone = Phone()
        let client = try phone.launch {
            $0.maxBatchBytes = 3_000
            $0.compressesEvents = isCompressed
            $0.authCookie = "session=1"
        }
        for number in 0..<100 {
            client.record("tap", attributes: ["number": number, "text": "\(number * 7_919) \u{5B57}\""])
        }
        let recorded = phone.log.take().events
        let report = await client.flush()

        #expect(phone.server.events == recorded)
        let requests = phone.server.requests
        #expect(requests.count > 2)
        #expect(requests.allSatisfy { $0.body.count <= 3_000 })
        let uploads = phone.server.uploads
        #expect(uploads.map(\.query.bundleSequenceID) == (1...requests.count).map(Int64.init))
        for upload in uploads {
            #expect(upload.hashMatches == true)
            #expect(upload.query.platform == "Linux")
            #expect(upload.query.appID == "shop")
            #expect(upload.query.compression == (isCompressed ? "gzip" : ""))
            #expect(upload.query.uploadTimestamp == phone.time.now().wall)
        }
        #expect(requests.allSatisfy { $0.headers.contains(UploadRequest.Header(name: "cookie", value: "session=1")) })
        #expect(requests.allSatisfy { $0.url.hasPrefix(Phone.endpoint + "?") })

        var expected = FlushReport()
        expected.sent = recorded.count
        expected.attempts = requests.count
        expected.sentBytes = requests.reduce(0) { $0 + $1.body.count }
        expected.rawBytes = recorded.reduce(0) { $0 + $1.json.count + 1 } + requests.count
        #expect(report == expected)
        #expect(
            phone.log.take().outline == uploads.map { "uploaded \($0.recordedEvents.count)" }
        )
        #expect(await client.flush() == FlushReport())
    }

    @Test("accepts any 2xx as success", arguments: [200, 201, 202, 204, 299])
    func success(status: Int) async throws {
        let phone = Phone(replies: [.status(status)])
        let client = try phone.launch()
        #expect(await client.flush().sent == 3)
        #expect(phone.server.attempts.count == 1)
    }

    @Test("keeps the endpoint's own query")
    func ownQuery() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.endpoint = "http://collector.test/collect?tenant=7&x=%20" }
        _ = await client.flush()
        let request = try #require(phone.server.requests.first)
        #expect(request.url.hasPrefix("http://collector.test/collect?tenant=7&x=%20&platform=Linux&"))
        #expect(phone.server.uploads.first?.query["tenant"] == "7")
    }

    @Test("sends in the same flush events recorded during it")
    func recordedMeanwhile() async throws {
        let phone = Phone(replies: [.delay(.milliseconds(500), .status(200))])
        let client = try phone.launch()
        client.flushEvents()
        await phone.settle()
        client.record("tap")
        #expect(phone.server.requests.count == 1)
        await phone.time.advance(milliseconds: 500)
        await phone.server.requests(reach: 2)
        #expect(phone.server.requests.count == 2)
        #expect(phone.server.events == phone.log.events)
    }

    @Test("joins a running flush, and returns when everything is sent")
    func joins() async throws {
        let phone = Phone(replies: [.delay(.milliseconds(500), .status(200))])
        let client = try phone.launch()
        client.flushEvents()
        await phone.settle()
        client.record("tap")
        let report = try await phone.moving { await client.flush() }
        #expect(report.isComplete)
        #expect(phone.server.events == phone.log.events)
        #expect(phone.server.requests.count == 2)
    }

    // MARK: What does not arrive

    @Test(
        "counts the bytes of a body only if there was a connection to send it on",
        arguments: [
            (.refuse, false), (.ignore, false), (.timeOut, true), (.cutBeforeRequest, true), (.cutBeforeReply, true),
            (.status(503), true), (.status(200), true),
        ] as [(ScriptedServer.Reply, Bool)]
    )
    func sentBytes(reply: ScriptedServer.Reply, isSent: Bool) async throws {
        let phone = Phone(replies: [reply])
        let client = try phone.launch()
        let report = try await phone.moving { await client.flush() }
        let body = try #require(phone.server.attempts.first).body
        #expect(report.attempts == 1)
        #expect(report.sentBytes == (isSent ? body.count : 0))
        #expect((report.rawBytes > 0) == isSent)
    }

    @Test("counts no bytes of a request that is cancelled before it is connected")
    func cancelledBytes() async throws {
        let phone = Phone(replies: [.ignore])
        let client = try phone.launch()
        let flush = Task { await client.flush() }
        await phone.server.requestWaits()
        client.kill()
        let report = await flush.value
        #expect((report.attempts, report.sentBytes, report.rawBytes) == (1, 0, 0))
    }

    private static let failures: [Reply] = [
        .status(503), .status(500), .status(502), .status(504), .status(429), .status(408), .refuse, .ignore, .timeOut,
        .cutBeforeRequest, .cutBeforeReply,
    ]

    @Test(
        "keeps undelivered events, retries only after the pause, and then sends the same bundle",
        arguments: failures
    )
    private func failure(reply: Reply) async throws {
        let phone = Phone(replies: [reply])
        let client = try phone.launch()
        let recorded = phone.log.take().events
        client.flushEvents()
        await phone.settle()
        if phone.log.all.isEmpty { await phone.time.advance(milliseconds: 15_000) }
        await phone.log.hasNotice()
        #expect(phone.log.take().outline == ["retained 3"])
        #expect(phone.server.attempts.count == 1)

        let pause = try pause(of: phone)
        #expect((1...1_000).contains(pause))
        await phone.time.advance(milliseconds: pause - 1)
        let early = await client.flush()
        #expect(early.attempts == 0)
        #expect(early.retained == 3)
        #expect(early.lastError?.description.hasPrefix("waiting 1 ms after a failure: ") == true)
        #expect(phone.server.attempts.count == 1)

        await phone.time.advance(milliseconds: 1)
        let attempts = phone.server.attempts.map { ReceivedUpload(target: $0.url, body: $0.body) }
        #expect(attempts.count == 2)
        #expect(attempts.allSatisfy { $0.recordedEvents == recorded })
        #expect(attempts.map(\.query.bundleSequenceID) == [1, 1])
        #expect(phone.server.attempts[0].body == phone.server.attempts[1].body)
        #expect(attempts[0].query.uploadTimestamp != attempts[1].query.uploadTimestamp)
        #expect(phone.log.take().outline == ["retained 3", "uploaded 3"])
    }

    @Test(
        "does not contact a rejecting or redirecting server for a minute, and follows no redirect",
        arguments: [
            (
                .status(302, location: "https://elsewhere.test/collect"),
                "redirects to https://elsewhere.test/collect (302)"
            ),
            (.status(301), "redirects (301)"), (.status(307), "redirects (307)"), (.status(401), "denies access (401)"),
            (.status(403), "denies access (403)"),
        ] as [(ScriptedServer.Reply, String)]
    )
    func refusal(reply: ScriptedServer.Reply, reason: String) async throws {
        let phone = Phone(replies: [reply])
        let client = try phone.launch()
        let report = await client.flush()
        #expect(report.retained == 3)
        #expect(report.sent == 0)
        #expect(report.lastError?.description.contains(reason) == true)
        await phone.time.advance(milliseconds: 59_999)
        #expect(phone.server.attempts.count == 1)
        await phone.time.advance(milliseconds: 1)
        #expect(phone.server.uploads.map(\.recordedEvents) == [phone.log.events, phone.log.events])
        #expect(phone.server.attempts.allSatisfy { $0.url.hasPrefix(Phone.endpoint) })
    }

    @Test(
        "keeps the events if a web page comes in place of the reply, reports it once, and sends the same bundle later",
        arguments: [200, 201, 204]
    )
    func webPage(status: Int) async throws {
        let page = Reply.status(status, contentType: "text/html; charset=utf-8", body: Array("<html></html>".utf8))
        let phone = Phone(replies: [page, page])
        let client = try phone.launch()
        let recorded = phone.log.take().events
        let report = await client.flush()
        #expect((report.sent, report.retained, report.setAside) == (0, 3, 0))
        #expect(report.lastError == .webPage(status: status))
        #expect(
            phone.log.take() == [
                .deliveryRefused(.webPage(status: status)), .retained(events: 3, reason: .webPage(status: status)),
            ]
        )
        for _ in 0..<2 {
            let pause = try pause(of: phone)
            #expect((0...2_000).contains(pause))
            await phone.time.advance(milliseconds: pause)
        }
        #expect(phone.server.uploads.map(\.recordedEvents) == [recorded, recorded, recorded])
        #expect(phone.server.uploads.map(\.query.bundleSequenceID) == [1, 1, 1])
        #expect(phone.log.take().outline == ["retained 3", "uploaded 3"])
    }

    @Test(
        "waits as long as the server requests",
        arguments: [("120", 120_000), ("0", 0), (" 7 ", 7_000), ("Mon, 01 Jan 2024 00:01:30 GMT", 90_000)]
            as [(String, Int64)]
    )
    func retryAfter(text: String, least: Int64) async throws {
        let phone = Phone(replies: [.status(503, retryAfter: text)])
        let client = try phone.launch()
        _ = await client.flush()
        let pause = try pause(of: phone)
        #expect(pause >= least && pause <= max(least, 1_000))
        await phone.time.advance(milliseconds: max(0, pause - 1))
        #expect(phone.server.attempts.count == 1)
        await phone.time.advance(milliseconds: 1)
        #expect(phone.server.attempts.count == 2)
    }

    @Test("waits longer after each consecutive failure, five minutes at most, and resets after a success")
    func backoff() async throws {
        let phone = Phone(seed: 3)
        phone.server.defaultReply = .status(503)
        let client = try phone.launch()
        _ = await client.flush()
        var pauses: [Int64] = []
        for _ in 0..<30 {
            pauses.append(try pause(of: phone))
            await phone.time.advance(milliseconds: pauses[pauses.count - 1])
        }
        for (failures, pause) in pauses.enumerated() {
            #expect(pause <= min(300_000, 1_000 << Int64(min(failures, 20))), "after \(failures + 1) failures")
        }
        #expect(pauses.contains { $0 > 60_000 })
        #expect(phone.server.attempts.count == 31)
        phone.server.defaultReply = .status(200)
        await phone.time.advance(milliseconds: try pause(of: phone))
        #expect(phone.server.events.suffix(3).elementsEqual(phone.log.events))
        client.record("tap")
        phone.server.defaultReply = .status(503)
        _ = await client.flush()
        #expect(try pause(of: phone) <= 1_000)
    }

    @Test("sends little until a success, then the maximum, and little again after a failure")
    func probes() async throws {
        let phone = Phone(replies: [.status(503), .status(200), .status(503)])
        let client = try phone.launch { $0.compressesEvents = false }
        for number in 0..<100 { client.record("tap", attributes: ["number": number]) }
        _ = await client.flush()
        for _ in 0..<2 { await phone.time.advance(milliseconds: try pause(of: phone)) }
        let sizes = phone.server.requests.map(\.body.count)
        #expect(sizes.count == 5)
        #expect(sizes[0] <= QueueDrain.probeBytes && sizes[0] > QueueDrain.probeBytes / 2)
        #expect(sizes[1] == sizes[0])
        #expect(sizes[2] > 50_000)
        #expect(sizes[3] <= QueueDrain.probeBytes && sizes[3] > QueueDrain.probeBytes / 2)
        #expect(sizes[4] > 40_000)
        // The same part is the same bundle; a part of a batch is another one.
        #expect(phone.server.uploads.map(\.query.bundleSequenceID) == [1, 1, 2, 3, 4])
        // What arrived with the failures arrives again.
        let taken = [1, 3, 4].flatMap { phone.server.uploads[$0].recordedEvents }
        #expect(taken == phone.log.events)
    }

    @Test("trusts a server for a minute after a success")
    func trust() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.compressesEvents = false }
        for pause: Int64 in [0, 60_000, 60_001] {
            await phone.time.advance(milliseconds: pause)
            for number in 0..<100 { client.record("tap", attributes: ["number": number]) }
            _ = await client.flush()
        }
        let isSmall = phone.server.requests.map { $0.body.count <= QueueDrain.probeBytes }
        #expect(isSmall == [true, false, false, true, false])
    }

    @Test("sends oversized batches in smaller pieces, each event once and in order")
    func splits() async throws {
        let phone = Phone(handler: { $0.body.count > 5_000 ? .status(413) : nil })
        let client = try phone.launch { $0.compressesEvents = false }
        for number in 0..<100 { client.record("tap", attributes: ["number": number]) }
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(report.sent == 103)
        let taken = phone.server.requests.filter { $0.body.count <= 5_000 }
        let events = taken.flatMap { ReceivedUpload(target: $0.url, body: $0.body).recordedEvents }
        #expect(events == phone.log.events)
        // What the server takes is learnt once.
        #expect(phone.server.requests.count - taken.count < 8)
        let ids = phone.server.uploads.compactMap(\.query.bundleSequenceID)
        #expect(ids == Array(1...Int64(ids.count)))
    }

    // MARK: When nothing is tried

    @Test("sends nothing while the device is offline, and everything afterwards")
    func offline() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.sendInterval = .seconds(10) }
        client.setOnline(false)
        client.background()
        await phone.time.advance(milliseconds: 60_000)
        let report = await client.flush()
        #expect(report.attempts == 0)
        #expect(report.retained == 4)
        #expect(report.lastError == .offline)
        #expect(phone.server.attempts == [])
        client.setOnline(true)
        await phone.time.advance(milliseconds: 10_000)
        #expect(phone.server.events == phone.log.events)
    }

    @Test("resets the pause when the network returns")
    func backOnline() async throws {
        let phone = Phone(replies: [.status(403)])
        let client = try phone.launch()
        _ = await client.flush()
        client.setOnline(false)
        client.setOnline(true)
        #expect(await client.flush().sent == 3)
    }

    @Test("sends nothing while recording is disabled, and everything afterwards")
    func disabled() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.sendInterval = .seconds(10) }
        client.disable()
        client.background()
        await phone.time.advance(milliseconds: 60_000)
        #expect(await client.flush().lastError == .disabled)
        #expect(phone.server.attempts == [])
        client.enable()
        #expect(await client.flush().sent == 3)
    }

    @Test(
        "keeps everything without a destination",
        arguments: ["", "collector", "ftp://collector.test", "http://"]
    )
    func noEndpoint(endpoint: String) async throws {
        let phone = Phone()
        let client = try phone.launch { $0.endpoint = endpoint }
        let report = await client.flush()
        #expect(report.retained == 3)
        #expect(report.lastError?.description.contains("endpoint") == true)
        #expect(phone.server.attempts == [])
        client.configure { $0.endpoint = Phone.endpoint }
        #expect(await client.flush().sent == 3)
    }

    @Test("keeps everything without a transport")
    func noTransport() async throws {
        let phone = Phone()
        let client = try phone.launch(sends: false) { $0.sendInterval = .seconds(10) }
        client.background()
        await phone.time.advance(milliseconds: 60_000)
        let report = await client.flush(deadline: .seconds(1))
        #expect(report.retained == 4)
        #expect(report.attempts == 0)
        #expect(report.lastError == .noTransport)
        #expect(phone.time.now().steady == 60_000)
    }

    @Test("leaves delivery to the process that holds the upload lock")
    func uploadLock() async throws {
        let phone = Phone()
        let client = try phone.launch()
        let lock = try #require(try phone.disk.lock(Phone.path("lock")))
        let report = await client.flush()
        #expect(report.lastError == .storeInUse)
        #expect(report.retained == 3)
        lock.unlock()
        phone.disk.refuse([.lock], errno: 5)
        #expect(await client.flush().retained == 3)
        phone.disk.refuse([.lock], errno: nil)
        #expect(await client.flush().sent == 3)
    }

    // MARK: When it happens by itself

    @Test(
        "flushes once after the interval for all recorded events, not before",
        arguments: [10_000, 250] as [Int64]
    )
    func interval(milliseconds: Int64) async throws {
        let phone = Phone()
        let client = try phone.launch { $0.sendInterval = .milliseconds(milliseconds) }
        await phone.time.advance(milliseconds: milliseconds - 1)
        client.record("tap")
        #expect(phone.server.attempts == [])
        await phone.time.advance(milliseconds: 1)
        #expect(phone.server.events == phone.log.events)
        #expect(phone.server.attempts.count == 1)
        // Nothing to send: nothing is timed.
        #expect(phone.time.millisecondsToNextTimer == nil)
        client.record("tap")
        await phone.time.advance(milliseconds: milliseconds)
        #expect(phone.server.attempts.count == 2)
        #expect(phone.server.events == phone.log.events)
    }

    @Test("never flushes automatically with an interval of 0")
    func noInterval() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.sendInterval = .zero }
        client.record("tap")
        await phone.time.advance(milliseconds: 86_400_000)
        #expect(phone.server.attempts == [])
        #expect(phone.time.millisecondsToNextTimer == nil)
    }

    @Test("flushes when entering the background")
    func background() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.background()
        await phone.settle()
        #expect(phone.server.events.map(\.name) == ["_first_open", "_app_start", "_session_start", "_app_end"])
    }

    // MARK: Deadlines and ends

    @Test("retries until the deadline, not beyond it")
    func deadline() async throws {
        let phone = Phone()
        phone.server.defaultReply = .status(503)
        let client = try phone.launch()
        let start = phone.time.now().wall
        let report = try await phone.moving { await client.flush(deadline: .seconds(30)) }
        #expect(report.retained == 3)
        #expect(report.attempts == phone.server.attempts.count)
        #expect(report.attempts > 3)
        let times = phone.server.uploads.compactMap(\.query.uploadTimestamp).map { $0 - start }
        #expect(times.allSatisfy { $0 < 30_000 })
        #expect(phone.time.now().wall - start <= 30_000)
    }

    @Test(
        "accepts every deadline",
        arguments: [
            (.seconds(Int64.max), true), (.milliseconds(Int64.max), true), (.zero, false), (.milliseconds(-1), false),
            (.seconds(Int64.min), false),
        ] as [(Duration, Bool)]
    )
    func anyDeadline(deadline: Duration, isDelivered: Bool) async throws {
        let phone = Phone(replies: [.status(503), .delay(.milliseconds(10), .status(200))])
        let client = try phone.launch()
        let report = try await phone.moving { await client.flush(deadline: deadline) }
        #expect(report.isComplete == isDelivered)
        #expect(phone.time.now().steady < 60_000)
    }

    @Test("reaches a server that returns shortly before the deadline", arguments: 1...20)
    func comesBackInTime(seed: Int) async throws {
        let clock = Locked<VirtualTime?>(nil)
        let phone = Phone(
            seed: UInt64(seed),
            handler: { _ in clock.withLock { $0 }.map { $0.now().steady < 9_000 } == true ? .refuse : nil }
        )
        clock.withLock { $0 = phone.time }
        let client = try phone.launch()
        let report = try await phone.moving { await client.flush(deadline: .seconds(10)) }
        #expect(report.isComplete)
        #expect(report.attempts < 20)
    }

    @Test("reports at the deadline the cause of the previous failure")
    func reasonAtDeadline() async throws {
        let phone = Phone(replies: [.status(503), .delay(.seconds(60), .status(200))])
        let client = try phone.launch()
        let report = try await phone.moving { await client.flush(deadline: .seconds(5)) }
        #expect(report.lastError == .deadlinePassed(after: .status(503)))
    }

    @Test("ends after the request in flight on request", arguments: [true, false])
    func finishes(succeeds: Bool) async throws {
        let phone = Phone(replies: [.hold(succeeds ? .status(200) : .status(503))])
        let client = try phone.launch { $0.maxBatchBytes = 3_000 }
        client.recordTaps(100)
        client.flushEvents()
        await phone.settle()
        #expect(phone.server.heldCount == 1)
        // Begins before the reply.
        let end = Task(executorPreference: phone.time.executor) { await client.endDelivery() }
        await phone.settle()
        phone.server.release()
        #expect(await end.value == succeeds)
        #expect(phone.server.requests.count == 1)
        client.flushEvents()
        await phone.time.advance(milliseconds: 600_000)
        #expect(phone.server.requests.count == 1)
    }

    @Test("returns at the deadline, and does not cancel the request in flight")
    func deadlineOfRequest() async throws {
        let phone = Phone(replies: [.delay(.seconds(5), .status(200))])
        let client = try phone.launch()
        let report = try await phone.moving { await client.flush(deadline: .seconds(3)) }
        #expect(phone.time.now().steady == 3_000)
        #expect(report.sent == 0)
        #expect(report.retained == 3)
        #expect(report.attempts == 1)
        #expect(report.lastError == .deadlinePassed(after: nil))

        let rest = try await phone.moving { await client.flush() }
        #expect(phone.time.now().steady == 5_000)
        #expect(rest.sent == 3)
        #expect(rest.isComplete)
        #expect(rest.attempts == 0)
        #expect(rest.lastError == nil)
        #expect(phone.server.attempts.count == 1)
        #expect(phone.server.events == phone.log.events)
    }

    @Test(
        "reports each event once, before the deadline or to the next caller",
        arguments: [nil, .seconds(60)] as [Duration?]
    )
    func deadlineAmidBatches(next deadline: Duration?) async throws {
        let phone = Phone(replies: [.status(200), .delay(.seconds(5), .status(200))])
        let client = try phone.launch { $0.maxBatchBytes = 3_000 }
        client.recordTaps(100)
        let recorded = phone.log.take().events
        let report = try await phone.moving { await client.flush(deadline: .seconds(3)) }
        #expect(report.sent > 0)
        #expect(report.retained == recorded.count - report.sent)
        #expect(report.attempts == 2)

        let nothing = try await phone.moving { await client.flush(deadline: .seconds(1)) }
        #expect(nothing.sent == 0)
        #expect(nothing.attempts == 0)
        #expect(nothing.lastError == .deadlinePassed(after: nil))

        let rest = try await phone.moving { await client.flush(deadline: deadline) }
        #expect(rest.isComplete)
        #expect(report.sent + rest.sent == recorded.count)
        #expect(report.attempts + rest.attempts == phone.server.attempts.count)
        let sizes: [Int] = phone.server.requests.map(\.body.count)
        let receivedBytes: Int = sizes.reduce(0, +)
        #expect(report.sentBytes + rest.sentBytes == receivedBytes)
        #expect(phone.server.events == recorded)
    }

    @Test("continues if it was requested during the last request of a flush with a deadline")
    func askedAfterDeadline() async throws {
        let phone = Phone(replies: [.delay(.seconds(5), .status(200))])
        let client = try phone.launch { $0.maxBatchBytes = 3_000 }
        client.recordTaps(100)
        let recorded = phone.log.take().events
        let report = try await phone.moving { await client.flush(deadline: .seconds(3)) }
        #expect(report.retained == recorded.count)
        client.flushEvents()
        await phone.time.advance(milliseconds: 2_000)
        // The request has ended, and so the flush asked for begins.
        try await phone.moving { await phone.server.requests(reach: 2) }
        #expect(phone.server.events == recorded)
    }

    @Test("returns at the deadline while waiting for another caller's flush")
    func deadlineOfJoined() async throws {
        let phone = Phone(replies: [.timeOut])
        let client = try phone.launch()
        client.flushEvents()
        await phone.settle()
        let report = try await phone.moving { await client.flush(deadline: .seconds(3)) }
        #expect(report.retained == 3)
        #expect(phone.time.now().steady == 3_000)
        #expect(report.lastError == .deadlinePassed(after: nil))
    }

    @Test("reports at the deadline what another caller's flush has sent, and to one that waits all of it")
    func reportOfJoined() async throws {
        let phone = Phone(replies: [.delay(.seconds(1), .status(200)), .delay(.seconds(5), .status(200))])
        let client = try phone.launch { $0.maxBatchBytes = 3_000 }
        client.recordTaps(100)
        let recorded = phone.log.take().events
        client.flushEvents()
        await phone.settle()
        let unlimited = Task.immediate { await client.flush() }
        let report = try await phone.moving { await client.flush(deadline: .seconds(3)) }
        let first = try #require(phone.server.uploads.first).recordedEvents.count
        #expect(phone.time.now().steady == 3_000)
        #expect((report.sent, report.retained, report.attempts) == (first, recorded.count - first, 2))
        #expect(report.sentBytes == phone.server.requests.first?.body.count)
        #expect(report.lastError == .deadlinePassed(after: nil))

        let rest = try await phone.moving { await client.flush() }
        #expect(rest.isComplete)
        #expect(rest.sent == recorded.count - first)
        #expect(await unlimited.value.sent == recorded.count)
    }

    @Test("succeeds before the deadline if the server returns")
    func deadlineMet() async throws {
        let phone = Phone(replies: [.status(503), .refuse, .status(503, retryAfter: "2")])
        let client = try phone.launch()
        let report = try await phone.moving { await client.flush(deadline: .seconds(60)) }
        #expect(report.isComplete)
        #expect(report.sent == 3)
        #expect(report.attempts == 4)
        #expect(report.lastError == nil)
    }

    @Test(
        "ends with the client: the request is cancelled, its events are kept for the next process",
        arguments: [true, false]
    )
    func end(isOrderly: Bool) async throws {
        let phone = Phone(replies: [.hold(.status(200))])
        let client = try phone.launch()
        client.flushEvents()
        await phone.settle()
        #expect(phone.server.heldCount == 1)
        if isOrderly { client.terminate() } else { client.kill() }
        await phone.settle()
        #expect(phone.server.heldCount == 0)
        phone.server.release()
        await phone.time.advance(milliseconds: 600_000)
        #expect(phone.server.attempts.count == 1)

        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        let uploads = phone.server.uploads
        #expect(uploads[1].query.bundleSequenceID == uploads[0].query.bundleSequenceID)
        #expect(uploads[1].recordedEvents == uploads[0].recordedEvents)
        #expect(Array(phone.server.events.dropFirst(3)) == phone.log.events)
    }

    @Test("sends unacknowledged events after a restart, as the same bundle")
    func restart() async throws {
        let phone = Phone(replies: [.status(200), .cutBeforeReply])
        let client = try phone.launch()
        _ = await client.flush()
        client.record("one")
        client.record("two")
        _ = await client.flush()
        client.record("three")
        client.kill()
        await phone.time.advance(milliseconds: 5_000)
        let next = try phone.launch()
        #expect(await next.flush().isComplete)
        let uploads = phone.server.uploads
        #expect(uploads.map(\.query.bundleSequenceID) == [1, 2, 2, 3])
        #expect(uploads[1].recordedEvents.map(\.name) == ["one", "two"])
        #expect(uploads[2].recordedEvents == uploads[1].recordedEvents)
        #expect(phone.server.requests[2].body == phone.server.requests[1].body)
        #expect(uploads[3].recordedEvents.map(\.name) == ["three", "_app_start"])
    }

    // MARK: Damage

    @Test("sends the readable events if a record is damaged")
    func damagedRecord() async throws {
        let phone = Phone()
        let client = try phone.launch()
        for number in 0..<5 { client.record("tap", attributes: ["number": number]) }
        let path = try #require(phone.disk.paths.first { $0.hasSuffix(".events") })
        var bytes = try #require(phone.disk[path])
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        bytes[lines[4].startIndex + 40] ^= 1
        phone.disk[path] = bytes
        #expect(await client.flush().isComplete)
        var expected = phone.log.events
        expected.remove(at: 4)
        #expect(phone.server.events == expected)
    }

    @Test("continues if the file of a segment is missing, and reports the number of lost events")
    func lostSegment() async throws {
        let phone = Phone()
        let client = try phone.launch { $0.maxStoreEvents = 64 }
        for number in 0..<4 { client.record("tap", attributes: ["number": number]) }
        let path = Phone.path("runs/1/00000001.events")
        phone.disk[path] = nil
        let report = await client.flush()
        #expect(report.isComplete)
        #expect(report.sent == 3)
        let notices = phone.log.take()
        #expect(notices.warnings == ["4 events are lost: another program removed or renamed \(path)"])
        #expect(notices.codes == [.eventsLost])
        let (ledger, pending) = client.ledger
        #expect((ledger[.missing], ledger[.damaged], ledger[.delivered], pending) == (4, 0, 3, 0))
    }

    @Test("reads a segment again if reading fails, at once and later, and counts nothing as damaged")
    func failedReading() async throws {
        let phone = Phone()
        let client = try phone.launch()
        for failures in 1...2 {
            client.record("tap")
            let next = phone.disk.operations + 1
            for operation in next..<next + 30 {
                phone.disk.refuse(operations: operation..<operation + failures, errno: 5)
                client.record("tap")
                _ = await client.flush()
                phone.disk.refuse(operations: 0..<0, errno: 0)
            }
        }
        #expect(await client.flush().isComplete)
        phone.disk.refuse([.read], errno: 5)
        client.record("kept")
        _ = phone.log.take().warnings
        for _ in 0..<5 {
            let report = await client.flush()
            #expect((report.retained, report.lastError?.description.contains("error 5") == true) == (1, true))
        }
        #expect(phone.log.take().codes == [.queueUnreadable])
        phone.disk.refuse([.read], errno: nil)
        // Nothing but the timer of the next attempt.
        await phone.time.advance(milliseconds: 300_000)
        #expect(phone.server.events.last?.name == "kept")
        let (ledger, pending) = client.ledger
        #expect((ledger[.damaged], ledger[.missing], pending) == (0, 0, 0))
    }

    @Test("retries later after a transient disk error")
    func passingTrouble() async throws {
        let phone = Phone()
        let client = try phone.launch()
        phone.disk.refuse([.read], errno: 24)
        let report = await client.flush()
        #expect(report.retained == 3)
        #expect(phone.server.attempts == [])
        phone.disk.refuse([.read], errno: nil)
        #expect(await client.flush().sent == 3)
    }
}
