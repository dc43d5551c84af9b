#if Collector
import ClickstreamCore
import GRDB

/// Ids of texts within one transaction, which inserts those that are new.
///
/// Not valid after the transaction: a rollback, an eviction, or another process may remove a text.
struct TextIDs {
    /// Range of ``bytes`` with the kind of its text.
    private struct Key: TextKey {
        var kind: Int
        var text: TextRange

        func isSame(as other: Key, in bytes: UnsafeRawBufferPointer) -> Bool {
            kind == other.kind && text.isSame(as: other.text, in: bytes)
        }

        func hash(into hasher: inout Hasher, in bytes: UnsafeRawBufferPointer) {
            hasher.combine(kind)
            text.hash(into: &hasher, in: bytes)
        }
    }

    /// Maximum bytes of the texts in memory with their entries, and of one text.
    private static let maxBytes = 16 * 1_048_576
    private static let maxTextBytes = 1_024
    /// Bytes of an entry without its text: its key, its slots and its id.
    private static let entryBytes = 80

    private let database: Database
    private let selection: RowWriter
    private let insertion: RowWriter
    private var bytes: [UInt8] = []
    private var keys = DistinctTexts<Key>()
    /// Ids of ``keys``.
    private var ids: [Int64] = []

    init(_ database: Database) throws {
        self.database = database
        selection = try RowWriter(database, "SELECT id FROM texts WHERE kind = ? AND value = ?")
        insertion = try RowWriter(database, "INSERT INTO texts (kind, value) VALUES (?, ?)")
    }

    /// Returns the id of a text. After an error, the transaction has to be rolled back.
    mutating func id(_ kind: StoreLayout.Term, _ text: UnsafeRawBufferPointer) throws -> Int64 {
        if text.count > Self.maxTextBytes { return try stored(kind, text) }
        if bytes.count + ids.count * Self.entryBytes > Self.maxBytes {
            bytes.removeAll()
            keys = DistinctTexts()
            ids.removeAll()
        }
        let start = bytes.count
        bytes.append(contentsOf: text)
        let key = Key(kind: kind.rawValue, text: TextRange(start..<bytes.count))
        let index = bytes.withUnsafeBytes { Int(keys.index(of: key, in: $0)) }
        if index < ids.count {
            bytes.removeLast(bytes.count - start)
            return ids[index]
        }
        let id = try stored(kind, text)
        ids.append(id)
        return id
    }

    private func stored(_ kind: StoreLayout.Term, _ text: UnsafeRawBufferPointer) throws -> Int64 {
        selection.bind(Int64(kind.rawValue), at: 1)
        selection.bind(text: text, at: 2)
        if let id = try selection.integer() { return try StoredRange.textID(id) }
        insertion.bind(Int64(kind.rawValue), at: 1)
        insertion.bind(text: text, at: 2)
        try insertion.run()
        return try StoredRange.textID(database.lastInsertedRowID)
    }
}
#endif
