#if Audit
import Foundation
import GRDBSQLite

/// Attribution of a statement's result columns to rows of tables. Immutable.
final class StatementPlan: Sendable {
    /// Result columns that belong to one row of one table.
    struct Part: Sendable {
        enum Key: Sendable {
            /// The result column with the row's number.
            case number(Int32)
            /// The result columns of the primary key.
            case columns([Int32])
            case content
        }

        /// The columns that are recorded: of a table with a custom representation, those of the key.
        let shape: ReadLog.Shape
        /// The result columns, in the order of the shape's columns.
        let results: [Int32]
        /// All result columns of the row, in the order of the table.
        let read: [Int32]
        let kinds: [ColumnKind]
        let key: Key
        /// True if the row may be that of an outer join without a match.
        let isOptional: Bool
        /// True if the columns may belong to different rows of the table.
        let isAmbiguous: Bool
        /// The shapes of single columns, for a part whose columns belong to different rows.
        let columns: [ReadLog.Shape]
        /// True if the part contains all columns of a table with a custom representation.
        let isRepresented: Bool
    }

    /// The text of the statement, terminated by a zero.
    let sql: [CChar]
    /// The number of result columns.
    let resultCount: Int32
    let parts: [Part]
    /// Tables and columns that the statement reads, if it returns values that cannot be attributed.
    let regions: [ReadLog.Region]

    init(sql: String, resultCount: Int32, parts: [Part] = [], regions: [ReadLog.Region] = []) {
        self.sql = Array(sql.utf8CString)
        self.resultCount = resultCount
        self.parts = parts
        self.regions = regions
    }

    /// True if the plan is that of a statement. Another one may have the address of a statement that has ended, and a
    /// statement that was prepared again after a change of the schema may have other columns.
    func isPlan(of statement: OpaquePointer) -> Bool {
        guard resultCount == sqlite3_column_count(statement), let text = sqlite3_sql(statement) else { return false }
        return strcmp(sql, text) == 0
    }
}

/// Names in the text of a statement, with the definitions of the views that it uses.
struct StatementWords {
    private var counts: [String: Int] = [:]
    private(set) var isCompound = false
    /// True if a statement contains `*` other than in `COUNT(*)`.
    private(set) var hasStar = false

    /// - Parameter views: definitions by name in lower case.
    init(_ sql: String, views: [String: String]) {
        var uses = 0
        var rest = [sql]
        while let text = rest.popLast() {
            var scanner = WordScanner(text)
            while let word = scanner.next() {
                if !word.isQuoted, ["union", "intersect", "except"].contains(word.text) { isCompound = true }
                // A keyword is a name only between quotation marks.
                guard word.isQuoted || !WordScanner.isKeyword(word.text) else { continue }
                counts[word.text, default: 0] += 1
                if let view = views[word.text], uses < 100 {
                    uses += 1
                    // The definition begins with the name of the view itself.
                    let definition = view.firstRange(of: "select").map { String(view[$0.lowerBound...]) } ?? ""
                    rest.append(definition)
                }
            }
            hasStar = hasStar || scanner.hasStar
        }
    }

    /// True if a table may be read more than once.
    func isRepeated(_ table: String) -> Bool { counts[table.lowercased()] != 1 }
}

/// Scanner of the names and keywords of a statement. Comments are skipped, and text values and names before a period too unless
/// the scanner is a complete one.
struct WordScanner {
    struct Word {
        /// Without quotation marks.
        let name: String
        /// The name in lower case.
        let text: String
        let isQuoted: Bool
        /// True before a period.
        fileprivate(set) var isQualifier = false

        fileprivate init(_ name: String, isQuoted: Bool) {
            self.name = name
            self.isQuoted = isQuoted
            text = name.lowercased()
        }

        /// True for a keyword or an unquoted name.
        func isWord(_ word: String) -> Bool { !isQuoted && text == word }
    }

    private let bytes: [UInt8]
    private let isComplete: Bool
    private var position = 0
    /// True if `*` was found, other than in `COUNT(*)`.
    private(set) var hasStar = false

    init(_ text: String, isComplete: Bool = false) {
        bytes = Array(text.utf8)
        self.isComplete = isComplete
    }

    static func isKeyword(_ text: String) -> Bool { sqlite3_keyword_check(text, Int32(text.utf8.count)) != 0 }

    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func next() -> Word? {
        while position < bytes.count {
            var word: Word
            switch byte {
            case UInt8(ascii: "'"):
                // SQLite accepts a text value as a name.
                word = Word(quoted(until: UInt8(ascii: "'")), isQuoted: true)
                guard isComplete else { continue }
            case UInt8(ascii: "\""), UInt8(ascii: "`"): word = Word(quoted(until: byte), isQuoted: true)
            case UInt8(ascii: "["): word = Word(quoted(until: UInt8(ascii: "]")), isQuoted: true)
            case UInt8(ascii: "-") where isNext("-"):
                while position < bytes.count, byte != UInt8(ascii: "\n") { position += 1 }
                continue
            case UInt8(ascii: "/") where isNext("*"):
                position += 2
                while position < bytes.count, !(byte == UInt8(ascii: "*") && isNext("/")) { position += 1 }
                position += 2
                continue
            case UInt8(ascii: "*"):
                if position == 0 || bytes[position - 1] != UInt8(ascii: "(") { hasStar = true }
                position += 1
                continue
            case let first where Self.isPart(first): word = plain()
            default:
                position += 1
                continue
            }
            skipSpace()
            word.isQualifier = byte == UInt8(ascii: ".")
            if isComplete || !word.isQualifier { return word }
        }
        return nil
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: character)
    }

    private mutating func skipSpace() {
        while position < bytes.count, byte <= 0x20 { position += 1 }
    }

    private mutating func plain() -> Word {
        let start = position
        while position < bytes.count, Self.isPart(byte) { position += 1 }
        return Word(String(decoding: bytes[start..<position], as: UTF8.self), isQuoted: false)
    }

    /// Reads to the closing mark; two of them are one of the text.
    private mutating func quoted(until mark: UInt8) -> String {
        var text: [UInt8] = []
        position += 1
        while position < bytes.count {
            if byte == mark {
                position += 1
                guard byte == mark, mark != UInt8(ascii: "]") else { break }
            }
            text.append(byte)
            position += 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
#endif
