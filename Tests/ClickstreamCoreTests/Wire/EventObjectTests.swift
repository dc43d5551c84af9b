import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("EventObject")
struct EventObjectTests {
    private static let moment = Moment(wall: Timestamp(milliseconds: 1_000), steady: 0)
    private static let session = Session(id: "s", number: 1, start: moment.wall, takenUpAt: moment)
    private static let screen = Screen(name: "Home", uniqueID: "u")

    private static func composer(globals: Attributes = [:]) -> EventComposer {
        var context = EventContext(
            appID: "shop",
            device: ClickstreamClient.Device(platform: "Linux"),
            deviceID: "d1",
            user: User(uniqueID: "u1", firstTouch: moment.wall),
            sendsUserAttributes: true,
            session: session,
            globals: GlobalAttributes(globals),
            isActive: true
        )
        context.screen = screen
        return EventComposer(ids: SeededIDs(seed: 1), context: context)
    }

    /// The part of an event between two others.
    private static func part(of line: borrowing EventLine, after start: String, to end: String) -> String {
        let text = String(decoding: line.json, as: UTF8.self)
        guard let start = text.firstRange(of: start)?.upperBound,
            let end = text[start...].firstRange(of: end)?.lowerBound
        else { return text }
        return String(text[start..<end])
    }

    // MARK: Precedence

    private struct Row: Sendable {
        var preset: Attributes = [:]
        var own: Attributes = [:]
        var globals: Attributes = [:]
        var expected: String
        /// True if the violation follows the expected attributes.
        var hasError = false
    }

    private static let sessionAttributes =
        #""_session_id":"s","_session_start_timestamp":1000,"_session_number":1,"_session_duration":0"#
    private static let origin = sessionAttributes + #","_screen_name":"Home","_screen_unique_id":"u""#

    private static let rows = [
        Row(own: ["a": 1], globals: ["b": 2], expected: origin + #","a":1,"b":2"#),
        Row(own: ["a": 1], globals: ["a": 2], expected: origin + #","a":1"#),
        Row(preset: ["a": 0], own: ["a": 1], globals: ["a": 2], expected: origin + #","a":0"#),
        Row(preset: ["b": 0], own: ["a": 1], globals: ["b": 2], expected: origin + #","b":0,"a":1"#),
        Row(globals: ["_screen_name": "Cart"], expected: origin),
        Row(
            own: ["_screen_name": "Cart"],
            globals: ["_screen_name": "Shelf"],
            expected: sessionAttributes + #","_screen_unique_id":"u","_screen_name":"Cart""#
        ),
        Row(
            preset: ["_screen_name": "View"],
            own: ["_screen_name": "Cart"],
            expected: sessionAttributes + #","_screen_unique_id":"u","_screen_name":"View""#
        ),
        Row(own: ["a": AttributeValue.double(.nan)], globals: ["a": 2], expected: origin, hasError: true),
        Row(
            own: ["a": AttributeValue.double(.nan), "_error_code": 7],
            globals: ["_error_message": "x", "b": 2],
            expected: origin + #","b":2"#,
            hasError: true
        ),
        Row(own: ["_error_code": 7], expected: origin + #","_error_code":7"#),
    ]

    @Test(
        "of attributes with one name, contains the library's, else the caller's, else the origin's, else the global one",
        arguments: rows.indices
    )
    func precedence(index: Int) throws {
        let row = Self.rows[index]
        var composer = Self.composer(globals: row.globals)
        var line = EventLine()
        let draft = EventDraft("tap", preset: row.preset, own: row.own)
        let composed = composer.compose(draft, into: &line, at: Self.moment)
        var expected = Array(row.expected.utf8)
        if row.hasError {
            let error = try #require(composed.violations.firstError)
            expected.append(contentsOf: #","_error_code":\#(error.code.rawValue),"_error_message":"#.utf8)
            expected.append(json: error.message)
        }
        let attributes = Self.part(of: line, after: #","attributes":{"#, to: "}}")
        #expect(attributes == String(decoding: expected, as: UTF8.self))
    }

    // MARK: Paths

    @Test("is the same with prepared attributes of its origin and with a list of them", arguments: 0..<30)
    func origins(seed: UInt64) {
        var input = ArbitraryInput(seed: seed)
        let list =
            EventObject.attributes(
                ofSession: Self.session.id,
                start: Self.session.start,
                number: Self.session.number,
                duration: 0
            ) + [
                Attributes.Element(name: AttributeName.screenName, value: .string(Self.screen.name)),
                Attributes.Element(name: AttributeName.screenUniqueID, value: .string(Self.screen.uniqueID)),
            ]
        for _ in 0..<20 {
            var findings: [Violation] = []
            let globals = Validator.checkGlobals(input.attributes(), existing: [:], into: &findings)
            var composer = Self.composer(globals: globals)
            var line = EventLine()
            var listed = EventLine()
            _ = composer.compose(EventDraft("tap"), into: &line, at: Self.moment)
            let common = Self.part(of: line, after: #""timestamp":1000,"#, to: #","attributes":{"#)

            let preset: Attributes = input.number(0..<3) == 0 ? [input.name(): input.value()] : [:]
            let draft = EventDraft("tap", preset: preset, own: input.attributes(), items: input.items())
            let composed = composer.compose(draft, into: &line, at: Self.moment)
            Array(common.utf8).withUnsafeBytes { fields in
                EventObject.write(
                    composed.event,
                    common: [],
                    fields: fields,
                    attributes: list,
                    globals: globals,
                    verdict: composed.verdict,
                    error: composed.violations.firstError,
                    into: &listed
                )
            }
            #expect(String(decoding: line.json, as: UTF8.self) == String(decoding: listed.json, as: UTF8.self))
        }
    }

    @Test("is the same for encoded attributes and for a draft", arguments: [[:], ["plan": "free"]] as [Attributes])
    func encoded(globals: Attributes) throws {
        var composer = Self.composer(globals: globals)
        var line = EventLine()
        var encoded = EventLine()
        let preset: Attributes = [
            CapturedField.elementID.rawValue: "b\"1",
            CapturedField.elementInputLength.rawValue: 3,
            CapturedField.targetResponsive.rawValue: true,
        ]
        let draft = EventDraft(CapturedName.click.rawValue, preset: preset)
        let composed = composer.compose(draft, into: &line, at: Self.moment)
        let json = try #require(composer.context.globals.json(for: [:], count: 64, hasReservedNames: true))
        composer.context.writer.write(
            composed.event.name,
            id: composed.event.id,
            globals: json,
            at: Self.moment,
            into: &encoded
        ) { line in
            line.append(.elementID, "b\"1")
            line.append(.elementInputLength, Int64(3))
            line.append(.targetResponsive, true)
        }
        #expect(String(decoding: line.json, as: UTF8.self) == String(decoding: encoded.json, as: UTF8.self))
    }
}
