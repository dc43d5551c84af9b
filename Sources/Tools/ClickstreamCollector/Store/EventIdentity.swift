#if Collector
import ClickstreamCore
import Foundation
import GRDB

/// Keyed hashes of an event's id and timestamp, by which the store detects duplicates. The key is random for each
/// store.
///
/// The first hash has the timestamp in its upper bits, so that its index grows at the end, and 22 bits of the keyed
/// hash below. The next ones, used on a collision, are 64-bit hashes. Without the key, clients cannot construct
/// collisions: the probability that an event needs more than two is about events / 2⁶⁴.
struct EventIdentity: Sendable {
    /// Maximum number of hashes tried. An event that collides in all of them has no identity.
    static let attempts = 4
    /// Bytes of the key.
    static let keyBytes = 16

    private let key: (UInt64, UInt64)

    init(key: (UInt64, UInt64)) {
        self.key = key
    }

    /// Reads the key of a store.
    init(_ database: Database) throws {
        let statement = try database.cachedStatement(sql: "SELECT identity_key FROM state")
        let bytes = try [UInt8](Data.fetchOne(statement) ?? Data())
        guard bytes.count == Self.keyBytes else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the store has no key for its events")
        }
        func word(_ range: Range<Int>) -> UInt64 { bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        key = (word(0..<8), word(8..<16))
    }

    /// Hash of an event at an attempt, counted from 0.
    func number(_ id: UnsafeRawBufferPointer, _ timestamp: Int64, attempt: Int) -> Int64 {
        var hash = SipHash(key: key)
        hash.absorb(UInt64(bitPattern: timestamp))
        hash.absorb(UInt64(attempt))
        let value = Int64(bitPattern: hash.finish(id))
        return attempt == 0 ? timestamp << 22 | value & 0x3F_FFFF : value
    }
}

extension StoreMigration {
    /// Migrates a store of layout 3, whose hashes had no key, to layout 4. Takes one pass over its events.
    static func renumber(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE state ADD COLUMN identity_key BLOB NOT NULL DEFAULT x'';
                UPDATE state SET identity_key = randomblob(\(EventIdentity.keyBytes));
                ALTER TABLE requests ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE events ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
                DROP INDEX events_identity;
                UPDATE events SET identity = NULL;
                \(StoreLayout.identityIndex)
                """
        )
        let identity = try EventIdentity(database)
        let events = try RowWriter(database, "UPDATE OR IGNORE events SET identity = ? WHERE seq = ?")
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT seq, timestamp, event_id FROM events
                WHERE typeof(timestamp) = 'integer' AND typeof(event_id) = 'text'
                """
        )
        while let row = try rows.next() {
            let id = try row.text(2, "events.event_id")
            events.bind(row[0] as Int64, at: 2)
            for attempt in 0..<EventIdentity.attempts {
                let number = Array(id.utf8).withUnsafeBytes { identity.number($0, row[1], attempt: attempt) }
                events.bind(number, at: 1)
                if try events.run() { break }
            }
        }
    }
}
#endif
