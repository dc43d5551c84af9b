import ClickstreamCore
import ClickstreamJudges

/// Formats one event on one line. Control characters in its values are escaped or replaced.
struct TailLine: Sendable {
    let format: TailCommand.Format
    let style: Style
    /// Columns of the terminal; nil for unlimited lines.
    var width: Int?

    /// Limits of the human format: number of attributes, and length of each.
    private static let shownAttributes = 6
    private static let shownLength = 48

    /// Lines of the event; in the human format its violations follow on lines of their own.
    func lines(of event: ReceivedEvent) -> [String] {
        switch format {
        case .human:
            [humanLine(of: event)] + event.violations.flatMap { humanLines(of: $0) } + unlistedLine(of: event)
        case .logfmt: [logfmtLine(of: event)]
        // In JSON these characters occur only in strings, where they may be escaped.
        case .json, .ndjson: [Console.escaped(event.json)]
        }
    }

    // MARK: - For a person

    /// One column of a line, and its colour.
    private struct Cell {
        var text: String
        let style: (String) -> String

        init(_ text: String, style: @escaping (String) -> String = { $0 }) {
            self.text = text
            self.style = style
        }
    }

    private func humanLine(of event: ReceivedEvent) -> String {
        let columns = width ?? .max
        // On a narrow terminal, date, session and user are omitted in favour of attributes.
        let isNarrow = columns < 110
        let time = event.time.map { $0.description.prefix(23).split(separator: "T").suffix(isNarrow ? 1 : 2) }
        let timeWidth = isNarrow ? 12 : 23
        var cells: [Cell] = [
            Cell(padded(time?.joined(separator: " ") ?? "no time", to: timeWidth)) { style.faint($0) },
            event.isBad ? Cell("bad") { style.error($0) } : Cell("ok ") { style.good($0) },
            Cell(padded(Self.shown(event.name ?? "(no name)"), to: 20)) { style.heading($0) },
        ]
        if event.form != .clickstream { cells.append(Cell(event.form.rawValue) { style.faint($0) }) }
        if columns >= 80 { cells.append(Cell(padded(Self.user(of: event), to: 12))) }
        if columns >= 130 {
            cells.append(Cell(padded(Self.shown(event.session ?? "-"), to: 8)) { style.faint($0) })
        }
        if let phrase = event.phrase { cells.append(Cell(Console.escaped(phrase.text))) }
        for text in Self.keyAttributes(of: event) { cells.append(Cell(text)) }
        // The last cells are cut, not wrapped.
        if let last = cells.indices.last {
            while cells[last].text.last == " " { cells[last].text.removeLast() }
        }
        var left = columns
        var line = ""
        for (index, cell) in cells.enumerated() {
            let gap = index == 0 ? "" : "  "
            guard left > gap.count + 3 else { break }
            let text = Table.cut(cell.text, to: left - gap.count)
            line += gap + cell.style(text)
            left -= gap.count + text.count
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    private func humanLines(of violation: ReceivedEvent.Violation) -> [String] {
        let code = Self.shown(violation.code)
        let text = "\(ReplayReport.meaning(of: violation.code)): \(Console.escaped(violation.message))"
        let indent = 4 + code.count + 2
        let rows = Table.wrapped(text, to: (width ?? .max) - indent)
        return rows.enumerated().map { index, row in
            guard index == 0 else { return String(repeating: " ", count: indent) + row }
            return "    \(violation.isWarning ? style.warning(code) : style.error(code))  \(row)"
        }
    }

    /// The number of findings that are not listed, if there are any.
    private func unlistedLine(of event: ReceivedEvent) -> [String] {
        let count = event.unlistedViolations
        return count > 0 ? ["    and \(Plural.count(count, "more finding")) not listed"] : []
    }

    private static func user(of event: ReceivedEvent) -> String {
        if let user = event.userID, !user.isEmpty { return shown(user) }
        return event.uniqueID.map { shown("~" + $0.prefix(8)) } ?? "-"
    }

    /// Attributes of a line: error, engagement and screen first in events of the library, after the app's own otherwise.
    ///
    /// Global attributes are in every event, so only the app's own attributes are limited in number.
    private static func keyAttributes(of event: ReceivedEvent) -> [String] {
        let attributes = event.attributes
        var reserved = [AttributeName.errorCode, AttributeName.errorMessage]
        let engagement = attributes.last { $0.name == AttributeName.engagementTime }
        // The phrases of these events have the engagement already.
        let isInPhrase = event.name == EventName.screenView || event.name == EventName.userEngagement
        if !isInPhrase || engagement?.value.integer == nil { reserved.append(AttributeName.engagementTime) }
        reserved.append(AttributeName.screenName)
        let own = attributes.filter { !$0.name.hasPrefix("_") }
        let others = reserved.compactMap { name in attributes.last { $0.name == name } }
        func texts(_ members: some Sequence<JSONMember>) -> [String] {
            members.map { member in
                if member.name == AttributeName.engagementTime, let milliseconds = member.value.integer {
                    return "engagement=\(ReadableDuration(milliseconds: milliseconds))"
                }
                let name = member.name == AttributeName.screenName ? "screen" : shown(member.name)
                return "\(name)=\(shown(member.value.description))"
            }
        }
        var ownParts = texts(own.prefix(shownAttributes))
        if own.count > shownAttributes { ownParts.append("+\(own.count - shownAttributes)") }
        var parts =
            event.name?.hasPrefix("_") == true
            ? texts(others) + ownParts
            : texts(others.prefix { $0.name == AttributeName.errorCode }) + ownParts
                + texts(others.drop { $0.name == AttributeName.errorCode })
        if event.form == .clickstream, let items = event.event[FieldName.items]?.array, !items.isEmpty {
            parts.append("items=\(items.count)")
        }
        return parts
    }

    private static func shown(_ text: String) -> String {
        let short = text.unicodeScalars.prefix(shownLength)
        let isCut = short.endIndex < text.unicodeScalars.endIndex
        return Console.escaped(String(String.UnicodeScalarView(short))) + (isCut ? "..." : "")
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    // MARK: - logfmt

    private func logfmtLine(of event: ReceivedEvent) -> String {
        var pairs: [(String, String)] = []
        func add(_ key: String, _ value: String?) {
            if let value { pairs.append((key, value)) }
        }
        add("time", event.time?.description)
        add("status", event.isBad ? "bad" : "good")
        add("form", event.form == .clickstream ? nil : event.form.rawValue)
        add("name", event.name)
        add("user", event.userID)
        add("unique_id", event.uniqueID)
        add("session", event.session)
        add("event_id", event.id)
        add("request", event.element["request_id"]?.plainText)
        let codes = event.violations.map(\.code)
        add("codes", codes.isEmpty ? nil : codes.joined(separator: ","))
        add("unlisted", event.unlistedViolations > 0 ? "\(event.unlistedViolations)" : nil)
        for attribute in event.attributes where attribute.name != AttributeName.sessionID {
            add("attributes." + Self.key(attribute.name), attribute.value.plainText ?? attribute.value.description)
        }
        if event.form == .clickstream, let items = event.event[FieldName.items]?.array, !items.isEmpty {
            add("items", "\(items.count)")
        }
        return pairs.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
    }

    /// A name without characters that end a pair.
    private static func key(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar {
                    case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": scalar
                    default: "_"
                    }
                }
            )
        )
    }

    /// The value, in quotation marks if it contains a space or a separator.
    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"=\\".utf8.contains($0) }
        if isPlain { return value }
        return Console.escaped(JSONValue(.string(value)).description)
    }
}
