#if Collector
import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamCollector

@Suite("Faults", .timeLimit(.minutes(10)))
struct CollectorFaultTests {
    // MARK: Reading

    @Test(
        "parses the texts of --fail",
        arguments: [
            ("503", CollectorFault(.status(503))),
            ("503:0.3", CollectorFault(.status(503), rate: 0.3)),
            ("429:1:5", CollectorFault(.status(429), rate: 1, times: 5)),
            ("reset-during:0.25", CollectorFault(.resetDuring, rate: 0.25)),
            ("twice", CollectorFault(.storedTwice)),
        ]
    )
    func text(text: String, fault: CollectorFault) {
        #expect(CollectorFault(text: text) == fault)
    }

    @Test(
        "rejects any other text",
        arguments: ["", "503:", "503:1.1", "503:-1", "503:nan", "199", "600", "abc", "503:1:0", "503:1:1:1", "reset"]
    )
    func noText(text: String) {
        #expect(CollectorFault(text: text) == nil)
    }

    @Test(
        "reads JSON: one, several, and none",
        arguments: [
            (#"{"status":503,"rate":0.3}"#, [CollectorFault(.status(503), rate: 0.3)]),
            (#"{"status":429,"retry_after":7}"#, [CollectorFault(.status(429, retryAfter: "7"))]),
            (
                #"{"status":503,"retry_after":"Wed, 08 May 2024 01:26:55 GMT"}"#,
                [CollectorFault(.status(503, retryAfter: "Wed, 08 May 2024 01:26:55 GMT"))]
            ),
            (#"{"status":429,"retry_after":"7"}"#, [CollectorFault(.status(429, retryAfter: "7"))]),
            (#"{"latency":200}"#, [CollectorFault(.latency(.milliseconds(200)))]),
            (#"{"latency_ms":200}"#, [CollectorFault(.latency(.milliseconds(200)))]),
            (#"{"latency":"1.5s","times":2}"#, [CollectorFault(.latency(.milliseconds(1_500)), times: 2)]),
            (
                #"{"status":500,"latency":5,"rate":0.5}"#,
                [CollectorFault(.latency(.milliseconds(5)), rate: 0.5), CollectorFault(.status(500), rate: 0.5)]
            ),
            (#"{"reset":true}"#, [CollectorFault(.resetBefore)]),
            (#"{"reset":"after"}"#, [CollectorFault(.resetAfter)]),
            (#"{"truncate":true}"#, [CollectorFault(.truncatedReply)]),
            (#"{"kind":"slow"}"#, [CollectorFault(.slowReply)]),
            (
                #"[{"status":503,"times":1},{"kind":"twice"}]"#,
                [CollectorFault(.status(503), times: 1), CollectorFault(.storedTwice)]
            ),
            (#"{"faults":[{"kind":"no-reply"}]}"#, [CollectorFault(.noReply)]),
            ("[]", []), ("{}", []), ("", []), (#"{"faults":[]}"#, []),
        ] as [(String, [CollectorFault])]
    )
    func json(text: String, faults: [CollectorFault]) throws {
        #expect(try CollectorFault.read(Array(text.utf8)) == faults)
    }

    @Test(
        "describes errors in other JSON",
        arguments: [
            ("{", "The body is not valid JSON"), ("3", "A fault must be an object"),
            ("[[]]", "A fault must be an object"),
            (#"[{"faults":[]}]"#, "Unknown member faults of a fault"), (#"{"faults":3}"#, "faults must be an array"),
            (#"{"stats":503}"#, "Unknown member stats of a fault"), (#"{"status":99}"#, "status must be"),
            (#"{"status":"503"}"#, "status must be"), (#"{"status":503,"rate":2}"#, "rate must be"),
            (#"{"status":503,"times":0}"#, "times must be"), (#"{"latency":"soon"}"#, "latency must be"),
            (#"{"latency":-1}"#, "latency must be"), (#"{"reset":"never"}"#, "reset must be"),
            (#"{"truncate":1}"#, "truncate must be"), (#"{"kind":"503"}"#, "kind must be"),
            (#"{"rate":1}"#, "The fault has no effect"), (#"{"retry_after":3}"#, "needs a status"),
            (#"{"status":503,"retry_after":"a\r\nb"}"#, "retry_after must be"),
            (#"{"status":503,"retry_after":"x"}"#, "retry_after must be"),
            (#"{"status":503,"retry_after":"-1"}"#, "retry_after must be"),
            (#"{"status":503,"retry_after":"1.5"}"#, "retry_after must be"),
            (#"{"status":503,"retry_after":"2024-05-08"}"#, "retry_after must be"),
            (#"{"status":503,"retry_after":"Wed, 08 May 2024 01:26:55 CET"}"#, "retry_after must be"),
            (#"{"status":503,"reset":true}"#, "A fault has one effect"),
        ]
    )
    func errors(text: String, sentence: String) {
        let error = #expect(throws: FaultParseError.self) { try CollectorFault.read(Array(text.utf8)) }
        #expect(error?.text.contains(sentence) == true, "\(error?.text ?? "")")
    }

    // MARK: Chance

    @Test("affect the requested number of requests, the same ones for the same seed")
    func rate() {
        func struck(_ seed: UInt64) -> [Bool] {
            let injector = FaultInjector([CollectorFault(.status(503), rate: 0.3)], seed: seed)
            return (0..<10_000).map { _ in injector.draw().effect != nil }
        }
        let first = struck(1)
        #expect((2_800...3_200).contains(first.count { $0 }))
        #expect(struck(1) == first)
        #expect(struck(2) != first)
        let never = FaultInjector([CollectorFault(.status(503), rate: 0)], seed: 1)
        #expect((0..<1_000).allSatisfy { _ in never.draw() == FaultInjector.Injection() })
    }

    @Test("adds latencies up, and uses the first other fault")
    func order() {
        let injector = FaultInjector(
            [
                CollectorFault(.latency(.milliseconds(10))), CollectorFault(.status(503), times: 2),
                CollectorFault(.latency(.milliseconds(5)), times: 1), CollectorFault(.noReply),
            ],
            seed: 1
        )
        #expect(injector.draw() == FaultInjector.Injection(latency: 15, effect: .status(503)))
        #expect(injector.draw() == FaultInjector.Injection(latency: 10, effect: .status(503)))
        #expect(injector.draw() == FaultInjector.Injection(latency: 10, effect: .noReply))
        #expect(injector.active.map(\.struck) == [3, 2, 1, 1])
        let longest = CollectorFault(.latency(.seconds(Int64.max)))
        let sum = FaultInjector([longest, longest, CollectorFault(.latency(.seconds(-1)))], seed: 1).draw().latency
        #expect(sum == 100 * 366 * 86_400_000)
    }

    // MARK: Over the network

    private func collector(_ faults: CollectorFault..., time: any TimeSource = FixedTime()) async throws -> Collector {
        try await Collector.start(CollectorConfiguration(faults: faults), time: time)
    }

    @Test(
        "replies with a status instead of accepting the request",
        arguments: [400, 401, 403, 408, 413, 429, 500, 503]
    )
    func status(status: Int) async throws {
        let collector = try await collector(CollectorFault(.status(status, retryAfter: "3"), times: 1))
        let failed = try await collector.post("[\(event("a"))]")
        #expect(failed.status == status)
        #expect(failed.headers["retry-after"] == "3")
        #expect(try await collector.summary() == CollectorSummary())
        #expect(try await collector.post("[\(event("a"))]").status == 200)
        #expect(try await collector.summary().events == 1)
        await collector.stop()
    }

    @Test("stores requests answered with another 2xx")
    func otherSuccess() async throws {
        let collector = try await collector(CollectorFault(.status(202)))
        #expect(try await collector.post("[\(event("a"))]").status == 202)
        #expect(try await collector.summary().events == 1)
        await collector.stop()
    }

    @Test("redirects to the URL of the request")
    func redirect() async throws {
        let collector = try await collector(CollectorFault(.status(302)))
        let reply = try await collector.post("[]", "/collect?appId=shop")
        #expect(reply.status == 302)
        #expect(reply.headers["location"] == "/collect?appId=shop")
        await collector.stop()
    }

    @Test(
        "closes the connection without storing",
        arguments: [CollectorFault.Effect.resetBefore, .resetDuring, .resetAfter]
    )
    func resets(effect: CollectorFault.Effect) async throws {
        let collector = try await collector(CollectorFault(effect, times: 1))
        let body = "[\(event("a", attributes: "\"text\":\"\(String(repeating: "x", count: 200_000))\""))]"
        await #expect(throws: RawConnection.Failure.self) { try await collector.post(body) }
        #expect(try await collector.summary() == CollectorSummary())
        #expect(try await collector.post(body).status == 200)
        await collector.stop()
    }

    @Test("stores, and cuts the head of the reply")
    func truncated() async throws {
        let collector = try await collector(CollectorFault(.truncatedReply))
        let failure = await #expect(throws: RawConnection.Failure.self) { try await collector.post("[\(event("a"))]") }
        #expect(failure?.text.contains("ended within the head, after") == true)
        #expect(failure?.text.contains("after 0 bytes") == false)
        #expect(try await collector.summary().events == 1)
        await collector.stop()
    }

    @Test(
        "stores, and delays the reply until after the body's time",
        arguments: [
            CollectorFault.Effect.slowReply, .noReply,
        ]
    )
    func silent(effect: CollectorFault.Effect) async throws {
        let time = virtualTime()
        let collector = try await collector(CollectorFault(effect), time: time)
        let reply = Task { try await collector.post("[\(event("a"))]") }
        if effect == .noReply {
            await time.timers(after: 60_000)
            await time.advance(milliseconds: 60_000)
        } else {
            for _ in 0..<240 {
                await time.timers(after: 250)
                await time.advance(milliseconds: 250)
            }
        }
        await #expect(throws: RawConnection.Failure.self) { try await reply.value }
        #expect(try await collector.summary().events == 1)
        await collector.stop()
    }

    @Test(
        "stops at once, even with delayed clients",
        arguments: [CollectorFault.Effect.slowReply, .noReply]
    )
    func stop(effect: CollectorFault.Effect) async throws {
        let collector = try await collector(CollectorFault(effect), time: virtualTime())
        let waiting = try RawConnection(port: collector.port)
        waiting.send("POST /collect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n[]".utf8)
        for await _ in collector.changes() where try await collector.summary().requests == 1 { break }
        // Without any virtual time.
        await collector.stop()
        #expect(try await waiting.ends() || effect == .slowReply)
    }

    @Test("accepts a request twice and replies once")
    func twice() async throws {
        let collector = try await collector(CollectorFault(.storedTwice))
        #expect(try await collector.post("[\(event("a")),\(event("b"))]").status == 200)
        let summary = try await collector.summary()
        #expect(summary.requests == 2)
        #expect(summary.events == 2)
        #expect(summary.duplicates == 2)
        await collector.stop()
    }

    @Test("does not affect queries, pings and rejections")
    func readings() async throws {
        let configuration = CollectorConfiguration(appIDs: ["shop"], faults: [CollectorFault(.status(503))])
        try await withCollector(configuration) { collector async throws in
            #expect(try await collector.get("/ping?appId=shop").status == 200)
            #expect(try await collector.get("/api/summary").status == 200)
            #expect(try await collector.post("[]", "/collect?appId=other").status == 403)
            #expect(try await collector.post("[]").status == 503)
        }
    }

    @Test(
        "does not affect preflight requests of a page, but its uploads",
        arguments: [
            CollectorFault(.status(503), times: 1), CollectorFault(.storedTwice, times: 1),
            CollectorFault(.latency(.milliseconds(1)), times: 1),
        ]
    )
    func preflight(fault: CollectorFault) async throws {
        let configuration = CollectorConfiguration(corsOrigins: ["https://shop.example"], faults: [fault])
        try await withCollector(configuration) { collector in
            let question = ["Origin": "https://shop.example", "Access-Control-Request-Method": "POST"]
            for _ in 1...2 {
                let response = try await collector.send("OPTIONS", "/collect?appId=shop", headers: question)
                #expect(response.status == 204)
                #expect(response.headers["access-control-allow-origin"] == "https://shop.example")
            }
            #expect(try await collector.get("/api/faults").text.contains(#""struck":0"#))
            // From another origin it is a request as any other, which is stored.
            let crossOrigin = try await collector.send(
                "OPTIONS",
                "/collect",
                headers: ["Origin": "https://evil.example"]
            )
            if case .status(let status, _) = fault.effect { #expect(crossOrigin.status == status) }
            #expect(try await collector.get("/api/faults").text.contains(#""struck":1"#))
        }
    }

    @Test("are set and read over HTTP, but not by a page of another origin")
    func endpoint() async throws {
        try await withCollector { collector in
            #expect(try await collector.get("/api/faults").text == #"{"faults":[]}"#)
            let set = try await collector.post(
                #"[{"status":503,"retry_after":2,"times":1},{"latency":1}]"#,
                "/api/faults"
            )
            #expect(set.status == 200)
            #expect(try await collector.post("[]").status == 503)
            #expect(
                try await collector.get("/api/faults").text
                    == #"{"faults":[{"status":503,"retry_after":"2","rate":1.0,"times":1,"struck":1},"#
                    + #"{"latency":1,"rate":1.0,"struck":1}]}"#
            )
            let wrong = try await collector.post(#"{"status":1}"#, "/api/faults")
            #expect(wrong.status == 400)
            #expect(wrong.text.contains("status must be"))
            let crossOrigin = try await collector.post("[]", "/api/faults", headers: ["Origin": "http://evil.example"])
            #expect(crossOrigin.status == 403)
            #expect(try await collector.post("[]", "/api/faults").text == #"{"faults":[]}"#)
            collector.inject([CollectorFault(.status(500))])
            #expect(try await collector.post("[]").status == 500)
        }
    }
}
#endif
