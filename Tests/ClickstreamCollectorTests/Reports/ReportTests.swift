#if Collector
import ClickstreamCore
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Reports", .timeLimit(.minutes(30)))
struct ReportTests {
    /// Random filter, and the same as a function.
    static func filter(
        _ random: inout SplitMix
    ) -> (filter: EventFilter, holds: (ReportFixture.Event) -> Bool) {
        let time = FixedTime.start + Int64.random(in: 0...4, using: &random) * 7
        return switch Int.random(in: 0..<7, using: &random) {
        case 0: (EventFilter(name: "a"), { $0.text("event_type") == "a" })
        case 1: (EventFilter(app: "shop"), { $0.text("app_id") == "shop" })
        case 2:
            (EventFilter(user: "u1"), { $0.text("unique_id") == "u1" || $0.text("user", "_user_id", "value") == "u1" })
        case 3: (EventFilter(since: Timestamp(milliseconds: time)), { $0.receivedAt >= time })
        case 4: (EventFilter(until: Timestamp(milliseconds: time)), { $0.receivedAt < time })
        case 5: (EventFilter(screen: "none"), { _ in false })
        default: (EventFilter(), { _ in true })
        }
    }

    // MARK: - Agreement with the plainest computation

    @Test("count as a loop over the events does", .serialized, arguments: TestLength.seeds(30, full: 2_000))
    func counts(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let fixture = try ReportFixture(&random)
        let (filter, holds) = Self.filter(&random)
        try await withStore { store in
            let isBad = try await fixture.append(to: store)
            #expect(isBad.count == fixture.events.count)
            let events = zip(fixture.events, isBad).filter { holds($0.0) }
            for field in ReportFixture.fields {
                var counts: [String: (events: Int, users: Set<String>)] = [:]
                for (event, isBad) in events {
                    let value = event.value(of: field, isBad: isBad)
                    counts[value, default: (0, [])].events += 1
                    if let user = event.user { counts[value]?.users.insert(user) }
                }
                let report = try await CountQuery(filter, by: field, limit: nil).report(on: store)
                let found = report.values.map { ($0.value.description, [$0.events, $0.users]) }
                #expect(
                    Dictionary(found) { one, _ in one } == counts.mapValues { [$0.events, $0.users.count] },
                    "\(field)"
                )
                #expect(found.count == counts.count)
                #expect(report.values.map(\.events) == report.values.map(\.events).sorted(by: >))
                #expect(report.events == events.count)
                #expect(report.users == Set(events.compactMap(\.0.user)).count)
                let part = try await CountQuery(filter, by: field, limit: 2).report(on: store)
                #expect(part.values == Array(report.values.prefix(2)))
                #expect(part.otherValues == report.values.dropFirst(2).count)
                #expect(part.otherEvents == report.values.dropFirst(2).reduce(0) { $0 + $1.events })
            }
        }
    }

    @Test(
        "find the funnel that a search of all chains finds",
        .serialized,
        arguments: TestLength.seeds(60, full: 2_000)
    )
    func funnels(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let fixture = try ReportFixture(&random)
        let (filter, holds) = Self.filter(&random)
        let windows: [Int64?] = [nil, 0, 5, 20]
        var plain = PlainFunnel(steps: [], window: windows[Int.random(in: 0..<4, using: &random)])
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            plain.steps.append(PlainFunnel.allSteps[Int.random(in: 0..<6, using: &random)])
        }
        let search = plain
        try await withStore { store in
            let isBad = try await fixture.append(to: store)
            let events = zip(fixture.events, isBad).filter { holds($0.0) }
            for owner in ["user", "session"] {
                var owners: [[String?]: [ReportFixture.Event]] = [:]
                for (event, _) in events {
                    if owner == "user" {
                        if let user = event.user { owners[[user], default: []].append(event) }
                    } else if let session = event.text("attributes", "_session_id") {
                        owners[[session, event.text("app_id")], default: []].append(event)
                    }
                }
                let chains = owners.values.map { search.chain($0) }.filter { !$0.isEmpty }
                for field in [nil, "app", "version", "name", "attributes.v"] as [String?] {
                    let query = try FunnelQuery(
                        filter,
                        steps: search.steps.map(\.text),
                        within: search.window,
                        by: field,
                        per: owner,
                        limit: nil
                    )
                    let report = try await query.report(on: store)
                    #expect(report.steps == search.summary(chains), "\(owner) \(search)")
                    guard let field else {
                        #expect(report.groups == [])
                        continue
                    }
                    let groups = Dictionary(grouping: chains) { $0[0].value(of: field, isBad: false) }
                    let found = report.groups.map { ($0.value.description, $0.steps) }
                    #expect(Dictionary(found) { one, _ in one } == groups.mapValues { search.summary($0) }, "\(field)")
                    #expect(found.count == groups.count)
                    let part = try await query.report(on: store, limit: 1)
                    #expect(part.groups == Array(report.groups.prefix(1)))
                    #expect(part.otherGroups == report.groups.dropFirst().count)
                    #expect(part.otherUsers == report.groups.dropFirst().reduce(0) { $0 + $1.steps[0].users })
                }
            }
        }
    }

    // MARK: - Replies

    private static let body = [
        event("1", name: "view", at: -9_000, attributes: #""v":1"#),
        event("2", name: "view", at: -8_000, uniqueID: "unique-2", attributes: #""v":1.0"#),
        event("3", name: "buy", at: -5_000, attributes: #""v":"1""#),
        event("4", name: "buy", at: -4_000, app: "blog", session: nil, uniqueID: "unique-3", userID: "carl"),
    ].joined(separator: ",")

    private static func step(_ name: String, _ users: Int, _ shares: (String, String), _ time: String) -> String {
        #"{"median_ms":\#(time),"name":"\#(name)","of_first":\#(shares.0),"of_previous":\#(shares.1),"#
            + #""p90_ms":\#(time),"users":\#(users)}"#
    }

    private static func count(_ by: String, _ events: Int, others: (Int, Int), users: Int, _ values: String) -> String {
        #"{"by":"\#(by)","events":\#(events),"others":{"events":\#(others.0),"values":\#(others.1)},"#
            + #""users":\#(users),"values":[\#(values)]}"#
    }

    private static func value(_ value: String, _ events: Int, _ users: Int) -> String {
        #"{"events":\#(events),"users":\#(users),"value":\#(value)}"#
    }

    private static func funnel(_ steps: [String], groups: String = "") -> String {
        let steps = steps.joined(separator: ",")
        return #"{"groups":[\#(groups)],"others":{"users":0,"values":0},"steps":[\#(steps)]}"#
    }

    private static let first = step("view", 2, ("1.0", "null"), "null")
    private static let unreached = step("buy", 0, ("0.0", "0.0"), "null")

    @Test(
        "are JSON",
        arguments: [
            (
                "count",
                count("name", 4, others: (0, 0), users: 3, value("\"buy\"", 2, 2) + "," + value("\"view\"", 2, 2))
            ),
            ("count?by=attributes.v&limit=1", count("attributes.v", 4, others: (2, 2), users: 3, value("1", 2, 2))),
            (
                "count?by=user&name=buy",
                count("user", 2, others: (0, 0), users: 2, value("\"carl\"", 1, 1) + "," + value("\"unique-1\"", 1, 1))
            ),
            ("count?by=session&name=none", count("session", 0, others: (0, 0), users: 0, "")),
            ("funnel?step=view&step=buy", funnel([first, step("buy", 1, ("0.5", "0.5"), "4000")])),
            (
                "funnel?step=view&step=buy&within=3s&by=app",
                funnel([first, unreached], groups: #"{"steps":[\#(first),\#(unreached)],"value":"shop"}"#)
            ),
            (
                "funnel?step=view&step=buy&per=session",
                funnel([step("view", 1, ("1.0", "null"), "null"), step("buy", 1, ("1.0", "1.0"), "4000")])
            ),
            (
                "funnel?step=none&step=buy:attributes.v%20%3D%3D%201",
                funnel([
                    step("none", 0, ("null", "null"), "null"),
                    step("buy:attributes.v == 1", 0, ("null", "null"), "null"),
                ])
            ),
        ] as [(String, String)]
    )
    func replies(target: String, json: String) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(Self.body)]")
            let response = try await collector.get("/api/report/\(target)")
            #expect(response.status == 200)
            #expect(response.text == json)
        }
    }

    @Test(
        "refuse what they cannot compute, with what is possible",
        arguments: [
            ("count?by=screeen", 400, "by must be one of name, app, device, platform, version, screen, session, user"),
            ("count?by=attributes.", 400, "attributes.NAME, user.NAME, "), ("count?by=x", 400, "os_version"),
            ("count?step=a", 400, "unknown parameter step; use name, "), ("count?limit=0", 400, "limit must be"),
            ("funnel", 400, "a funnel needs 1 to 20 parameters step, not 0"), ("funnel?step=", 400, "not 0"),
            ("funnel?\(String(repeating: "&step=a", count: 21).dropFirst())", 400, "not 21"),
            ("funnel?step=a:b", 400, "step 'a:b': missing == or != after b; a step is NAME or NAME:CONDITION"),
            ("funnel?step=:a", 400, "step ':a': missing name of an event"),
            ("funnel?step=a&within=soon", 400, "within must be a duration such as 30s"),
            ("funnel?step=a&within=-1", 400, "not '-1'"), ("funnel?step=a&within=5x", 400, "not '5x'"),
            ("funnel?step=a&per=app", 400, "per must be user or session, not 'app'"),
            ("funnel?step=a&by=y", 400, "by must be one of"), ("nothing", 404, "no such path"),
            ("count/1", 404, "no such path"),
        ] as [(String, Int, String)]
    )
    func refusals(target: String, status: Int, reason: String) async throws {
        try await withCollector { collector in
            let response = try await collector.get("/api/report/\(target)")
            #expect(response.status == status)
            #expect(try #require(response.object()["error"] as? String).contains(reason), "\(response.text)")
        }
    }

    @Test(
        "read a member of the event that has a column from the column",
        arguments: [
            ("event_type", .column(.name)), ("event_name", .column(.name)), ("app_id", .column(.app)),
            ("device_id", .column(.device)), ("platform", .column(.platform)), ("app_version", .column(.version)),
            ("unique_id", .column(.uniqueID)), ("user_pseudo_id", .column(.uniqueID)),
            ("attributes._session_id", .column(.session)), ("attributes._screen_name", .column(.screen)),
            ("os_version", .member(["os_version"])), ("attributes.app_id", .member(["attributes", "app_id"])),
            ("session_id", nil), ("uniqueID", nil),
        ] as [(String, ReportField?)]
    )
    func columns(text: String, field: ReportField?) {
        #expect(ReportField(text) == field)
    }

    @Test("accept a window in milliseconds and with units", arguments: [("4000", 1), ("3999", 0), ("4s", 1), ("0", 0)])
    func windows(within: String, users: Int) async throws {
        try await withCollector { collector in
            _ = try await collector.post("[\(Self.body)]")
            let report = try await collector.get("/api/report/funnel?step=view&step=buy&within=\(within)").object()
            let steps = try #require(report["steps"] as? [[String: Any]])
            #expect(steps.last?["users"] as? Int == users)
        }
    }

    @Test("leave the cache of bodies to the lists", arguments: ["os_version", "attributes.v"])
    func bodies(field: String) async throws {
        try await withStore { store in
            let body = (0..<3).map { event("\($0)", attributes: "\"v\":\($0)") }.joined(separator: ",")
            let envelope = Envelope.post(Array("[\(body)]".utf8))
            try await store.append([UploadDecoder().decode(envelope)])
            let report = try await CountQuery(EventFilter(), by: field, limit: nil).report(on: store)
            #expect(report.values.count == (field == "os_version" ? 1 : 3))
            #expect(store.texts.inflations == 0)
        }
    }

    @Test(
        "read texts of several batches of requests, and report the first damage",
        arguments: [nil, "attributes.v == 3"] as [String?]
    )
    func batches(condition: String?) async throws {
        // 4 MB: each request of 100 events takes 101 sequence numbers, the last one for itself.
        let padding = String(repeating: "x", count: 300)
        try await withStore { store in
            for request in 0..<60 {
                let events = (0..<100).map {
                    event("\(request)-\($0)", name: "a", attributes: #""p":"\#(padding)","v":\#(request % 7)"#)
                }
                let envelope = Envelope.post(Array("[\(events.joined(separator: ","))]".utf8))
                try await store.append([UploadDecoder().decode(envelope)])
            }
            func report() async throws -> [String] {
                if let condition {
                    let query = try FunnelQuery(
                        EventFilter(),
                        steps: ["a:\(condition)"],
                        within: nil,
                        by: "attributes.v",
                        per: nil,
                        limit: nil
                    )
                    return try await query.report(on: store).groups.map { "\($0.value) \($0.steps[0].users)" }
                }
                let query = try CountQuery(EventFilter(), by: "attributes.v", limit: nil)
                return try await query.report(on: store).values.map { "\($0.value) \($0.events)" }
            }
            let expected = condition == nil ? (0..<7).map { "\($0) \($0 < 4 ? 900 : 800)" } : ["3 1"]
            let found = try await report()
            #expect(found == expected)
            try await store.write { database in
                let events = [50, 20].map { $0 * 101 + 5 }
                try database.execute(
                    sql: "UPDATE events SET start = start + 1 WHERE seq IN (\(events[0]), \(events[1]))"
                )
                try database.execute(sql: "DELETE FROM bodies WHERE request = \(31 * 101)")
            }
            do {
                _ = try await report()
                Issue.record("the damage is not found")
            } catch let damage as StoreDamage {
                #expect(damage.column == "events.start" && damage.found.contains("request \(21 * 101) "))
            }
        }
    }
}

extension FunnelQuery {
    fileprivate func report(on store: Store, limit: Int) async throws -> FunnelReport {
        var query = self
        query.limit = limit
        return try await query.report(on: store)
    }
}
#endif
