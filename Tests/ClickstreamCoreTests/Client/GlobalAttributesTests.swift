import Testing

@testable import ClickstreamCore

@Suite("GlobalAttributes")
struct GlobalAttributesTests {
    private struct Row: Sendable {
        var globals: Attributes
        var attributes: Attributes = [:]
        var count = 20
        var hasReservedNames = false
        /// `nil` if the global attributes are checked with the event.
        var json: String?
    }

    private static let maxCount = Rules.attributes.maxCount

    private static let rows = [
        Row(globals: [:], json: ""),
        Row(globals: [:], attributes: ["a": 1], count: maxCount, hasReservedNames: true, json: ""),
        Row(globals: [:], count: maxCount + 1),
        Row(globals: ["a": 1, "b": "x\""], attributes: ["c": 2], json: #","a":1,"b":"x\"""#),
        Row(globals: ["a": 1], attributes: ["c": 2], count: maxCount, hasReservedNames: true, json: #","a":1"#),
        Row(globals: ["a": 1], count: maxCount + 1),
        Row(globals: ["a": 1], attributes: ["b": 2, "a": 3]),
        // The library adds attributes with reserved names to events of visitors and to captured ones.
        Row(globals: ["_element_id": "x"], json: #","_element_id":"x""#),
        Row(globals: ["_element_id": "x"], hasReservedNames: true),
        // It adds these to all events.
        Row(globals: ["_screen_name": "x"]),
        Row(globals: ["a": 1, "_session_id": "x"]),
        Row(globals: ["_error_code": 7]),
    ]

    @Test("are JSON for events that have none of their names and are not too many", arguments: rows.indices)
    func json(index: Int) {
        let row = Self.rows[index]
        let json = GlobalAttributes(row.globals)
            .json(for: row.attributes, count: row.count, hasReservedNames: row.hasReservedNames)
        #expect(json.map { String(decoding: $0, as: UTF8.self) } == row.json)
    }
}
