import ClickstreamCore

/// A crash, and the events that preceded it.
struct CrashTimeline: Sendable {
    /// Milliseconds before a crash whose events belong to its report.
    static let milliseconds: Int64 = 30_000

    let crash: ReceivedEvent
    /// In the order of their times.
    let before: [ReceivedEvent]
    /// Number of earlier events that belong to the report, and are not in ``before``.
    let omitted: Int

    /// True if an event belongs to the report of a crash, by its time.
    static func precedes(_ event: ReceivedEvent, _ crash: ReceivedEvent) -> Bool {
        guard event.key != crash.key, let end = crash.time?.milliseconds, let time = event.time?.milliseconds else {
            return false
        }
        return time <= end && UInt64(bitPattern: end &- time) <= milliseconds
    }

    /// The crash, the events before it, and its breadcrumbs and stack.
    func lines(_ line: TailLine, _ style: Style) -> [String] {
        let width = line.width ?? .max
        let attributes = crash.event[FieldName.attributes]
        let message = attributes?[AttributeName.exceptionMessage]?.plainText ?? "(no message)"
        let app = [FieldName.appID, FieldName.appVersion, FieldName.platform, FieldName.deviceID]
            .compactMap { crash.event[$0]?.plainText }.map { Console.escaped($0) }
        let time = crash.time.map { "\($0)" } ?? "no time"
        let user = crash.userID ?? crash.uniqueID ?? "no user"
        var lines = Table.wrapped(Console.escaped(message), to: width).map { style.error($0) }
        lines.append(
            style.faint(Table.cut("\(time)  \(Console.escaped(user))  \(app.joined(separator: "  "))", to: width))
        )
        lines += ["", style.heading("The \(Self.milliseconds / 1_000) s before")]
        if omitted > 0 { lines.append("  \(Plural.count(omitted, "earlier event")) not shown") }
        lines += before.isEmpty ? ["  no events"] : before.flatMap { line.lines(of: $0) }
        for (title, name) in [
            ("Breadcrumbs", AttributeName.exceptionBreadcrumbs), ("Stack", AttributeName.exceptionStack),
        ] {
            guard let text = attributes?[name]?.string, !text.isEmpty else { continue }
            lines += ["", style.heading(title)]
            lines += text.split(separator: "\n").map { Table.cut("  " + Console.escaped(String($0)), to: width) }
        }
        return lines
    }

    /// `{ "crash", "before", "omitted" }`, with the events as they were received.
    var json: String {
        let events = before.map(\.json).joined(separator: ",")
        return "{\"crash\":\(crash.json),\"before\":[\(events)],\"omitted\":\(omitted)}"
    }
}
