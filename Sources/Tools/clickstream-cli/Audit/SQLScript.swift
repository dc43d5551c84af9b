#if Audit
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Text with SQL statements, divided by SQLite itself, statement by statement: only SQLite finds the end of a trigger.
struct SQLScript: Sendable {
    /// Name in messages: a file, or the number of an argument.
    let name: String
    /// The text with a zero byte at its end, without which SQLite would copy the rest of the text for each statement.
    private let bytes: [UInt8]
    private let length: Int
    /// Offset of the next statement.
    private var offset = 0

    /// A statement, and its offset in the script.
    struct Statement: Sendable {
        var sql: String
        var offset: Int
    }

    /// Failure of a statement, with its place.
    struct Failure: Error {
        /// `file:line:column`.
        var location: String
        var message: String
    }

    init(_ text: [UInt8], name: String) {
        self.name = name
        bytes = text.withoutByteOrderMark + [0]
        length = bytes.count - 1
    }

    /// Returns the next statement; `nil` at the end. Call it after the previous statement was run, which may have created
    /// what this one uses.
    mutating func next(_ database: Database) throws -> Statement? {
        if offset == 0, let zero = bytes.firstIndex(of: 0), zero < length {
            throw Failure(
                location: location(of: zero),
                message: "the script contains a zero byte; write it as SQL text"
            )
        }
        while offset < length {
            let start = offset
            guard let end = try end(of: start, database) else {
                // A comment, or an empty statement.
                continue
            }
            offset = end
            return Statement(sql: String(decoding: bytes[start..<end], as: UTF8.self), offset: start)
        }
        return nil
    }

    /// Returns the end of the statement at an offset; `nil` without a statement before the next semicolon, which is then
    /// skipped.
    private mutating func end(of start: Int, _ database: Database) throws -> Int? {
        let connection = database.sqliteConnection
        return try bytes[start...].withUnsafeBufferPointer { text in
            try text.withMemoryRebound(to: CChar.self) { characters in
                var statement: OpaquePointer?
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v2(connection, characters.baseAddress, -1, &statement, &tail)
                defer { sqlite3_finalize(statement) }
                guard code == SQLITE_OK else {
                    let position = Int(sqlite3_error_offset(connection))
                    let message = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "error \(code)"
                    throw Failure(
                        location: location(of: position >= 0 ? start + position : first(from: start)),
                        message: message
                    )
                }
                let end = characters.baseAddress.flatMap { base in tail.map { start + ($0 - base) } } ?? length
                if statement != nil { return end }
                offset = max(end, start + 1)
                return nil
            }
        }
    }

    /// Failure of a statement at its execution.
    func failure(of statement: Statement, _ error: any Error) -> Failure {
        let message = (error as? DatabaseError)?.message ?? "\(error)"
        return Failure(location: location(of: first(from: statement.offset)), message: message)
    }

    private func location(of offset: Int) -> String {
        let position = SourcePosition(of: offset, in: bytes)
        return "\(name):\(position.line):\(position.column)"
    }

    /// Offset of the first character that is neither white space nor part of a comment.
    private func first(from start: Int) -> Int {
        var at = start
        while at < length {
            let rest = bytes[at..<length]
            if bytes[at] <= 0x20 {
                at += 1
            } else if rest.starts(with: "--".utf8) {
                at = rest.firstIndex(of: UInt8(ascii: "\n")) ?? length
            } else if rest.starts(with: "/*".utf8) {
                at += 2
                while at < length, !bytes[at...].starts(with: "*/".utf8) { at += 1 }
                at = min(length, at + 2)
            } else {
                return at
            }
        }
        return start
    }
}
#endif
