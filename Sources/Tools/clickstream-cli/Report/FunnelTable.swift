import ClickstreamCore
import ClickstreamJudges

/// The report of `report funnel` for a person.
struct FunnelTable: Sendable {
    private let funnel: ReportReader.Funnel
    private let style: Style
    /// Columns of the terminal; `nil` for unlimited lines.
    private let width: Int?

    init(_ funnel: ReportReader.Funnel, style: Style, width: Int?) {
        self.funnel = funnel
        self.style = style
        self.width = width
    }

    /// A table of the steps, and one of the groups if there are any.
    /// - Parameter report: the JSON of `/api/report/funnel`.
    func lines(of report: JSONValue) -> [String] {
        let steps = report["steps"]?.array ?? []
        guard let first = steps.first, first.count("users") > 0 else { return [] }
        let rows = steps.enumerated().map { index, step in
            ShareTable.Row(
                cells: [
                    "\(index + 1)", Console.escaped(step["name"]?.string ?? ""), "\(step.count("users"))",
                    ShareTable.percent(step["of_first"]?.double),
                    index == 0 ? "" : ShareTable.percent(step["of_previous"]?.double),
                    Self.duration(step["median_ms"]), Self.duration(step["p90_ms"]),
                ],
                share: step["of_first"]?.double
            )
        }
        let header = ["", "step", units, "of first", "of previous", "median", "p90"]
        let table = ShareTable(header, rows, rightAligned: [0, 2, 3, 4, 5, 6], width: width, style: style)
        let groups = report["groups"]?.array ?? []
        return table.lines
            + (groups.isEmpty ? [] : [""] + lines(of: groups, steps: steps.count, others: report["others"]))
    }

    /// A row for each group: the numbers of all steps, and the share that reaches the last one.
    /// - Parameter others: numbers of the groups that are not listed.
    private func lines(of groups: [JSONValue], steps: Int, others: JSONValue?) -> [String] {
        let labels = CountTable.labels(of: groups.map { $0["value"] ?? JSONValue(.null) })
        var rows = zip(labels, groups).map { label, group in
            let reached = group["steps"]?.array ?? []
            let share = reached.last?["of_first"]?.double
            let counts = reached.map { "\($0.count("users"))" }
            return ShareTable.Row(cells: [label] + counts + [ShareTable.percent(share)], share: share)
        }
        if let others, others.count("values") > 0 {
            let label = "(\(Plural.count(Int(others.count("values")), "other value")))"
            rows.append(ShareTable.Row(cells: [label, "\(others.count("users"))"]))
        }
        let numbers = (0..<steps).map { "\($0 + 1)" }
        let header = [Console.escaped(funnel.field ?? "value")] + numbers + ["of first"]
        return ShareTable(header, rows, rightAligned: Set(1...(steps + 1)), width: width, style: style).lines
    }

    private var units: String {
        switch funnel.unit {
        case .user: "users"
        case .session: "sessions"
        }
    }

    private static func duration(_ value: JSONValue?) -> String {
        guard let milliseconds = value?.double, milliseconds.isFinite else { return "" }
        return ReadableDuration(milliseconds: Int64(min(max(0, milliseconds), 1e15))).description
    }

    /// Index of the first step that is not reached; `nil` if all are.
    static func firstUnreached(in report: JSONValue) -> Int? {
        report["steps"]?.array?.firstIndex { $0.count("users") == 0 }
    }
}
