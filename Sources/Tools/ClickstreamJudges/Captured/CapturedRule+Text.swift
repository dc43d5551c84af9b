import ClickstreamCore

/// The rules of captured events as text, for the documents and the command line.
extension CapturedRule {
    /// All codes, in the order of the table.
    static var codes: [String] { all.flatMap { rule in rule.forms.map { rule.code($0) } } }

    /// The last section of Docs/error-codes.md.
    static var markdown: String {
        let paths = String.list(CapturedFormat.captured.map { "`\($0.path)`" }, "and")
        var text = """

            ## Checks of captured events and audit events

            The collector checks events at \(paths) by these rules, and `validate --form` the events of a file. Warnings never \
            make an event bad.

            | code | severity | meaning | what to do |
            |---|---|---|---|

            """
        for rule in all {
            let codes = rule.forms.map { "`\(rule.code($0))`" }.joined(separator: ", ")
            text += "| \(codes) | \(rule.severity.rawValue) | \(rule.meaning) | \(rule.fix) |\n"
        }
        return text
    }

    /// Rows for a terminal, the first with the titles of the columns.
    static var rows: [[String]] {
        [["CODE", "SEVERITY", "RULE"]]
            + all.flatMap { rule in rule.forms.map { [rule.code($0), rule.severity.rawValue, rule.title] } }
    }

    /// Explanation of a code; `nil` for an unknown one.
    static func explain(_ code: String) -> String? {
        guard let (rule, form) = find(code) else { return nil }
        return """
            \(code)  \(rule.title)

            \(rule.meaning)

            severity    \(rule.severity.rawValue)
            checked by  the local collector and validate, in the format \(form.rawValue)
            what to do  \(rule.fix)

            """
    }
}
