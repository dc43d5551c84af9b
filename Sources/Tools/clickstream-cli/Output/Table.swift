import ClickstreamJudges

/// Rows with aligned columns.
struct Table: Sendable {
    let lines: [String]

    /// - Parameter width: the columns of the terminal; the widest left-aligned column is cut to fit. Nil: any width.
    init(_ rows: [[String]], indent: Int = 2, rightAligned: Set<Int> = [], width: Int? = Console.columns) {
        let columns = rows.map(\.count).max() ?? 0
        var widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        let total = indent + widths.reduce(0, +) + 2 * max(0, columns - 1)
        let widest = widths.indices.filter { !rightAligned.contains($0) }.max { widths[$0] < widths[$1] }
        if let width, total > width, let widest { widths[widest] = max(8, widths[widest] - (total - width)) }
        lines = rows.map { row in
            var line = String(repeating: " ", count: indent)
            for (column, whole) in row.enumerated() {
                let cell = Self.cut(whole, to: widths[column])
                if column > 0 { line += "  " }
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += rightAligned.contains(column) ? padding + cell : cell + padding
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The text, or its beginning and `…` where it is longer.
    static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }

    /// The text in rows of whole words; a longer word has a row of its own.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        width > 10 ? text.rows(of: width) : [text]
    }

    /// The lines of a text, wrapped to a width. Continuation lines are indented like the text behind a label of twelve
    /// columns, or like their first line.
    static func wrapped(linesOf text: String, to width: Int?) -> String {
        guard let width else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > width else { return String(line) }
            let label = line.prefix(12)
            let indent = label.hasSuffix("  ") && line.first != " " ? label.count : line.prefix { $0 == " " }.count
            let rows = wrapped(String(line.dropFirst(indent)), to: width - indent)
            return line.prefix(indent) + rows.joined(separator: "\n" + String(repeating: " ", count: indent))
        }
        return lines.joined(separator: "\n")
    }
}
