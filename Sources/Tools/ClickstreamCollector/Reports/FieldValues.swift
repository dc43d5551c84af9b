#if Collector
import ClickstreamCore
import GRDB

/// Numbers of the values of a field in the events of a scan, and the values with these numbers. The number of no value is 0.
///
/// The numbers of a column are those of the store's texts; the values in the events' texts are collected in a table.
struct FieldValues {
    private let field: ReportField?
    private let column: Int32
    private var table = ValueTable()
    private var texts: TextTable

    /// - Parameters:
    ///   - field: `nil` for no value at all.
    ///   - column: index of the column ``ReportField/sql``.
    init(_ field: ReportField?, _ database: Database, column: Int32) {
        self.field = field
        self.column = column
        texts = TextTable(database)
    }

    /// Number of the value of a column in a row; 0 for a field in the events' texts.
    func number(_ row: RowReader) throws -> UInt32 {
        switch field {
        case nil, .member?: 0
        case .column(.status)?: try row.boolean(column, "events.is_bad") ? 2 : 1
        case .column?: try row.text(column, "events")
        }
    }

    /// Number of a value in a text: see ``ValueTable/number(ofExact:)``.
    mutating func number(ofExact text: ArraySlice<UInt8>) throws -> UInt32 {
        try table.number(ofExact: text)
    }

    /// Value with a number; a long one is cut as in an excerpt of an event.
    mutating func value(_ number: UInt32) throws -> JSONValue {
        if number == 0 { return JSONValue(.null) }
        switch field {
        case .column(.status)?:
            return JSONValue(.string((number == 2 ? CollectedStatus.bad : .good).rawValue))
        case .member?:
            return table[number]
        case .column?, nil:
            return JSONValue(.string(try texts.excerpt(Int64(number))))
        }
    }
}

extension ReportField {
    /// SQL for the column of the field: a number of a text, or of `status`; NULL for a value in the events' texts.
    var sql: String {
        switch self {
        case .column(.status): "e.is_bad"
        case .column(.user): EventScan.user
        case .column(let column): "e.\(column.rawValue)"
        case .member: "NULL"
        }
    }

    /// True for a value in the events' texts.
    var isInText: Bool { path != nil }

    /// Path of a value in the events' texts; `nil` for a column.
    var path: MemberPath? {
        if case .member(let names) = self { MemberPath(names) } else { nil }
    }
}
#endif
