/// Table whose rows end with a bar for a share.
struct ShareTable: Sendable {
    /// Cells of a row, and its share from 0 to 1; `nil` for a row without a bar.
    struct Row: Sendable, Hashable {
        var cells: [String]
        var share: Double?
    }

    let lines: [String]

    /// Maximum columns of a bar, and the least for which there are bars.
    private static let maxBar = 24
    private static let minBar = 8
    /// Least columns of the table beside bars.
    private static let minTable = 40
    private static let gap = 2
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// - Parameter width: maximum columns of a line; `nil` for any number.
    init(_ header: [String], _ rows: [Row], rightAligned: Set<Int>, width: Int?, style: Style) {
        let cells = [header] + rows.map(\.cells)
        let natural = Table(cells, rightAligned: rightAligned, width: nil).lines.map(\.count).max() ?? 0
        let free = (width ?? .max) - natural - Self.gap
        var bar = min(Self.maxBar, max(Self.minBar, free))
        if let width, width - bar - Self.gap < Self.minTable { bar = 0 }
        let space = bar == 0 ? 0 : bar + Self.gap
        let table = Table(cells, rightAligned: rightAligned, width: width.map { $0 - space }).lines
            .map { line in width.map { Table.cut(line, to: $0 - space) } ?? line }
        let columns = table.map(\.count).max() ?? 0
        lines = table.enumerated().map { index, line in
            guard index > 0 else { return style.heading(line) }
            let text = Self.bar(rows[index - 1].share ?? 0, columns: bar)
            if text.isEmpty { return line }
            return line + String(repeating: " ", count: columns - line.count + Self.gap) + style.bar(text)
        }
    }

    /// Bar in eighths of a column; a share above zero has at least one.
    static func bar(_ share: Double, columns: Int) -> String {
        guard share > 0, columns > 0 else { return "" }
        let units = max(1, Int((min(1, share) * Double(columns * 8)).rounded()))
        return String(repeating: "█", count: units / 8) + eighths[units % 8]
    }

    /// A share such as `12.5 %`; empty for `nil`.
    static func percent(_ share: Double?) -> String {
        guard let share, share.isFinite else { return "" }
        let tenths = Int((min(max(share, 0), 1_000) * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
