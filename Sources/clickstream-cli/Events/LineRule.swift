#if Tools
import ClickstreamCore

/// What can be wrong with a line before the rules can look at the event in it: found by `validate` and `record -`.
struct LineRule: Sendable, Hashable {
    /// A text, like the codes of the server's rules.
    let code: String
    let title: String
    let meaning: String
    let fix: String

    static let notJSON = LineRule(
        code: "not_json",
        title: "Not JSON",
        meaning: "The line is not one JSON text. Each event stands on a line of its own.",
        fix: "Correct it at the column that the message names; write a pretty-printed event on one line."
    )

    static let lineTooLong = LineRule(
        code: "line_too_long",
        title: "Line too long",
        meaning: "The line is longer than \(LineReader.longestLine) bytes, more than any event can be.",
        fix: "Put each event on a line of its own: an array of events is not NDJSON."
    )

    static let unfitValue = LineRule(
        code: "unfit_value",
        title: "Value of a type that no attribute has",
        meaning: "The value of an attribute is a text, a number, true or false; a list or an object is none of them.",
        fix: "Give each part an attribute of its own, or write the whole as a text."
    )

    static let unknownKey = LineRule(
        code: "unknown_key",
        title: "Misspelt key",
        meaning: "An event is written with event_type (or name), attributes, items and user; this key is nearly one.",
        fix: "Correct its spelling: what stands under it is not recorded."
    )

    static let all = [notJSON, lineTooLong, unfitValue, unknownKey]

    /// What a code means, or `nil` when it is none of these.
    static func explain(_ code: String) -> String? {
        guard let rule = all.first(where: { $0.code == code }) else { return nil }
        return """
            \(rule.code)  \(rule.title)

            \(rule.meaning)

            checked by  validate, and record -
            what to do  \(rule.fix)

            """
    }
}
#endif
