package import ClickstreamCore

/// Members of an event. Of a JSON text, only those are built as values that are read, and the others are skipped.
package struct EventMembers: Sendable {
    private enum Source: Sendable {
        case value(JSONValue)
        case text([UInt8], [(name: String, value: Range<Int>)])
    }

    private let source: Source

    /// The maximum number of members of an event.
    private static let maxCount = 65_536
    /// Elements of arrays are not built.
    private static let bounds = JSONReader.Bounds(objectDepth: 3, arrayDepth: 0, container: 4_096, values: 8_192)

    package init(_ event: JSONValue) {
        source = .value(event)
    }

    /// Validates the text, which costs about a nanosecond per byte; `nil` if it is not the JSON of an object.
    package init?(json text: [UInt8]) {
        let depth = JSONReader.deepestNesting
        guard let members = try? JSONReader.members(of: text[...], maxDepth: depth, maxCount: Self.maxCount) else {
            return nil
        }
        source = .text(text, members)
    }

    /// The value for a name; the last one if the name is duplicated. Each call parses the value of a text again.
    package subscript(name: String) -> JSONValue? {
        switch source {
        case .value(let event): event[name]
        case .text(let text, let members):
            members.last { Characters.areSame($0.name, name) }.flatMap { member in
                // Cannot fail, as the range was found by a JSON parser.
                try? JSONReader.parse(
                    text[member.value],
                    maxDepth: JSONReader.deepestNesting,
                    within: Self.bounds
                ).value
            }
        }
    }
}
