import ClickstreamCore
import ClickstreamJudges
import ClickstreamServer
import ClickstreamSimulation
import Testing

@Suite("An event of a visitor")
struct VisitorEventTests {
    private static let start = #""sdk_name":"aws-solution-clickstream-sdk","sdk_version":"\#(SDK.version)""#

    /// The line without its id and the fields that every event has.
    private func line(of visitor: Visitor, attributes: Attributes = [:], items: [Attributes] = []) throws -> String {
        let site = Site()
        let events = try site.start()
        events.record("view", attributes, items, for: visitor)
        let line = try #require(site.takeLines().first)
        let id = try #require(RecordedEvent(json: Array(line.utf8))).id
        let head =
            #"{"event_type":"view","event_id":"\#(id)","timestamp":1704067200000,"app_id":"shop",\#(Self.start),"#
        #expect(line.hasPrefix(head))
        return String(line.dropFirst(head.count))
    }

    @Test("has only the fields of its visitor")
    func least() throws {
        #expect(try line(of: Visitor(deviceID: "d-1")) == #""device_id":"d-1","unique_id":"d-1","attributes":{}}"#)
    }

    @Test("has each field that its visitor has")
    func maximum() throws {
        let visitor = Visitor(
            deviceID: "d-1",
            userID: "u",
            userAttributes: ["plan": "gold", "age_group": 3],
            session: Visitor.Session(id: "s", number: 4, start: Timestamp(milliseconds: 1_704_067_199_000)),
            screen: Visitor.Screen(name: "Cart", id: "/cart", uniqueID: "1"),
            locale: "de_DE",
            platform: "Web",
            userAgent: #"a "quoted" agent"#,
            ip: "192.0.2.1"
        )
        let fields =
            #""device_id":"d-1","locale":"de_DE","platform":"Web","unique_id":"d-1","#
            + #""user":{"_user_id":{"value":"u","set_timestamp":1704067200000},"#
            + #""plan":{"value":"gold","set_timestamp":1704067200000},"#
            + #""age_group":{"value":3,"set_timestamp":1704067200000}}"#
        let attributes =
            #""_session_id":"s","_session_start_timestamp":1704067199000,"_session_number":4,"_session_duration":1000,"#
            + #""_screen_name":"Cart","_screen_id":"/cart","_screen_unique_id":"1","#
            + #""_user_agent":"a \"quoted\" agent","_ip":"192.0.2.1","a":1"#
        #expect(try line(of: visitor, attributes: ["a": 1]) == fields + #","attributes":{\#(attributes)}}"#)
    }

    @Test("is written alike on the fast path and on the general path", arguments: [Attributes(), ["a": 1]])
    func paths(own: Attributes) throws {
        let visitor = Visitor(
            deviceID: "d",
            session: Visitor.Session(id: "s", number: 1, start: Timestamp(milliseconds: 0)),
            screen: "Home",
            ip: "::1"
        )
        var slow = own
        slow["text"] = "a \"b\""
        var fast = own
        fast["text"] = "a b"
        let lines = try (line(of: visitor, attributes: slow), line(of: visitor, attributes: fast))
        #expect(lines.0.replacing(#"a \"b\""#, with: "a b") == lines.1)
    }

    @Test("is sent with items")
    func items() throws {
        let line = try line(of: Visitor(deviceID: "d"), items: [["id": "1", "price": 2.5]])
        #expect(line == #""device_id":"d","unique_id":"d","items":[{"id":"1","price":2.5}],"attributes":{}}"#)
    }

    @Test("replaces an attribute of its visitor by an own one of the same name")
    func shadow() throws {
        let line = try line(of: Visitor(deviceID: "d", screen: "Home"), attributes: ["_screen_name": "Cart"])
        #expect(line == #""device_id":"d","unique_id":"d","attributes":{"_screen_name":"Cart"}}"#)
    }

    @Test("has none of the empty texts of its visitor")
    func empty() throws {
        let visitor = Visitor(deviceID: "d", userID: "", screen: "", locale: "", platform: "", userAgent: "", ip: "")
        #expect(try line(of: visitor) == #""device_id":"d","unique_id":"d","attributes":{}}"#)
    }

    @Test("is accepted by the rules of the server")
    func judged() throws {
        let visitor = Visitor(
            deviceID: "d",
            userID: "u",
            userAttributes: ["_user_age": 30],
            session: Visitor.Session(deviceID: "d", number: 1, start: Timestamp(milliseconds: 1_704_067_200_000)),
            screen: "Home",
            userAgent: "agent",
            ip: "192.0.2.1"
        )
        let site = Site()
        let events = try site.start()
        events.record("view", ["a": 1], for: visitor)
        let line = try #require(site.takeLines().first)
        let verdict = WireJudge.verdict(
            on: try JSONReader.parse(Array(line.utf8)),
            receivedAt: Timestamp(milliseconds: 1_704_067_201_000),
            reportsSuggestions: true
        )
        #expect(verdict.findings.isEmpty)
    }

    @Test("reports what the rules discard by its code")
    func invalid() throws {
        let site = Site()
        let events = try site.start()
        let visitor = Visitor(deviceID: "d", userID: String(repeating: "u", count: 257), userAttributes: ["a b": 1])
        events.record("view", for: visitor)
        let recorded = try #require(site.takeLines().first.flatMap { RecordedEvent(json: Array($0.utf8)) })
        #expect(recorded.error == .userAttributeValueTooLong)
        #expect(recorded.user.isEmpty)
    }

    @Test("is rejected and counted without a usable device id", arguments: ["", String(repeating: "d", count: 256)])
    func unusable(deviceID: String) throws {
        let site = Site()
        let events = try site.start()
        events.record("view", for: Visitor(deviceID: deviceID))
        #expect(site.takeLines() == [])
        #expect(events.accounts == ServerAccounts(recorded: 1, delivered: 0, retained: 0, dropped: [.rejected: 1]))
    }

    @Test("is taken from the visitor of the task")
    func taskLocal() async throws {
        let site = Site()
        let events = try site.start()
        #expect(!events.record("view"))
        await ServerEvents.withVisitor(Visitor(deviceID: "a")) {
            await Task { _ = events.record("view") }.value
        }
        ServerEvents.withVisitor(Visitor(deviceID: "b")) { _ = events.record("view") }
        #expect(site.takeLines().map { $0.contains(#""device_id":"a""#) } == [true, false])
    }
}
