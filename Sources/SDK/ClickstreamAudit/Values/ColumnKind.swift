/// Rule by which a column's values are recorded, from the column's declared type.
enum ColumnKind: Sendable, Hashable {
    /// Excluded from all events.
    case blob
    case uuid
    case boolean
    case date
    /// Recorded as text, without loss of precision.
    case decimal
    case json
    /// Numbers and text as they are.
    case plain

    /// - Parameter declaration: the declared type, such as `DECIMAL(10,2)`; compared without case and parentheses.
    init(declaration: String) {
        let type = declaration.prefix { $0 != "(" }.uppercased().trimmingSpaces
        switch type {
        case "BLOB": self = .blob
        case "UUID": self = .uuid
        case "BOOLEAN", "BOOL": self = .boolean
        case "DECIMAL", "NUMERIC": self = .decimal
        case "JSON": self = .json
        case _ where type.hasPrefix("DATE") || type.hasPrefix("TIMESTAMP"): self = .date
        default: self = .plain
        }
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
