#if Collector
import ClickstreamCore
import GRDB
import GRDBSQLite

/// Returns the id of a stored text; `nil` if there is none, so that no event has it. Compared by bytes.
/// - Throws: ``StoreDamage`` for an id that no collector writes; errors of GRDB.
func textID(_ kind: StoreLayout.Term, _ value: String, in database: Database) throws -> Int64? {
    let ids = try RowWriter(database, "SELECT id FROM texts WHERE kind = ? AND value = ?")
    ids.bind(Int64(kind.rawValue), at: 1)
    ids.bind(value, at: 2)
    return try ids.integer().map { try StoredRange.textID($0) }
}

/// Texts by the ids that columns contain, within one transaction. Keeps those that it has read, up to ``maxBytes``.
struct TextTable {
    private static let maxBytes = 4 * 1_048_576
    /// Bytes of an entry without its text.
    private static let entryBytes = 64

    private struct Key: Hashable {
        var id: Int64
        var isExcerpt: Bool
    }

    private let database: Database
    private var texts: [Key: String] = [:]
    private var bytes = 0

    init(_ database: Database) {
        self.database = database
    }

    /// Returns the text with an id.
    /// - Throws: ``StoreDamage`` if there is none; errors of GRDB.
    mutating func text(_ id: Int64) throws -> String {
        try text(Key(id: id, isExcerpt: false))
    }

    /// As ``text(_:)``. Only the beginning of a long text is copied: see ``EventExcerpt/beginning(of:)``.
    mutating func excerpt(_ id: Int64) throws -> String {
        try text(Key(id: id, isExcerpt: true))
    }

    /// Excerpt of the text whose id a column contains; `nil` for NULL.
    mutating func optionalExcerpt(_ index: Int, _ column: StaticString, of row: Row) throws -> String? {
        guard let id = try row.optionalTextID(index, column) else { return nil }
        return try excerpt(id)
    }

    private mutating func text(_ key: Key) throws -> String {
        if let text = texts[key] { return text }
        let text = try read(key)
        let count = Self.entryBytes + text.utf8.count
        if count > Self.maxBytes { return text }
        bytes += count
        if bytes > Self.maxBytes { (texts, bytes) = ([:], count) }
        texts[key] = text
        return text
    }

    private func read(_ key: Key) throws -> String {
        let values = try RowWriter(database, "SELECT value FROM texts WHERE id = ?")
        values.bind(key.id, at: 1)
        let found: String? = try values.first { statement in
            guard sqlite3_column_type(statement, 0) == SQLITE_TEXT, let start = sqlite3_column_text(statement, 0) else {
                throw StoreDamage(column: "texts.value", found: "no text for the id \(key.id)")
            }
            let utf8 = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 0)))
            return key.isExcerpt && utf8.count > EventExcerpt.textBytes
                ? EventExcerpt.beginning(of: utf8) : String(decoding: utf8, as: UTF8.self)
        }
        if let found { return found }
        throw StoreDamage(column: "texts.id", found: "no row \(key.id)")
    }
}
#endif
