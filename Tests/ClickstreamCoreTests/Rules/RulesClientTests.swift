import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore
@testable import ClickstreamJudges

/// Every row of the table through a whole client: its notices, and its events on the wire.
@Suite("Rules: through the client")
struct RulesClientTests {
    /// The session's four.
    private static let presetCount = 4

    /// Outcome of a call: the events on the wire, and the violations that the observer received.
    private struct Outcome {
        var events: [RecordedEvent]
        var reported: [Violation]

        init(_ phone: Phone) {
            let notices = phone.log.take()
            events = notices.events
            reported = notices.flatMap { notice -> [Violation] in
                switch notice {
                case .recorded(_, _, _, let violations), .rejected(let violations): violations
                default: []
                }
            }
        }

        var names: [String] { events.map(\.name) }
        var codes: [Int] { reported.map(\.code.rawValue) }

        /// The first event of that name, read.
        func event(_ name: String) throws -> JSONValue {
            try JSONReader.parse(try #require(events.first { $0.name == name }).json)
        }
    }

    private func outcome(of input: RuleCase) throws -> Outcome {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        switch input.rule.subject {
        case .event: client.record(input.name)
        case .screen: client.record(EventName.screenView, attributes: [AttributeName.screenName: input.value])
        case .attribute: client.record("tap", attributes: input.attributes(input.amount - Self.presetCount))
        case .userAttribute: client.addUserAttributes(input.attributes())
        case .item: client.record("tap", attributes: ["kept": 1], items: input.items)
        }
        return Outcome(phone)
    }

    @Test("keeps everything at the limit, without a violation", arguments: RuleCase.sampledRows)
    func atTheLimit(rule: Rule, script: RuleCase.Script) throws {
        let input = RuleCase(rule, excess: 0, script: script)
        let outcome = try outcome(of: input)
        #expect(outcome.reported == [])
        switch rule.subject {
        case .event:
            #expect(outcome.names == [input.name])
        case .screen:
            let attributes = try outcome.event(EventName.screenView)["attributes"]
            #expect(attributes?["_screen_name"]?.string.map { .string($0) } == input.value)
        case .attribute:
            let attributes = try #require(try outcome.event("tap")["attributes"])
            #expect(attributes.members?.count == (rule.check == .count ? rule.limit : Self.presetCount + 1))
            if rule.check == .valueLength { #expect(attributes[input.name]?.string == script.text(input.amount)) }
        case .userAttribute:
            #expect(outcome.names == [EventName.profileSet])
            let user = try #require(try outcome.event(EventName.profileSet)["user"])
            // The first touch is an additional attribute.
            #expect(user.members?.count == input.attributes().count + 1)
            if rule.check == .valueLength {
                #expect(user[input.name]?["value"]?.string == script.text(input.amount))
            }
        case .item:
            #expect(try outcome.event("tap")["items"]?.array?.count == input.items.count)
        }
    }

    @Test(
        "one past it has the effect and the report of its row",
        arguments: RuleCase.sampledRows
    )
    func onePast(rule: Rule, script: RuleCase.Script) throws {
        let input = RuleCase(rule, excess: 1, script: script)
        let outcome = try outcome(of: input)
        #expect(outcome.codes == [rule.code.rawValue])
        #expect(outcome.reported.map(\.severity) == [.error])

        // Place of the report: the event itself, or the one that replaces it.
        let bearer = rule.record == .errorEvent ? EventName.clickstreamError : "tap"
        let attributes = try #require(try outcome.event(bearer)["attributes"])
        #expect(attributes["_error_code"]?.integer == Int64(rule.code.rawValue))
        #expect(attributes["_error_message"]?.string == outcome.reported.first?.message)
        #expect(outcome.reported.allSatisfy { $0.message.unicodeScalars.count <= 256 })

        // What it costs: the thing itself and nothing else.
        switch rule.effect {
        case .discardEvent:
            #expect(outcome.names == [EventName.clickstreamError])
        case .discardAttribute where rule.subject == .attribute:
            #expect(outcome.names == ["tap"])
            let kept = (attributes.members?.count ?? 0) - 2
            #expect(kept == (rule.check == .count ? rule.limit : Self.presetCount))
        case .discardAttribute:
            #expect(outcome.names == [EventName.clickstreamError, EventName.profileSet])
            let user = try #require(try outcome.event(EventName.profileSet)["user"])
            let limit: Int = rule.check == .count ? rule.limit ?? 0 : 0
            #expect(user.members?.count == limit + 1)
        case .discardItem:
            #expect(outcome.names == ["tap"])
            #expect(attributes["kept"]?.integer == 1)
            #expect(
                try outcome.event("tap")["items"]?.array?.count == (rule.unit == .items ? rule.limit : nil)
            )
        }

        // The server's judge finds the violation that the event reports, and no other.
        for event in outcome.events {
            let findings = WireJudge.judge(try JSONReader.parse(event.json), receivedAt: nil)
            #expect(findings.map(\.code) == (event.name == bearer ? [rule.code.description] : []))
        }
    }

    @Test(
        "a global attribute beyond a limit is not set, and is reported in its own event",
        arguments: RuleCase.rules.filter { $0.subject == .attribute }
    )
    func globals(rule: Rule) throws {
        let input = RuleCase(rule, excess: 1)
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.addGlobalAttributes(input.attributes())
        let refusal = Outcome(phone)
        #expect(refusal.names == [EventName.clickstreamError])
        #expect(refusal.codes == [rule.code.rawValue])
        let reported = try refusal.event(EventName.clickstreamError)["attributes"]
        #expect(reported?["_error_code"]?.integer == Int64(rule.code.rawValue))

        client.deleteGlobalAttributes((0..<10).map { "n\($0)" })
        client.record("tap")
        let event = Outcome(phone)
        #expect(event.reported == [])
        let count = try event.event("tap")["attributes"]?.members?.count
        let limit: Int = rule.limit ?? 0
        let own: Int = rule.check == .count ? limit - 10 : 0
        #expect(count == Self.presetCount + own)
    }

    @Test("no message contains a value of a bad attribute, item or user attribute")
    func noValues() throws {
        let secret = "SECRET" + String(repeating: "\u{4E2D}", count: 2_000)
        let phone = Phone()
        let client = try phone.launch()
        client.record(
            "tap",
            attributes: ["text": secret, "bad name": secret],
            items: [["id": secret], ["name": secret]]
        )
        client.addGlobalAttributes(["text": secret])
        client.addUserAttributes(["text": secret, "bad name": secret])
        client.setUserID(secret)
        client.record("_screen_view", attributes: ["_screen_name": secret])
        let outcome = Outcome(phone)
        #expect(outcome.codes == [2003, 2002, 4002, 4006, 4002, 2003, 3004, 3003, 3004, 5001])
        #expect(!"\(outcome)".contains("SECRET"))
    }

    @Test("the first of several violations is in the event, however often it is recorded; the notice has them all")
    func firstWins() throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        for _ in 0..<20 {
            client.record(
                "tap",
                attributes: ["nan": Double.nan, "bad name": 1, "text": String(repeating: "x", count: 2_000)],
                items: [["id": ""]]
            )
        }
        let outcome = Outcome(phone)
        #expect(outcome.codes == Array(repeating: [2005, 2002, 2003, 4006], count: 20).flatMap { $0 })
        #expect(outcome.events.allSatisfy { $0["_error_code"] == .number(JSONNumber(integer: 2005)) })
    }

    @Test("presets always fit, then the event's own in written order, then globals")
    func order() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addGlobalAttributes(Attributes((0..<10).map { ("g\($0)", 1) }))
        client.screen(name: "Home", uniqueID: "h")
        _ = phone.log.take()
        client.record("tap", attributes: Attributes((0..<490).map { ("a\($0)", 1) }))
        let outcome = Outcome(phone)
        let names = try outcome.event("tap")["attributes"]?.members?.map(\.name) ?? []
        let presets = [
            "_session_id", "_session_start_timestamp", "_session_number", "_session_duration", "_screen_name",
            "_screen_unique_id",
        ]
        let own: [String] = (0..<490).map { (number: Int) -> String in "a\(number)" }
        let globals: [String] = (0..<4).map { (number: Int) -> String in "g\(number)" }
        let errors: [String] = ["_error_code", "_error_message"]
        let expected: [String] = presets + own + globals + errors
        #expect(names == expected)
        #expect(outcome.codes == Array(repeating: 2004, count: 6))
    }

    @Test(
        "a screen view has room for 500 as well: the screen's name occurs once, and counts once",
        arguments: [(492, []), (493, [2004]), (495, [2004, 2004, 2004])]
    )
    func screenViewCapacity(globals: Int, codes: [Int]) throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addGlobalAttributes(Attributes((0..<globals).map { ("g\($0)", 1) }))
        _ = phone.log.take()
        client.screen(name: "Home", id: "app/Home", uniqueID: "h")
        let outcome = Outcome(phone)
        let names = try outcome.event(EventName.screenView)["attributes"]?.members?.map(\.name) ?? []
        // The session's four, the screen's three, the entrance.
        #expect(names.count { !$0.hasPrefix("_error_") } == 500)
        #expect(names.contains("_error_code") == !codes.isEmpty)
        #expect(outcome.codes == codes)
    }

    @Test("a crash reports that the globals at the crash were too many")
    func crashCapacity() throws {
        let phone = Phone()
        let client = try phone.launch(configure: { $0.tracksExceptions = true })
        client.addGlobalAttributes(Attributes((0..<500).map { ("g\($0)", 1) }))
        client.crash(message: "m", stack: "s")
        _ = phone.log.take()
        _ = try phone.launch()
        let attributes = try Outcome(phone).event(EventName.appException)["attributes"]
        #expect(attributes?.members?.count { !$0.name.hasPrefix("_error_") } == 500)
        #expect(attributes?["_error_code"]?.integer == 2004)
    }

    @Test("an event's own attribute overrides a global, even if discarded; an update never counts as new")
    func shadowing() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addGlobalAttributes(Attributes((0..<500).map { ("g\($0)", 1) }))
        client.addGlobalAttributes(["g7": 2])
        client.addUserAttributes(Attributes((0..<100).map { ("u\($0)", 1) }))
        client.setUserID("carl")
        client.addUserAttributes(["u7": 2])
        _ = phone.log.take()
        client.record("tap", attributes: ["g3": "own", "g4": Double.nan])
        let outcome = Outcome(phone)
        let tap = try outcome.event("tap")
        #expect(tap["attributes"]?["g3"]?.string == "own")
        #expect(tap["attributes"]?["g4"] == nil)
        #expect(tap["attributes"]?["g7"]?.integer == 2)
        // 100 of the user's own, the id and the first touch.
        #expect(tap["user"]?.members?.count == 102)
        #expect(tap["user"]?["u7"]?["value"]?.integer == 2)
        // The globals g0 ... g499 without two, beside four presets and one own: two too many, and the mistake of g4.
        #expect(outcome.codes == [2005] + Array(repeating: 2004, count: 3))
    }

    @Test("item categories of the published SDK are renamed on the way in")
    func categories() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("tap", items: [["id": 1, "item_category": "a", "item_category5": "e"]])
        let item = try Outcome(phone).event("tap")["items"]?.array?.first
        #expect(item?.members?.map(\.name) == ["id", "category", "category5"])
    }

    @Test("a crash's stack is cut at 65535 bytes, not at the limit of other attributes")
    func stack() throws {
        let phone = Phone()
        try phone.launch(configure: { $0.tracksExceptions = true }).crash(
            message: "m",
            stack: String(repeating: "\u{4E2D}", count: 30_000)
        )
        _ = phone.log.take()
        _ = try phone.launch()
        let outcome = Outcome(phone)
        #expect(outcome.reported == [])
        let stack = try outcome.event(EventName.appException)["attributes"]?["_exception_stack"]?.string
        #expect(stack?.utf8.count == 65_535)
    }

    // MARK: - What the server could not read

    @Test(
        "a reserved name that the server reads as an integer accepts no other type",
        arguments: [
            ("_session_number", 5, nil), ("_session_number", "5", nil), ("_session_number", 5.5, 2002),
            ("_session_duration", "long", 2002), ("_session_start_timestamp", true, 2002),
            ("_previous_timestamp", 1.0, 2002), ("_engagement_time_msec", "", 2002), ("_session_id", 5, nil),
        ] as [(String, AttributeValue, Int?)]
    )
    func wholeNumbers(name: String, value: AttributeValue, code: Int?) throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.record("tap", attributes: [name: value])
        let outcome = Outcome(phone)
        #expect(outcome.codes == (code.map { [$0] } ?? []))
        let findings = WireJudge.judge(try outcome.event("tap"), receivedAt: nil)
        #expect(findings.map(\.code) == (code.map { ["\($0)"] } ?? []))
        client.addGlobalAttributes([name: value])
        #expect(Outcome(phone).codes == (code.map { [$0] } ?? []))
    }

    @Test(
        "so does the user's age; the user id is a user id, wherever it is set",
        arguments: [
            ("_user_age", 34, nil), ("_user_age", "34", 3003), ("_user_age", 34.0, 3003),
            ("_user_age", 3_000_000_000, 3003), ("_user_id", "", 3003), ("_user_id", "carl", nil),
        ] as [(String, AttributeValue, Int?)]
    )
    func user(name: String, value: AttributeValue, code: Int?) throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.addUserAttributes([name: value])
        let outcome = Outcome(phone)
        #expect(outcome.codes == (code.map { [$0] } ?? []))
        #expect(WireJudge.judge(try outcome.event(EventName.profileSet), receivedAt: nil) == [])
    }

    @Test("an attribute named like the user id is no login: it is omitted from events, with a warning")
    func userIDAttribute() throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.addUserAttributes(["plan": "gold", AttributeName.userID: "anna"])
        client.setUserID("carl")
        client.setUserID(nil)
        let notices = phone.log.take()
        let ids = try notices.events.map { try JSONReader.parse($0.json)["user"]?["_user_id"]?["value"]?.string }
        #expect(ids == [nil, "carl", nil])
        let warnings = notices.filter { "\($0)".contains("\"_user_id\" is not sent") }
        #expect(warnings.count == 1)
    }

    @Test("an automatic screen without a usable name is rejected; an oversized id is omitted")
    func screens() throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.screen(name: "")
        client.screen(name: String(repeating: "x", count: 1_025))
        client.screen(name: "Home", id: String(repeating: "x", count: 1_025), uniqueID: "h")
        let outcome = Outcome(phone)
        #expect(outcome.names == [EventName.clickstreamError, EventName.clickstreamError, EventName.screenView])
        #expect(outcome.codes == [5001, 5001])
        let view = try outcome.event(EventName.screenView)
        #expect(view["attributes"]?["_screen_id"] == nil)
        #expect(view["attributes"]?["_screen_unique_id"]?.string == "h")
        #expect(WireJudge.judge(view, receivedAt: nil) == [])
    }

    @Test("an event that replaces an invalid one reports only that violation")
    func errorEventWithTooMany() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addGlobalAttributes(Attributes((0..<500).map { ("g\($0)", 1) }))
        _ = phone.log.take()
        client.record("bad name")
        let outcome = Outcome(phone)
        let members = try #require(try outcome.event(EventName.clickstreamError)["attributes"]?.members)
        // 500 that count, and the two that do not.
        #expect(members.count == 502)
        #expect(Set(members.map(\.name)).count == 502)
        #expect(members.last { $0.name == "_error_code" }?.value.integer == 1001)
        #expect(outcome.codes == [1001] + Array(repeating: 2004, count: 4))
    }

    // MARK: - Very many

    @Test(
        "reports the first hundred violations individually, and the others as a count",
        arguments: [100, 101, 103]
    )
    func many(count: Int) throws {
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.record("tap", attributes: Attributes((0..<count).map { ("bad \($0)", 1) }))
        let outcome = Outcome(phone)
        #expect(outcome.codes == Array(repeating: 2002, count: min(count, 101)))
        let last = outcome.reported.last?.message ?? ""
        #expect(last.hasPrefix(count == 103 ? "3 more mistakes, the first of them: " : "invalid event attribute name "))
    }

    @Test("thousands of attributes produce one event of bounded size, and few notices", arguments: ["n", "bad "])
    func tenThousand(prefix: String) throws {
        let attributes = Attributes((0..<TestLength.count(2_000, full: 10_000)).map { ("\(prefix)\($0)", 1) })
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        client.record("tap", attributes: attributes)
        client.addUserAttributes(attributes)
        client.addGlobalAttributes(attributes)
        client.record("tap", items: Array(repeating: attributes, count: 50))
        let outcome = Outcome(phone)
        #expect(outcome.reported.count < 410)
        #expect(outcome.events.count < 210)
        #expect(outcome.events.allSatisfy { $0.json.count < 20_000 })
        for event in outcome.events {
            let reported = event["_error_code"] != nil
            #expect(WireJudge.judge(try JSONReader.parse(event.json), receivedAt: nil).count == (reported ? 1 : 0))
        }
    }

    @Test("texts of several megabytes cost one scan")
    func fiveMegabytes() throws {
        for script in [RuleCase.Script.ascii, .joinedEmoji, .null] {
            let text = script.text(TestLength.count(1_500_000, full: 5_000_000) / script.rawValue.utf8.count)
            let phone = Phone()
            let client = try phone.launch()
            _ = phone.log.take()
            client.record(text)
            client.record("tap", attributes: ["text": text, text: 1], items: [["id": 1, "text": text]])
            client.addUserAttributes(["text": text])
            client.setUserID(text)
            client.record("_screen_view", attributes: ["_screen_name": text])
            client.screen(name: text)
            let outcome = Outcome(phone)
            #expect(outcome.codes == [1002, 2003, 2001, 4002, 3004, 3004, 5001, 5001])
            #expect(outcome.events.allSatisfy { $0.json.count < 2_000 })
        }
    }

    @Test("10 000 texts of 200 KB are not all scanned")
    func manyLongTexts() {
        let text = String(repeating: "x", count: 200_000)
        let attributes = Attributes((0..<10_000).map { ("n\($0)", .string(text)) })
        var findings: [Violation] = []
        let elapsed = processorTime {
            _ = Validator.checkAttributes(own: attributes, globals: [:], presetCount: 0, into: &findings)
        }
        #expect(findings.count == Rules.maxFindings + 1)
        // In a debug build all of them take half a minute, a hundred a third of a second.
        #expect(elapsed < .seconds(8))
    }
}
