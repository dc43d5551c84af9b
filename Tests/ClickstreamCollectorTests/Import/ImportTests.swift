#if Collector
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

extension Collector {
    /// Imports lines, and returns the numbers and the code of each line with an error.
    @discardableResult
    func importLines(_ lines: [String]) async throws -> (counts: ImportCounts, errors: [Int: ImportError.Code]) {
        var lineImport = beginImport()
        var errors: [Int: ImportError.Code] = [:]
        for (index, line) in lines.enumerated() {
            let error = lineImport.add(LineSplitter.Line(number: index + 1, bytes: Array(line.utf8)))
            if let error { errors[index + 1] = error.code }
            if lineImport.isFull { try await lineImport.store() }
        }
        try await lineImport.flush()
        return (lineImport.counts, errors)
    }

    /// The lines of an archive with all requests, of the captured formats too, in the order of their arrival.
    fileprivate func archivedLines(_ ids: [String]) async throws -> [String] {
        var lines: [String] = []
        for id in ids {
            let request = try #require(try await request(id))
            lines.append(String(decoding: request.storedRow, as: UTF8.self))
        }
        return lines
    }

    /// The elements of a list of the query API, each on a line.
    fileprivate func elements(_ path: String) async throws -> [String] {
        let page = Array(try await get("\(path)?limit=1000").text.utf8)
        let list = try #require(
            try page.withUnsafeBytes { try JSONReader.members(named: "events", of: $0, maxCount: 1).first?.value }
        )
        let text = Array(page[list])
        return try JSONReader.elements(of: text[...]).map { String(decoding: text[$0], as: UTF8.self) }
    }

    /// All that the query API shows of a store, without the sequence numbers.
    fileprivate func contents() async throws -> [String] {
        var contents: [String] = []
        for path in ["events", "requests", "sessions", "captured", "audit", "captured/requests"] {
            let text = try await get("/api/\(path)?limit=1000").text
            contents.append(text.replacing(#/"seq":\d+,?/#, with: "").replacing(#/"next":\d+/#, with: ""))
        }
        return contents + ["\(try await summary())", "\(try await capturedSummary().map { "\($0)" }.sorted())"]
    }
}

@Suite("Import")
struct ImportTests {
    private static func id(_ number: Int) -> String { String(format: "%032x", number) }

    /// A line of an archive.
    private static func row(
        _ events: [String],
        id: Int,
        at offset: Int64 = 0,
        path: String = "/collect",
        query: String = "?appId=shop&platform=iOS"
    ) -> String {
        let request = Envelope.post(Array("[\(events.joined(separator: ","))]".utf8))
        let time = Timestamp(milliseconds: FixedTime.start + offset)
        let body = JSONValue(.string(String(decoding: request.body, as: UTF8.self)))
        return
            #"{"appId":"shop","data":\#(body),"method":"POST","path":"\#(path)","platform":"iOS","rid":"\#(self.id(id))","#
            + #""timestamp":"\#(time)","uri":"\#(path)\#(query)","ua":"test/1","ip":"10.0.0.1"}"#
    }

    @Test("of a line of an archive is the same request again")
    func request() async throws {
        let query = "?appId=shop&platform=iOS&event_bundle_sequence_id=7&upload_timestamp=1715131600000&hashCode=abcd"
        try await withCollector { collector async throws in
            let row = Self.row([event("A")], id: 1, at: -259_200_000, query: query)
            let counts = try await collector.importLines([row]).counts
            #expect((counts.events, counts.requests, counts.duplicates) == (1, 1, 0))
            let request = try #require(try await collector.request(Self.id(1)))
            #expect(request.receivedAt == Timestamp(milliseconds: FixedTime.start - 259_200_000))
            #expect(request.uri == "/collect" + query)
            #expect(request.appID == "shop")
            #expect(request.platform == "iOS")
            #expect(request.userAgent == "test/1")
            #expect(request.ip == "10.0.0.1")
            #expect(request.bundleSequenceID == 7)
            #expect(request.hashCode == "abcd")
            #expect(request.uploadTimestamp == "1715131600000")
            // Its findings are those of the time of its reception, before that of the event.
            let found = try #require(try await collector.events().events.first)
            #expect(found.violations.map(\.code).contains("etl_future"))
        }
    }

    @Test("of the same archive twice stores nothing twice, also with other clients and with repeated lines")
    func twice() async throws {
        try await withCollector { collector async throws in
            let rows = (1...3).map { Self.row([event("A\($0)"), event("B\($0)")], id: $0) }
            let first = try await collector.importLines(rows).counts
            #expect((first.requests, first.events, first.requestsPresent) == (3, 6, 0))
            _ = try await collector.post("[\(event("C"))]")
            let second = try await collector.importLines(rows + [Self.row([event("D")], id: 4)] + rows).counts
            #expect((second.requests, second.events, second.duplicates, second.requestsPresent) == (1, 1, 0, 6))
            let summary = try await collector.summary()
            #expect((summary.requests, summary.events, summary.duplicates) == (5, 8, 0))
        }
    }

    @Test("of two parties at once stores each request once")
    func parties() async throws {
        try await withFolder { folder async throws in
            let configuration = CollectorConfiguration(storePath: folder + "/store.sqlite")
            let rows = (1...300).map { Self.row([event("E\($0)")], id: $0) }
            try await withCollector(configuration) { collector async throws in
                let other = try await Collector.start(configuration)
                async let one = collector.importLines(rows)
                async let two = other.importLines(rows)
                let counts = try await [one.counts, two.counts]
                await other.stop()
                #expect(counts.reduce(0) { $0 + $1.requests } == 300)
                #expect(counts.reduce(0) { $0 + $1.requestsPresent } == 300)
                let summary = try await collector.summary()
                #expect((summary.requests, summary.duplicates) == (300, 0))
            }
        }
    }

    @Test("groups events in requests by number, time of reception and request")
    func groups() async throws {
        try await withCollector { collector async throws in
            let plain = (0..<1_001).map { event("P\($0)") }
            let element = { (id: String, request: String, time: Int64) in
                #"{"event":\#(event(id)),"status":"good","received_at":\#(FixedTime.start + time),"request_id":"\#(request)"}"#
            }
            let elements = [
                element("Q1", "r1", -5), element("Q2", "r1", -5), element("Q3", "r2", -5), element("Q4", "r2", -4),
            ]
            let counts = try await collector.importLines(plain + elements).counts
            #expect((counts.events, counts.requests) == (1_005, 6))
            let requests = try await collector.requests(limit: 10).requests
            #expect(requests.map(\.events) == [500, 500, 1, 2, 1, 1])
            #expect(requests.map { $0.receivedAt.milliseconds - FixedTime.start } == [0, 0, 0, -5, -5, -4])
            #expect(requests.allSatisfy { $0.appID == "shop" && $0.path == "/collect" })
            #expect(Set(requests.map(\.id)).count == 6)
        }
    }

    /// Lines of all kinds, their numbers of events, and the code of their error.
    private static let kinds: [(line: String, events: Int, code: ImportError.Code?)] = [
        (event("A"), 1, nil),
        ("[\(event("A")),\(event("B"))]", 2, nil),
        (#"{"event":\#(event("A")),"status":"good","received_at":1715131615000,"request_id":"x"}"#, 1, nil),
        (
            #"{"events":[{"event":\#(event("A")),"status":"good"},{"event":\#(event("B")),"status":"bad"}],"next":null}"#,
            2, nil
        ),
        (#"[{"event":\#(event("A")),"status":"good"}]"#, 1, nil),
        (#"{"event":5,"status":"bad","request_id":"x"}"#, 1, nil),
        (CapturedFormat.pulse.sample(1), 1, nil),
        (CapturedFormat.audit.sample(1), 1, nil),
        (CapturedFormat.pulse.text([CapturedFormat.pulse.sample(1), CapturedFormat.pulse.sample(2)]), 2, nil),
        (CapturedFormat.batched.text([CapturedFormat.batched.sample(1)]), 1, nil),
        (CapturedFormat.batched.sample(1), 0, .noHeader),
        (row([event("A")], id: 1), 1, nil),
        ("{", 0, .notJSON),
        ("5", 0, .unknownContent),
        ("\0\(event("A"))", 0, .notJSON),
        ("[\(Array(repeating: #"{"event":1,"status":""}"#, count: 10_001).joined(separator: ","))]", 0, .tooLarge),
        ("[]", 0, .unknownContent),
        (#"{"a":1}"#, 0, .unknownContent),
        (#"{"name":"tap","attributes":{}}"#, 0, .shortForm),
        (#"{"rid":"1","uri":"/collect"}"#, 0, .noBody),
        (#"{"rid":"1","uri":"/collect","timestamp":"2024-05-08T01:26:55.123Z","data":null}"#, 0, .noBody),
        ("[\(row([event("A")], id: 1))]", 0, .unknownContent),
        (#"{"timestamp":1715131615000,"level":"info","message":"event"}"#, 0, .unknownContent),
        (#"{"timestamp":1715131615000,"event_type":"tap"}"#, 1, nil),
        (#"{"rid":"1","uri":"/collect","data":"[","data_cut":true}"#, 0, .cutBody),
        (#"{"event":{},"status":"good","cut":true}"#, 0, .cutEvent),
        (#"{"form":"other","event":{},"status":"good"}"#, 0, .unknownForm),
        (#"{"form":"\#(CapturedFormat.batched.rawValue)","event":{},"header":{},"header_cut":true}"#, 0, .cutHeader),
        (#"{"uri":"/\#(String(repeating: "x", count: 40_000))","data":"[]"}"#, 0, .textTooLong),
    ]

    @Test("recognizes each kind of line by its content", arguments: kinds.indices)
    func content(_ index: Int) async throws {
        let (line, events, code) = Self.kinds[index]
        try await withCollector { collector async throws in
            let found = try await collector.importLines([line])
            #expect(found.errors[1] == code, "\(line.prefix(100))")
            #expect(found.counts.events == events, "\(line.prefix(100))")
            #expect(found.counts.badLines == (code == nil ? 0 : 1))
        }
    }

    @Test("imports the lines before and after one with an error")
    func mixture() async throws {
        let lines = Self.kinds.map(\.line).filter { !$0.hasPrefix("[") && !$0.hasPrefix(#"{"events"#) }
        try await withCollector { collector async throws in
            let found = try await collector.importLines([event("X")] + lines + [event("Y")])
            #expect(found.errors.count == Self.kinds.count { $0.code != nil && !$0.line.hasPrefix("[") })
            let ids = try await collector.events().events.map(\.json)
            #expect(ids.first?.contains(#""event_id":"X""#) == true && ids.last?.contains(#""event_id":"Y""#) == true)
        }
    }

    @Test("does not let one event that is nested too deeply spoil the others")
    func depth() async throws {
        try await withCollector { collector async throws in
            let nested = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
            let line = String(event("D").dropLast()) + #","x":\#(nested)}"#
            let found = try await collector.importLines([event("A"), line, event("B")])
            #expect(found.errors == [2: .tooLarge])
            #expect(try await collector.summary().badRequests == 0)
            #expect(try await collector.summary().events == 2)
        }
    }

    @Test("gives no request an app id that no request over HTTP could have")
    func longAppID() async throws {
        try await withCollector { collector async throws in
            let app = String(repeating: "a", count: 40_000)
            let counts = try await collector.importLines([event("A", app: app), event("B", app: "a\\u0000b")]).counts
            #expect((counts.events, counts.requests) == (2, 1))
            _ = try await collector.importLines([event("C", app: "a\\u0000b")])
            let apps = try await collector.requests(limit: 10).requests.map(\.appID)
            #expect(apps == [nil, "a\u{FFFD}b"])
        }
    }

    @Test("does not wait for memory between large requests of one batch", .timeLimit(.minutes(10)))
    func large() async throws {
        var limits = Limits()
        (limits.smallBytes, limits.largeBytes, limits.readingSeconds) = (100, 200, 86_400)
        try await withCollector(limits: limits) { collector async throws in
            let rows = (1...3).map { Self.row([event("A\($0)")], id: $0) }
            let counts = try await collector.importLines(rows).counts
            #expect((counts.events, counts.requests) == (3, 3))
        }
    }

    @Test("ends with the reason when another program removed the store")
    func storeGone() async throws {
        try await withFolder { folder async throws in
            let path = folder + "/store.sqlite"
            try await withCollector(CollectorConfiguration(storePath: path)) { collector async throws in
                try await collector.importLines([event("A")])
                try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
                var reason = ""
                do {
                    try await collector.importLines([event("B")])
                } catch let failure as ImportFailure {
                    reason = failure.reason
                }
                #expect(reason.contains(path))
            }
        }
    }

    @Test("is overdue a second after the first line that is not stored")
    func overdue() async throws {
        let time = virtualTime()
        try await withCollector(time: time) { collector async throws in
            var lineImport = collector.beginImport()
            var found: [Bool] = []
            for delay: Int64 in [0, 999, 1] {
                await time.advance(milliseconds: delay)
                _ = lineImport.add(LineSplitter.Line(number: 1, bytes: Array(event("A\(delay)").utf8)))
                found.append(lineImport.isOverdue)
            }
            try await lineImport.flush()
            found.append(lineImport.isOverdue)
            #expect(found == [false, false, true, false])
            #expect(lineImport.counts.events == 3)
        }
    }

    @Test("respects the app ids that the collector accepts")
    func apps() async throws {
        try await withCollector(CollectorConfiguration(appIDs: ["other"])) { collector async throws in
            let lines = [event("A"), event("B", app: "other"), Self.row([event("C")], id: 1), "[\(event("D"))]"]
            let found = try await collector.importLines(lines)
            #expect(found.errors == [1: .refusedApp, 3: .refusedApp, 4: .refusedApp])
            #expect(found.counts.events == 1)
        }
    }

    @Test("of the elements of all lists gives the same events and headers", arguments: CapturedFormat.captured)
    func captured(_ form: CapturedFormat) async throws {
        let list = "/api/\(form.list.rawValue)"
        let lines = try await withCollector { collector async throws in
            for number in [0, 2] {
                let body = form.text([form.sample(number), form.sample(number + 1)])
                #expect(try await collector.post(body, form.path).status == 200)
            }
            return try await collector.elements(list)
        }
        #expect(lines.count == 4)
        try await withCollector { collector async throws in
            let found = try await collector.importLines(lines)
            #expect((found.counts.events, found.counts.requests, found.errors.count) == (4, 2, 0))
            func content(_ line: String) throws -> [JSONMember] {
                let members = try JSONReader.parse(Array(line.utf8)).members ?? []
                return members.filter { !["seq", "request_id"].contains($0.name) }
            }
            let again = try await collector.elements(list)
            #expect(try again.map(content) == lines.map(content))
        }
    }

    @Test("of the archive of any store gives the same store", arguments: 0..<6)
    func property(_ seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let (rows, contents) = try await withCollector { collector async throws in
            var ids: [String] = []
            for _ in 0..<40 {
                let response = try await Self.sendAny(to: collector, &random)
                ids.append(try #require(response.headers["x-request-id"]))
            }
            return (try await collector.archivedLines(ids), try await collector.contents())
        }
        try await withCollector { collector async throws in
            let found = try await collector.importLines(rows)
            #expect(found.errors.isEmpty)
            #expect(found.counts.requests == 40)
            #expect(try await collector.contents() == contents)
        }
    }

    /// Sends a random request: events, copies, bad events, unreadable and compressed bodies, and captured events.
    private static func sendAny(to collector: Collector, _ random: inout SplitMix) async throws -> RawResponse {
        let number = Int.random(in: 0..<60, using: &random)
        let events = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            event(
                "E\(Int.random(in: 0..<80, using: &random))",
                at: -Int64.random(in: 0..<400_000_000, using: &random),
                session: Bool.random(using: &random) ? "s\(number % 5)" : nil,
                uniqueID: "u\(number % 7)",
                attributes: #""text":"ü\u2028\\\"\#(number)""#
            )
        }
        let body = "[\(events.joined(separator: ","))]"
        let target = "/collect?appId=shop&platform=iOS&event_bundle_sequence_id=\(number)"
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return try await collector.post("not json \(number)", target)
        case 1: return try await collector.post(#"[{"event_id":\#(number)},5,null]"#, target)
        case 2:
            let packed = Base64.encode(Gzip.deflate(Array(body.utf8)))
            return try await collector.send("POST", target + "&compression=gzip", body: packed)
        case 3, 4:
            let form = CapturedFormat.captured[number % CapturedFormat.captured.count]
            return try await collector.post(form.text([form.sample(number), form.sample(number + 1)]), form.path)
        default: return try await collector.post(body, target, headers: ["User-Agent": "test/\(number)"])
        }
    }
}
#endif
