#if Collector
import Foundation
import GRDB

/// Text in a condition of a query, compared as a whole: an argument of GRDB ends at U+0000.
struct TextArgument {
    /// SQL of the argument, with one placeholder.
    let sql: String
    let value: DatabaseValue

    init(_ text: String) {
        if text.utf8.contains(0) {
            // Bytes are bound with their number.
            (sql, value) = ("CAST(? AS TEXT)", Data(text.utf8).databaseValue)
        } else {
            (sql, value) = ("?", text.databaseValue)
        }
    }
}

extension Row {
    /// Reads the first row of a query, with texts as a whole: those of a row that GRDB fetches alone, or in an array, end at U+0000.
    /// - Returns: `nil` if there is no row.
    static func readFirst<Value>(
        _ database: Database,
        _ sql: String,
        _ arguments: StatementArguments,
        _ read: (Row) throws -> Value
    ) throws -> Value? {
        let rows = try fetchCursor(database, sql: sql, arguments: arguments)
        guard let row = try rows.next() else { return nil }
        return try read(row)
    }
}
#endif
