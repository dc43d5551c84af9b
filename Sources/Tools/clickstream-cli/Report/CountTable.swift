import ClickstreamCore

/// The report of `report count` for a person.
struct CountTable: Sendable {
    let style: Style
    /// Columns of the terminal; `nil` for unlimited lines.
    let width: Int?

    /// - Parameter report: the JSON of `/api/report/count`.
    func lines(of report: JSONValue) -> [String] {
        let total = report.count("events")
        guard total > 0 else { return [] }
        let values = report["values"]?.array ?? []
        let labels = Self.labels(of: values.map { $0["value"] ?? JSONValue(.null) })
        var rows = zip(labels, values).map { label, value in
            Self.row(label, value.count("events"), of: total, users: "\(value.count("users"))")
        }
        if let others = report["others"], others.count("values") > 0 {
            let label = "(\(Plural.count(Int(others.count("values")), "other value")))"
            rows.append(Self.row(label, others.count("events"), of: total, users: ""))
        }
        rows.append(Self.row("total", total, of: total, users: "\(report.count("users"))"))
        rows[rows.count - 1].share = nil
        let field = Console.escaped(report["by"]?.string ?? "value")
        return ShareTable(
            [field, "events", "share", "users"],
            rows,
            rightAligned: [1, 2, 3],
            width: width,
            style: style
        ).lines
    }

    private static func row(_ label: String, _ events: Int64, of total: Int64, users: String) -> ShareTable.Row {
        let share = Double(events) / Double(total)
        return ShareTable.Row(cells: [label, "\(events)", ShareTable.percent(share), users], share: share)
    }

    /// True if a report has events, and none of them has the field.
    static func isAbsent(in report: JSONValue) -> Bool {
        let values = report["values"]?.array ?? []
        return values.count == 1 && values[0]["value"]?.isNull == true && report["others"]?.count("values") ?? 0 == 0
    }

    /// Labels of the values of a column, each on one line.
    ///
    /// A text is in quotation marks if it would look like a label of the table, or, beside numbers, like one of them.
    static func labels(of values: [JSONValue]) -> [String] {
        let hasOthers = values.contains { $0.string == nil && !$0.isNull }
        return values.map { value in
            if value.isNull { return "(absent)" }
            guard let text = value.string else { return Console.escaped(value.description) }
            let isPlain = !text.isEmpty && text != "total" && !text.hasPrefix("(") && !text.hasPrefix("\"")
            return Console.escaped(isPlain && !(hasOthers && isLiteral(text)) ? text : value.description)
        }
    }

    /// True for the JSON text of a value.
    private static func isLiteral(_ text: String) -> Bool {
        do {
            _ = try JSONReader.parse(Array(text.utf8))
            return true
        } catch {
            return false
        }
    }
}

extension JSONValue {
    /// A member with a number of events, users or values; 0 if there is none.
    func count(_ name: String) -> Int64 { max(0, self[name]?.integer ?? 0) }
}
