import ClickstreamCore

/// Order of a list of events, and the cursors of its pages.
///
/// Events with equal values are in the order of arrival. Ascending, an event without a value follows those with one; descending is
/// the reverse of ascending.
struct EventOrder: Sendable, Hashable {
    /// Value by which events are sorted.
    enum Field: Sendable, Hashable {
        /// Position in the order of arrival.
        case received
        /// Time of the event, or else that of its arrival.
        case time
        case column(ReportField.Column)
    }

    enum Direction: String, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    enum Value: Sendable, Hashable {
        case number(Int64)
        /// Compared by code points.
        case text(String)
    }

    /// Position of an event.
    struct Position: Sendable, Hashable {
        /// Sequence number of the event.
        var sequence: Int64
        /// Value of the event; `nil` if it has none.
        var value: Value?
    }

    /// Maximum number of characters of a text that are compared, which bounds cursors and the memory of a query.
    static let maxCharacters = 256

    var field = Field.received
    var direction = Direction.ascending

    var isDescending: Bool { direction == .descending }

    // MARK: - Cursors

    /// Cursor of the page after a position: `FIELD.DIRECTION.SEQUENCE.VALUE`. The value is a number, a text in hexadecimal, or `-`.
    ///
    /// Contains the value itself, so that it remains valid when the event and its texts are removed.
    func cursor(after position: Position) -> String {
        let value =
            switch position.value {
            case nil: "-"
            case .number(let number): "\(number)"
            case .text(let text): SHA256.hexadecimal(text.utf8)
            }
        return "\(field.name).\(direction.rawValue).\(position.sequence).\(value)"
    }

    /// Position of a cursor.
    /// - Returns: `nil` for a text that is no cursor of this order.
    func position(cursor: String) -> Position? {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let sequence = Int64(parts[2]), sequence > 0 else { return nil }
        var position = Position(sequence: sequence)
        switch field {
        case .received, .time:
            guard let number = Int64(parts[3]) else { return nil }
            position.value = .number(number)
        case .column:
            if parts[3] != "-" { position.value = .text(Self.text(hexadecimal: parts[3])) }
        }
        // Rejects another order, invalid digits and invalid UTF-8.
        return self.cursor(after: position) == cursor ? position : nil
    }

    /// Text with these UTF-8 bytes. Invalid digits count as 0.
    private static func text(hexadecimal digits: Substring) -> String {
        let values = digits.utf8.map { $0.hexadecimalValue ?? 0 }
        let pairs = stride(from: 0, to: values.count - 1, by: 2)
        return String(decoding: pairs.map { values[$0] << 4 | values[$0 + 1] }, as: UTF8.self)
    }
}

extension EventOrder.Field: CaseIterable {
    static let allCases: [Self] = [.received, .time] + ReportField.Column.allCases.map { .column($0) }

    /// Value of the parameter `sort`.
    var name: String {
        switch self {
        case .received: "received"
        case .time: "time"
        case .column(let column): column.rawValue
        }
    }
}
