import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// Suggested limits: a warning above the number, never an error.
@Suite("Suggested limits")
struct AdviceTests {
    private let recorder = ClickstreamTestRecorder()

    private static func text(_ length: Int) -> String { String(repeating: "a", count: length) }

    private static func attributes(_ count: Int) -> Attributes {
        Attributes((0..<count).map { ("a\($0)", .integer(1)) })
    }

    private static func view(adding count: Int) -> Attributes {
        var attributes: Attributes = ["_screen_name": "Home"]
        attributes.merge(Self.attributes(count))
        return attributes
    }

    private static func items(_ count: Int) -> [Attributes] {
        (0..<count).map { ["id": $0] }
    }

    /// Names with a leading underscore of the two manuals, as attributes, user attributes and events.
    private static let reservedAttributes = [
        "_session_id", "_session_start_timestamp", "_session_duration", "_session_number", "_screen_name", "_screen_id",
        "_screen_unique_id", "_previous_screen_name", "_previous_screen_id", "_previous_screen_unique_id",
        "_previous_timestamp", "_entrances", "_engagement_time_msec", "_is_first_time", "_previous_app_version",
        "_previous_os_version", "_exception_message", "_exception_stack", "_error_code", "_error_message",
        "_traffic_source_source", "_traffic_source_medium", "_traffic_source_campaign", "_traffic_source_campaign_id",
        "_traffic_source_term", "_traffic_source_content", "_traffic_source_clid", "_traffic_source_clid_platform",
        "_traffic_source_name", "_app_install_channel", "_channel", "_device_vendor_id", "_device_advertising_id",
        "_user_id", "_user_name", "_user_age", "_user_city", "_user_ltv_revenue", "_user_ltv_currency",
        "_user_first_touch_timestamp",
    ]

    private static let reservedEvents = [
        "_first_open", "_session_start", "_screen_view", "_app_end", "_user_engagement", "_profile_set", "_app_start",
        "_app_exception", "_app_update", "_os_update", "_clickstream_error",
    ]

    @Test("do not warn of a name that a manual reserves", arguments: reservedAttributes)
    func reservedAttribute(name: String) {
        for rules in [Rules.attributes, Rules.globalAttributes, Rules.userAttributes] {
            var findings: [Violation] = []
            Validator.suggest(name, .integer(1), rules, into: &findings)
            #expect(findings == [])
        }
    }

    @Test("do not warn of an event that a manual reserves", arguments: reservedEvents)
    func reservedEvent(name: String) {
        var findings: [Violation] = []
        Validator.suggestions(forEventName: name, into: &findings)
        #expect(findings == [])
    }

    /// Call and its expected warnings.
    static let cases: [(does: @Sendable (ClickstreamClient) -> Void, says: [String])] = [
        ({ $0.record(text(25)) }, []),
        (
            { $0.record(text(26)) },
            ["suggestion 1002: event name \"\(text(26))\" has 26 characters; at most 25 are suggested"]
        ),
        (
            { $0.record("_mine") },
            [
                "suggestion 1001: event name \"_mine\" starts with a reserved underscore, but is not a known"
                    + " reserved name"
            ]
        ),
        ({ $0.record("e", attributes: [text(25): text(100), "_traffic_source_clid_platform": "x"]) }, []),
        (
            { $0.record("e", attributes: [text(26): text(101)]) },
            [
                "suggestion 2001: event attribute name \"\(text(26))\" has 26 characters; at most 25 are suggested",
                "suggestion 2003: the value of event attribute \"\(text(26))\" has 101 characters; at most 100 are"
                    + " suggested",
            ]
        ),
        // The event also contains four of the library's own.
        ({ $0.record("e", attributes: attributes(46)) }, []),
        (
            { $0.record("e", attributes: attributes(47)) },
            ["suggestion 2004: event \"e\" has 51 attributes; at most 50 attributes are suggested"]
        ),
        (
            {
                $0.addGlobalAttributes(["g": 1])
                $0.record("e", attributes: attributes(46))
            },
            ["suggestion 2004: event \"e\" has 51 attributes; at most 50 attributes are suggested"]
        ),
        ({ $0.addUserAttributes(attributes(25)) }, []),
        (
            { $0.addUserAttributes(attributes(26)) },
            ["suggestion 3001: the user's profile has 26 attributes; at most 25 attributes are suggested"]
        ),
        (
            { $0.addUserAttributes([text(26): text(51)]) },
            [
                "suggestion 3002: user attribute name \"\(text(26))\" has 26 characters; at most 25 are suggested",
                "suggestion 3004: the value of user attribute \"\(text(26))\" has 51 characters; at most 50 are suggested",
            ]
        ),
        (
            { $0.addGlobalAttributes([text(26): 1]) },
            [
                "suggestion 2001: global attribute name \"\(text(26))\" has 26 characters; at most 25 are suggested"
            ]
        ),
        (
            { $0.record("_screen_view", attributes: ["_screen_name": text(200), text(26): 1]) },
            ["suggestion 2001: event attribute name \"\(text(26))\" has 26 characters; at most 25 are suggested"]
        ),
        // The view contains the screen's name, its unique id, the entrance and four attributes of the session.
        ({ $0.record("_screen_view", attributes: view(adding: 43)) }, []),
        (
            { $0.record("_screen_view", attributes: view(adding: 44)) },
            ["suggestion 2004: event \"_screen_view\" has 51 attributes; at most 50 attributes are suggested"]
        ),
        ({ $0.record("e", items: items(50)) }, []),
        (
            { $0.record("e", items: items(51)) },
            ["suggestion 4001: event \"e\" has 51 items; at most 50 items are suggested"]
        ),
        (
            { $0.record("e", items: [["id": 1, text(26): text(101)]]) },
            [
                "suggestion 4004: items[0]: item attribute name \"\(text(26))\" has 26 characters; at most 25 are"
                    + " suggested",
                "suggestion 4002: items[0]: the value of item attribute \"\(text(26))\" has 101 characters; at most 100 are"
                    + " suggested",
            ]
        ),
    ]

    @Test("warn above the number, not at it, and are no error", arguments: cases.indices)
    func limits(index: Int) throws {
        let client = try recorder.launch()
        Self.cases[index].does(client)
        #expect(recorder.warnings == Self.cases[index].says)
        try recorder.expectNoViolations()
        try recorder.expectNoEvent("_clickstream_error")
        #expect(recorder.events.allSatisfy { $0.error == nil })
    }

    @Test("warn once for each name")
    func once() throws {
        let client = try recorder.launch()
        for _ in 0..<3 {
            client.record(Self.text(26), attributes: [Self.text(27): 1], items: [["id": 1, Self.text(28): 1]])
        }
        #expect(recorder.warnings.count == 3)
        client.record("other", attributes: [Self.text(27): 1, Self.text(29): 1])
        #expect(recorder.warnings.count == 4)
    }

    @Test("ignore an attribute that was discarded for an error")
    func discarded() throws {
        let client = try recorder.launch()
        client.record("e", attributes: [Self.text(51): 1])
        #expect(recorder.warnings == [])
        #expect(recorder.violations.map(\.code) == [.attributeNameTooLong])
    }

    @Test("remember a limited number of names, and then stop warning")
    func bounded() throws {
        let client = try recorder.launch()
        for number in 0..<(Advice.maxNames + 100) { client.record("_made_up_\(number)") }
        #expect(recorder.warnings.count == Advice.maxNames)
    }

    @Test("apply to attributes in the configuration, too")
    func configured() throws {
        _ = try recorder.launch { $0.globalAttributes = [Self.text(26): 1] }
        #expect(recorder.warnings.count == 1)
    }
}
