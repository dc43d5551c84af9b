#if Collector
import GRDB
import GRDBSQLite

/// Sequence numbers of the events of a request: those directly before its own. SQL that validates the number of events.
///
/// A wrong number includes events of other requests, or hides those of the request; with such numbers in all requests, a query would read all
/// events for each of them. Every query that reads events by their request uses this, and takes one search of the preceding request for it.
enum RequestRange {
    private static let function = "clickstream_first_event"
    /// Code of the function's error: damage of the file, with an extension that SQLite does not use.
    fileprivate static let errorCode = SQLITE_CORRUPT | (0xC5 << 8)
    /// SQLite's flag of a function that no schema may call. A library older than 3.30 ignores it.
    private static let directOnly: Int32 = 0x0008_0000

    /// SQL of the number of the first event of a request. Fails, as ``StoreDamage``, for a number of events that no collector writes.
    /// - Parameter request: table of the request, or its alias.
    static func firstEvent(of request: String) -> String {
        let previous = "(SELECT MAX(p.seq) FROM requests p WHERE p.seq < \(request).seq)"
        return "\(function)(\(request).seq, \(request).events, \(previous))"
    }

    /// Defines the function of ``firstEvent(of:)`` for a connection.
    static func define(in connection: OpaquePointer) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | directOnly
        let code = sqlite3_create_function_v2(
            connection,
            function,
            3,
            flags,
            nil,
            { context, _, values in
                guard let values else { return }
                let (sequence, previous) = (sqlite3_value_int64(values[0]), sqlite3_value_int64(values[2]))
                let events = sqlite3_value_int64(values[1])
                let isInteger = sqlite3_value_type(values[1]) == SQLITE_INTEGER
                if isInteger, StoredRange.sequence.contains(sequence), StoredRange.count.contains(events),
                    events < sequence,
                    sequence - events > previous
                {
                    sqlite3_result_int64(context, sequence - events)
                    return
                }
                let isCount = isInteger && StoredRange.count.contains(events)
                let found = isCount ? StoreDamage.overlap.found : isInteger ? "\(events)" : "no integer"
                sqlite3_result_error(context, found, -1)
                sqlite3_result_error_code(context, RequestRange.errorCode)
            },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}

extension StoreDamage {
    /// Damage that a reader or ``RequestRange/firstEvent(of:)`` has found; `nil` for another error.
    init?(_ error: any Error) {
        if let damage = error as? StoreDamage {
            self = damage
            return
        }
        guard let error = error as? DatabaseError, error.extendedResultCode.rawValue == RequestRange.errorCode else {
            return nil
        }
        self.init(column: Self.overlap.column, found: error.message ?? "")
    }

    /// The error, converted if it is such damage.
    static func converting(_ error: any Error) -> any Error {
        if let damage = StoreDamage(error) { damage } else { error }
    }

    /// Calls `body`, whose error for such damage it converts.
    static func reporting<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw converting(error) }
    }
}
#endif
