package import ClickstreamCore

/// Condition on a value of an event: `attributes.value == 99.9`, `$.attributes.category != "shoes"`.
package struct ValueCondition: Sendable, Hashable {
    package let path: ValuePath
    /// True for `==`; false for `!=`, which holds if no value equals the given one.
    package let isEquality: Bool
    package let value: JSONValue
    /// The number that was given, if it has another spelling than the SDK writes: ``value`` is its text.
    package let number: JSONNumber?

    /// Error in a condition.
    package struct ParseError: Error, Sendable, Hashable {
        package var reason: String

        package init(reason: String) {
            self.reason = reason
        }
    }

    /// Examples for messages about an invalid condition.
    package static let examples = "'attributes.value == 99.9' or '$.attributes.category == \"shoes\"'"

    package init(_ text: String) throws(ParseError) {
        var rest = text[...].drop { $0.isWhitespace }
        do throws(ValuePath.ParseError) {
            path = try ValuePath(&rest)
        } catch {
            throw ParseError(reason: error.reason)
        }
        rest = rest.drop { $0.isWhitespace }
        guard rest.hasPrefix("==") || rest.hasPrefix("!=") else {
            throw ParseError(
                reason: rest.hasPrefix("=") ? "use == for equality" : "missing == or != after \(Self.cut(path.text))"
            )
        }
        isEquality = rest.hasPrefix("==")
        rest = rest.dropFirst(2)
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.parse(Array(rest.utf8))
        } catch {
            let word = rest.drop { $0.isWhitespace }
            throw ParseError(
                reason: word.isEmpty
                    ? "missing value"
                    : "\(Characters.escaped(Self.cut(String(word)))) is not a valid JSON value; put strings in quotation marks, as in \"shoes\""
            )
        }
        // As in `record`, a number in another spelling than the SDK writes is a text.
        let number = json.number.flatMap { $0.text == $0.shortest.text ? nil : $0 }
        value = number.map { JSONValue(.string($0.text)) } ?? json
        self.number = number
    }

    package var description: String { "\(path.text) \(isEquality ? "==" : "!=") \(value)" }

    package func holds(for event: JSONValue) -> Bool {
        path.values(in: event).contains { $0.means(value) } == isEquality
    }

    /// Maximum scalars of a value in a report.
    package static let maxFoundScalars = 1_000

    /// The actual value, as `attributes.value = 100`. A long one is cut.
    package func found(in event: JSONValue) -> String {
        let values = path.values(in: event)
        return values.isEmpty
            ? "no \(path.text)" : "\(path.text) = \(values.prefix(5).map { Self.cut($0) }.joined(separator: ", "))"
    }

    /// JSON text of a value, without a copy of a long string or number.
    private static func cut(_ value: JSONValue) -> String {
        switch value.kind {
        case .string(let text): JSONValue(.string(cut(text))).description
        case .number(let number): cut(number.text)
        default: cut(value.description)
        }
    }

    /// A text that ends in an ellipsis if it is too long.
    private static func cut(_ text: String) -> String {
        let beginning = text.unicodeScalars.prefix(maxFoundScalars)
        return beginning.endIndex == text.endIndex ? text : String(String.UnicodeScalarView(beginning)) + "…"
    }
}
