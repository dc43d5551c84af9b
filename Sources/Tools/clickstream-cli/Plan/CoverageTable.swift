import ClickstreamCore
import ClickstreamPlan

/// The comparison of `plan coverage` for a person.
struct CoverageTable: Sendable {
    let style: Style
    /// Columns of the terminal; `nil` for unlimited lines.
    let width: Int?

    /// Maximum number of rows for events that are not planned.
    private static let maxUnplanned = 50

    /// The planned events, those that were never seen first, then the unplanned ones, and the share.
    func lines(of report: CoverageReport) -> [String] {
        let events = report.value["events"]?.array ?? []
        func listed(_ state: PlanCoverage.State) -> [JSONValue] {
            events.filter { $0["state"]?.string == state.rawValue }
        }
        let (never, seen, unplanned) = (listed(.neverSeen), listed(.seen), listed(.unplanned))
        let shown = unplanned.prefix(Self.maxUnplanned)
        var rows = [["event", "events", "first seen", "last seen", "findings", ""]]
        for event in never { rows.append(row(event, "never seen")) }
        for event in seen { rows.append(row(event, "")) }
        for event in shown { rows.append(row(event, "unplanned")) }
        if unplanned.count > shown.count {
            rows.append(["(\(Plural.count(unplanned.count - shown.count, "other name")))", "", "", "", "", "unplanned"])
        }
        var lines: [String] = []
        if rows.count > 1 {
            let table = Table(rows, rightAligned: [1, 4], width: width).lines
            lines = table.enumerated().map { index, line in
                if index == 0 { return style.heading(line) }
                if index <= never.count { return style.warning(line) }
                return index > never.count + seen.count ? style.faint(line) : line
            }
        }
        return lines + [report.share.text]
    }

    private func row(_ event: JSONValue, _ mark: String) -> [String] {
        let count = event.count("events")
        return [
            Console.escaped(event["name"]?.string ?? ""), "\(count)", time(event["first_received"]),
            time(event["last_received"]), count == 0 ? "" : "\(event.count("events_with_findings"))", mark,
        ]
    }

    private func time(_ value: JSONValue?) -> String {
        value?.integer.map { Timestamp(milliseconds: $0).description } ?? ""
    }
}
