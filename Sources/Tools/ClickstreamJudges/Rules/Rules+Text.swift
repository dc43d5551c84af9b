package import ClickstreamCore

/// The table as text, for the documents and the command line.
extension Rules {
    /// The whole of Docs/error-codes.md.
    package static var markdown: String {
        var text = """
            # Error codes

            What the library, the local collector and `clickstream-cli validate` check, and what becomes of whatever \
            breaks a rule. This file is written from the table in `Sources/SDK/ClickstreamCore/Rules/Rules.swift`, which the \
            code executes; a test compares the two. `clickstream-cli rules` prints it, `clickstream-cli explain 2003` \
            explains one row.

            Nothing here throws or stops an app. A broken rule is reported in a notice and as one line on standard error, \
            and it reaches the server: as `_error_code` and `_error_message` in the event itself (the first mistake of \
            several), or as a `_clickstream_error` event with those two attributes where there is no event to carry them. \
            Messages hold names and lengths, never values. Characters are Unicode scalars: double-width characters count \
            like single-width ones. Above a suggested limit there is a warning, and everything is kept.

            ## Limits

            | code | rule | suggested | hard limit | effect | recorded in |
            |---|---|---|---|---|---|

            """
        for rule in all {
            text += "| \(rule.code) | \(rule.title) | \(rule.counted(rule.suggestion)) | \(rule.counted(rule.limit)) "
            text += "| \(rule.effect.phrase) | `\(rule.record.rawValue)` |\n"
        }
        text += "\n## Each code\n"
        for rule in all {
            text += "\n### \(rule.code): \(rule.title)\n\n"
            text += "\(rule.meaning)\n\n"
            text += "- example: `\(rule.example)`\n"
            text += "- what to do: \(rule.fix)\n"
        }
        text += """

            ## Further checks of the server

            The published pipeline drops or misreads these; the collector and `validate` report them with a text code. \
            Warnings never make an event bad.

            | code | severity | meaning | what to do |
            |---|---|---|---|

            """
        for rule in ServerRule.all {
            text += "| `\(rule.code)` | \(rule.severity.rawValue) | \(rule.meaning) | \(rule.fix) |\n"
        }
        return text + ServerField.markdown + CapturedRule.markdown
    }

    /// Lines for a terminal, in columns.
    /// - Parameter width: the columns of the terminal; wide cells are wrapped. `nil` for any width.
    package static func human(width: Int? = nil) -> String {
        var rows = [["CODE", "RULE", "SUGGESTED", "LIMIT", "EFFECT", "RECORDED IN"]]
        for rule in all {
            rows.append([
                rule.code.description, rule.title, rule.counted(rule.suggestion), rule.counted(rule.limit),
                rule.effect.phrase, rule.record.rawValue,
            ])
        }
        var serverRows = [["CODE", "SEVERITY", "RULE"]]
        for rule in ServerRule.all { serverRows.append([rule.code, rule.severity.rawValue, rule.title]) }
        return aligned(rows, width: width) + "\nFurther checks of the server:\n" + aligned(serverRows, width: width)
            + "\nFields that the server reads as a certain type:\n" + ServerField.human(width: width)
            + "\nChecks of captured events and audit events:\n" + aligned(CapturedRule.rows, width: width)
    }

    /// A JSON array with one object per row; absent limits are `null`.
    package static var json: String {
        let objects = all.map { rule in
            let members = [
                ("code", rule.code.description),
                ("subject", quoted(rule.subject.rawValue)),
                ("title", quoted(rule.title)),
                ("check", quoted(rule.check.rawValue)),
                ("limit", rule.limit.map { String($0) } ?? "null"),
                ("suggested", rule.suggestion.map { String($0) } ?? "null"),
                ("unit", rule.unit.map { quoted($0.rawValue) } ?? "null"),
                ("effect", quoted(rule.effect.rawValue)),
                ("recorded_in", quoted(rule.record.rawValue)),
                ("meaning", quoted(rule.meaning)),
                ("example", quoted(rule.example)),
                ("fix", quoted(rule.fix)),
            ]
            return "  {" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
        }
        return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
    }

    /// All codes: the numbers of the library's rules, and the texts of the server's, of captured events and of audit events.
    package static var codes: [String] {
        all.map(\.code.description) + ServerRule.all.map(\.code) + CapturedRule.codes
    }

    /// Explanation of a code, which is a number or a server's text code; `nil` for an unknown one.
    package static func explain(_ code: String) -> String? {
        if let number = Int(code), let rule = Rules[ErrorCode(rawValue: number)] { return explanation(rule) }
        guard let rule = ServerRule.all.first(where: { $0.code == code }) else { return CapturedRule.explain(code) }
        return """
            \(rule.code)  \(rule.title)

            \(rule.meaning)

            severity    \(rule.severity.rawValue)
            checked by  \(rule.checkers)
            what to do  \(rule.fix)
            \(ServerField.fields(of: rule.code))
            """
    }

    package static func explain(_ code: ErrorCode) -> String? {
        explain(code.description)
    }

    private static func explanation(_ rule: Rule) -> String {
        """
        \(rule.code)  \(rule.title)

        \(rule.meaning)

        hard limit  \(rule.counted(rule.limit))
        suggested   \(rule.counted(rule.suggestion))
        effect      \(rule.effect.phrase)
        recorded    \(rule.record.phrase)
        example     \(rule.example)
        what to do  \(rule.fix)

        """
    }

    /// ASCII text as a JSON string.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for character in text {
            if character == "\"" || character == "\\" { result += "\\" }
            result.append(character)
        }
        return result + "\""
    }

    /// Returns the rows in aligned columns.
    /// - Parameter width: the maximum width; the widest columns are wrapped until the table fits, down to 12
    ///   characters.
    private static func aligned(_ rows: [[String]], width: Int? = nil) -> String {
        var widths: [Int] = []
        // The longest words, which are not broken.
        var words: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count {
                    widths.append(0)
                    words.append(12)
                }
                widths[column] = max(widths[column], cell.count)
                words[column] = max(words[column], cell.split(separator: " ").map(\.count).max() ?? 0)
            }
        }
        var excess = widths.reduce(2 * (widths.count - 1), +) - (width ?? .max)
        while excess > 0,
            let widest = widths.indices.filter({ widths[$0] > words[$0] }).max(by: { widths[$0] < widths[$1] })
        {
            widths[widest] -= 1
            excess -= 1
        }
        var text = ""
        for row in rows {
            let cells = row.enumerated().map { column, cell in cell.rows(of: widths[column]) }
            for index in 0..<(cells.map(\.count).max() ?? 0) {
                var line = ""
                for (column, rows) in cells.enumerated() {
                    let part = index < rows.count ? rows[index] : ""
                    line += part + String(repeating: " ", count: max(0, widths[column] - part.count) + 2)
                }
                while line.last == " " { line.removeLast() }
                text += line + "\n"
            }
        }
        return text
    }
}

extension ServerRule: CustomStringConvertible {
    package var description: String { "\(code): \(title)" }
}

extension Rule {
    fileprivate func counted(_ number: Int?) -> String {
        guard let number, let unit else { return "--" }
        return "\(number) \(unit.rawValue)"
    }
}

extension Rule.Effect {
    fileprivate var phrase: String {
        switch self {
        case .discardEvent: "discard the event"
        case .discardAttribute: "discard the attribute"
        case .discardItem: "discard the item"
        }
    }
}

extension Rule.Record {
    fileprivate var phrase: String {
        switch self {
        case .errorAttributes: "in _error_code and _error_message of the event"
        case .errorEvent: "in a _clickstream_error event with _error_code and _error_message"
        }
    }
}
