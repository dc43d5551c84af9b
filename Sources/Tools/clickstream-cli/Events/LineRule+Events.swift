import ClickstreamCore
import ClickstreamJudges

extension LineRule {
    static let notJSON = eventRule(
        code: "not_json",
        title: "Not JSON",
        meaning: "The line is not a JSON value. Each event must be on a line of its own.",
        fix: "Correct it at the column that the message names; write a pretty-printed event on one line."
    )

    static let lineTooLong = eventRule(
        code: "line_too_long",
        title: "Line too long",
        meaning: "The line is longer than \(LineReader.longestLine) bytes, more than any event can be.",
        fix: "Put each event on a line of its own: an array of events is not NDJSON."
    )

    static let unfitValue = eventRule(
        code: "unfit_value",
        title: "Value of a type that attributes do not have",
        meaning: "The value of an attribute must be a string, a number, true or false, not an array or an object.",
        fix: "Use one attribute for each part, or write the whole value as a string."
    )

    static let unknownKey = eventRule(
        code: "unknown_key",
        title: "Misspelt key",
        meaning:
            "An event has the keys event_type (or name), attributes, items and user; this key is similar to one of them.",
        fix: "Correct the spelling: the value of an unknown key is not recorded."
    )

    /// These rules, and those of `validate --archive`.
    static let all = [notJSON, lineTooLong, unfitValue, unknownKey] + pipeline

    /// Rule for a line with an event.
    private static func eventRule(code: String, title: String, meaning: String, fix: String) -> LineRule {
        LineRule(code: code, title: title, meaning: meaning, fix: fix, checkers: "validate, and record -")
    }

    /// Explanation of a code; `nil` for codes of other tables.
    static func explain(_ code: String) -> String? {
        guard let rule = all.first(where: { $0.code == code }) else { return nil }
        return """
            \(rule.code)  \(rule.title)

            \(rule.meaning)

            checked by  \(rule.checkers)
            what to do  \(rule.fix)

            """
    }
}
