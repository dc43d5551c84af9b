import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

extension ReplayReport {
    /// The report in human format.
    func human(in style: Style) -> String {
        var lines: [String] = []
        lines.append(style.heading("Replay"))
        lines += Self.rows(
            "\(Plural.events(recorded)) recorded, \(summary.events) stored by the collector: \(summary.goodEvents) good, "
                + "\(summary.badEvents) with errors, \(Plural.count(summary.duplicates, "duplicate"))",
            indent: 2
        )
        for format in captured {
            let counts = format.counts
            lines += Self.rows(
                "\(Plural.events(format.recorded)) in the format \(format.form.rawValue), \(counts.events) stored: "
                    + "\(counts.events - counts.badEvents) good, \(counts.badEvents) with errors",
                indent: 2
            )
        }
        lines += ["", style.heading("Sessions")]
        for session in sessions { lines += Self.lines(of: session, style) }
        if let decisions {
            lines += ["", style.heading("Why sessions start or continue")]
            for decision in decisions {
                lines += Self.rows(decision.text, indent: 2)
                var names = decision.names.map { Self.shown($0) }
                if decision.events > names.count { names.append("and \(decision.events - names.count) more") }
                if !names.isEmpty {
                    lines += Self.rows(names.joined(separator: ", "), indent: 6).map { style.faint($0) }
                }
            }
        }
        lines += ["", style.heading("Events by name")]
        lines += Table(eventsByName.map { [Self.shown($0.name), "\($0.count)"] }, rightAligned: [1]).lines
        lines += ["", style.heading("Errors by code")]
        if errorsByCode.isEmpty {
            lines.append("  none")
        } else {
            lines += Table(
                errorsByCode.map { [Self.shown($0.name), "\($0.count)", Self.meaning(of: $0.name)] },
                rightAligned: [1]
            ).lines.map { style.warning($0) }
        }
        lines += ["", style.heading("Requests")]
        lines += requestLines
        return lines.joined(separator: "\n")
    }

    private static func lines(of session: CollectedSession, _ style: Style) -> [String] {
        let start = session.start.description.prefix(19).split(separator: "T").joined(separator: " ")
        let number = session.number.map { "#\($0)" } ?? "#?"
        let engagement = ReadableDuration(milliseconds: session.engagement)
        let duration = ReadableDuration(milliseconds: session.duration)
        var facts = [Plural.events(session.events), "engagement \(engagement)"]
        if session.errors > 0 { facts.append("\(session.errors) with errors") }
        let width = Console.columns ?? .max
        let title = Table.cut(
            "  \(number)  \(start) UTC  \(duration)  \(shown(user(of: session)))",
            to: width
        )
        let account = facts.joined(separator: ", ")
        var lines =
            title.count + 2 + account.count <= width
            ? ["\(title)  \(style.faint(account))"]
            : [title] + rows(account, indent: 6).map { style.faint($0) }
        lines +=
            Table(
                session.screens.map { screen in
                    [
                        shown(screen.name ?? "(no name)"),
                        ReadableDuration(milliseconds: screen.engagement).description,
                    ]
                },
                indent: 6,
                rightAligned: [1]
            ).lines
        if session.screens.isEmpty { lines.append("      (no screens)") }
        return lines
    }

    /// The text wrapped to the width of the terminal.
    private static func rows(_ text: String, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        return Table.wrapped(text, to: (Console.columns ?? .max) - indent).map { space + $0 }
    }

    private var requestLines: [String] {
        var rows = requests.map { request in
            [
                request.bundleSequenceID.map { "bundle \($0)" } ?? "no bundle id",
                Plural.events(request.events),
                Self.bytes(request.rawBytes) + " raw",
                Self.bytes(request.encodedBytes) + " sent",
                Self.ratio(request.rawBytes, request.encodedBytes),
                request.reason.map { "unreadable: \($0)" } ?? "",
            ]
        }
        let raw = requests.reduce(0) { $0 + $1.rawBytes }
        let sent = requests.reduce(0) { $0 + $1.encodedBytes }
        rows.append(
            [
                "total", Plural.events(requests.reduce(0) { $0 + $1.events }), Self.bytes(raw) + " raw",
                Self.bytes(sent) + " sent", Self.ratio(raw, sent), "",
            ]
        )
        return Table(rows, rightAligned: [1, 2, 3, 4]).lines
    }

    private static func ratio(_ raw: Int, _ sent: Int) -> String {
        guard sent > 0 else { return "" }
        let tenths = (raw * 10 + sent / 2) / sent
        return "\(tenths / 10).\(tenths % 10) : 1"
    }

    private static func bytes(_ count: Int) -> String {
        guard count >= 1_000 else { return "\(count) B" }
        let tenths = (count + 50) / 100
        return "\(tenths / 10).\(tenths % 10) kB"
    }

    /// A received text made harmless for a terminal: control characters are replaced.
    static func shown(_ text: String) -> String {
        Console.harmless(String(String.UnicodeScalarView(text.unicodeScalars.prefix(80))))
    }
}
