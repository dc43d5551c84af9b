import ClickstreamCore
import ClickstreamJudges

/// Rules for a line itself, before the rules for the event in it; used by `validate` and `record -`.
struct LineRule: Sendable, Hashable {
    /// A string, like the codes of the server's rules.
    let code: String
    let title: String
    let meaning: String
    let fix: String

    static let notJSON = LineRule(
        code: "not_json",
        title: "Not JSON",
        meaning: "The line is not a JSON value. Each event must be on a line of its own.",
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
        title: "Value of a type that attributes do not have",
        meaning: "The value of an attribute must be a string, a number, true or false, not an array or an object.",
        fix: "Use one attribute for each part, or write the whole value as a string."
    )

    static let unknownKey = LineRule(
        code: "unknown_key",
        title: "Misspelt key",
        meaning:
            "An event has the keys event_type (or name), attributes, items and user; this key is similar to one of them.",
        fix: "Correct the spelling: the value of an unknown key is not recorded."
    )

    /// These rules, and those of `validate --archive`.
    static let all = [notJSON, lineTooLong, unfitValue, unknownKey] + PipelineRule.all.map(LineRule.init)

    private init(code: String, title: String, meaning: String, fix: String) {
        self.code = code
        self.title = title
        self.meaning = meaning
        self.fix = fix
    }

    private init(_ rule: PipelineRule) {
        self.init(code: rule.code, title: rule.title, meaning: rule.meaning, fix: rule.fix)
    }

    /// Explanation of a code; `nil` for codes of other tables.
    static func explain(_ code: String) -> String? {
        guard let rule = all.first(where: { $0.code == code }) else { return nil }
        let isOfArchive = PipelineRule.all.contains { $0.code == code }
        return """
            \(rule.code)  \(rule.title)

            \(rule.meaning)

            checked by  \(isOfArchive ? "validate --archive" : "validate, and record -")
            what to do  \(rule.fix)

            """
    }
}
