import ArgumentParser
import ClickstreamCore

/// Condition on a value of an event: `attributes.value == 99.9`, `$.attributes.category != "shoes"`.
struct ValueCondition: Sendable, Hashable {
    let path: ValuePath
    /// True for `==`; false for `!=`, which holds if no value equals the given one.
    let isEquality: Bool
    let value: JSONValue
    /// The condition itself, if its value is a text that resembles a number.
    let numberLikeText: NumberLikeText?

    /// - Throws: `ValidationError` with the cause and an example.
    init(_ text: String) throws {
        func validationError(_ reason: String) -> ValidationError {
            RefusedValue.error(
                "--where '\(Console.escaped(text))': \(reason); for example 'attributes.value == 99.9' or "
                    + "'$.attributes.category == \"shoes\"'"
            )
        }
        var rest = text[...].drop { $0.isWhitespace }
        do {
            path = try ValuePath(&rest)
        } catch {
            throw validationError(error.reason)
        }
        rest = rest.drop { $0.isWhitespace }
        guard rest.hasPrefix("==") || rest.hasPrefix("!=") else {
            throw validationError(rest.hasPrefix("=") ? "use == for equality" : "missing == or != after \(path.text)")
        }
        isEquality = rest.hasPrefix("==")
        rest = rest.dropFirst(2)
        let json: JSONValue
        do {
            json = try JSONReader.parse(Array(rest.utf8))
        } catch {
            let word = rest.drop { $0.isWhitespace }
            throw validationError(
                word.isEmpty
                    ? "missing value"
                    : "\(Console.escaped(String(word))) is not a valid JSON value; put strings in quotation marks, as in \"shoes\""
            )
        }
        // As in `record`, a number in another spelling than the SDK writes is a text.
        guard let number = json.number, number.text != number.shortest.text else {
            value = json
            numberLikeText = nil
            return
        }
        value = JSONValue(.string(number.text))
        let comparison = "\(path.text) \(isEquality ? "==" : "!=")"
        numberLikeText =
            number.double.isFinite
            ? NumberLikeText(argument: "\(comparison) \(number.text)", number: "\(comparison) \(number.shortest.text)")
            : nil
    }

    var description: String { "\(path.text) \(isEquality ? "==" : "!=") \(value)" }

    func holds(for event: JSONValue) -> Bool {
        path.values(in: event).contains { $0.means(value) } == isEquality
    }

    /// Maximum scalars of a value in a report.
    static let maxFoundScalars = 1_000

    /// The actual value, as `attributes.value = 100`. A long one is cut.
    func found(in event: JSONValue) -> String {
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
