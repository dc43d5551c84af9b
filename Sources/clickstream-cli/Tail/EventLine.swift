#if Tools
import ClickstreamCore

/// How one event is written on a line. Pure: what an app sent can neither move a cursor nor make a line of its own.
struct EventLine: Sendable {
    let format: TailCommand.Format
    let style: Style

    /// How many attributes a person is shown, and how much of each.
    private static let shownAttributes = 6
    private static let shownLength = 48

    /// The event; for a person, what is wrong with it stands on lines below.
    func lines(of event: ReceivedEvent) -> [String] {
        switch format {
        case .human: [humanLine(of: event)] + event.violations.map(humanLine)
        case .logfmt: [logfmtLine(of: event)]
        // In JSON these characters stand in texts alone, where they may be written as numbers.
        case .json, .ndjson: [Console.escaped(event.element.description)]
        }
    }

    // MARK: - For a person

    private func humanLine(of event: ReceivedEvent) -> String {
        let time = event.time.map { $0.description.prefix(23).split(separator: "T").joined(separator: " ") }
        let mark = event.isBad ? style.warning("bad") : style.good("ok ")
        var parts = [
            style.faint(padded(time ?? "no time", to: 23)), mark,
            style.heading(padded(Self.shown(event.name ?? "(no name)"), to: 20)),
            padded(Self.user(of: event), to: 12),
            style.faint(padded(Self.shown(event.session ?? "-"), to: 8)),
        ]
        parts += Self.keyAttributes(of: event)
        var line = parts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    private func humanLine(of violation: ReceivedEvent.Violation) -> String {
        let code = Self.shown(violation.code)
        return "    \(violation.isWarning ? style.faint(code) : style.warning(code))  "
            + "\(ReplayReport.meaning(of: violation.code)): \(Console.escaped(violation.message))"
    }

    private static func user(of event: ReceivedEvent) -> String {
        if let user = event.userID, !user.isEmpty { return shown(user) }
        return event.uniqueID.map { shown("~" + $0.prefix(8)) } ?? "-"
    }

    /// Own attributes first, then those of the library that say what the event is about.
    private static func keyAttributes(of event: ReceivedEvent) -> [String] {
        let telling = [
            AttributeName.errorCode, AttributeName.errorMessage, AttributeName.screenName, AttributeName.engagementTime,
        ]
        let attributes = event.attributes
        let own = attributes.filter { !$0.name.hasPrefix("_") }
        let others = telling.compactMap { name in attributes.last { $0.name == name } }
        let chosen = (own.isEmpty ? others : others.filter { $0.name == AttributeName.errorCode } + own)
        var parts = chosen.prefix(shownAttributes).map { "\(shown($0.name))=\(shown($0.value.description))" }
        if chosen.count > shownAttributes { parts.append("+\(chosen.count - shownAttributes)") }
        if let items = event.event["items"]?.array, !items.isEmpty { parts.append("items=\(items.count)") }
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
        add("name", event.name)
        add("user", event.userID)
        add("unique_id", event.uniqueID)
        add("session", event.session)
        add("event_id", event.event["event_id"]?.plainText)
        add("request", event.element["request_id"]?.plainText)
        let codes = event.violations.map(\.code)
        add("codes", codes.isEmpty ? nil : codes.joined(separator: ","))
        for attribute in event.attributes where attribute.name != AttributeName.sessionID {
            add("attributes." + Self.key(attribute.name), attribute.value.plainText ?? attribute.value.description)
        }
        if let items = event.event["items"]?.array, !items.isEmpty { add("items", "\(items.count)") }
        return pairs.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
    }

    /// A name that cannot be taken for the end of a pair.
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

    /// In quotation marks where a reader would need them.
    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"=\\".utf8.contains($0) }
        if isPlain { return value }
        return Console.escaped(JSONValue(.string(value)).description)
    }
}
#endif
