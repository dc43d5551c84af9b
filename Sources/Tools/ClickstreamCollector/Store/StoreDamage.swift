#if Collector
import ClickstreamCore
import Foundation
import GRDB

/// Error for a stored value that no collector writes: the file is damaged, or another program changed it.
///
/// Thrown by every query that reads such a value.
struct StoreDamage: Error, Sendable, Hashable, CustomStringConvertible {
    /// Table and column, such as `events.start`.
    var column: String
    /// The invalid value, shortened, or the violated relation.
    var found: String

    /// Damage of a request whose number of events is too large, by which its events are not in order.
    static let overlap = StoreDamage(
        column: "requests.events",
        found: "a number that includes events of another request"
    )

    /// Damage of an event whose text is not an element of the body.
    /// - Parameter start: the beginning of the text as stored.
    static func noEvent(at start: Int, request: Int64) -> StoreDamage {
        StoreDamage(column: "events.start", found: "\(start), where the body of request \(request) has no event")
    }

    var description: String { "\(column) holds \(found), which no collector writes" }
}

/// Ranges of the values that a collector writes.
enum StoredRange {
    /// Sequence numbers. The upper bound leaves room for later numbers.
    static let sequence: ClosedRange<Int64> = 0...(1 << 60)
    /// Milliseconds since 1970 on this machine's clock, up to the year 9999.
    static let time = Timestamp.dates
    /// Number of events, or of bytes of a body.
    static let count: ClosedRange<Int64> = 0...Int64(Int32.max)
    static let any: ClosedRange<Int64> = .min ... .max
    /// Id of a text: 32 bits, so that two of them fit into one integer.
    static let text: ClosedRange<Int64> = 1...Int64(UInt32.max)

    /// Returns the id of a row of `texts`.
    /// - Throws: ``StoreDamage`` for one outside of ``text``.
    static func textID(_ id: Int64) throws -> Int64 {
        guard text.contains(id) else { throw StoreDamage(column: "texts.id", found: "\(id)") }
        return id
    }
}

extension Timestamp {
    /// The nearest time within ``StoredRange/time``.
    var storable: Timestamp {
        Timestamp(milliseconds: milliseconds.clamped(to: StoredRange.time))
    }
}

/// Checked access to columns. That of GRDB traps on NULL and on values of another type.
extension Row {
    func integer(_ index: Int, _ column: StaticString, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let value = try optionalInteger(index, column), range.contains(value) else {
            throw damage(index, column)
        }
        return value
    }

    func optionalInteger(_ index: Int, _ column: StaticString) throws -> Int64? {
        let value: DatabaseValue = self[index]
        switch value.storage {
        case .null: return nil
        case .int64(let number): return number
        default: throw damage(index, column)
        }
    }

    /// Id of a text.
    func optionalTextID(_ index: Int, _ column: StaticString) throws -> Int64? {
        guard try optionalInteger(index, column) != nil else { return nil }
        return try integer(index, column, in: StoredRange.text)
    }

    /// Time of reception. Old collectors stored that of any clock: one outside ``StoredRange/time`` is read as its nearest end.
    func time(_ index: Int, _ column: StaticString) throws -> Timestamp {
        Timestamp(milliseconds: try integer(index, column, in: StoredRange.any)).storable
    }

    /// Number of events or bytes.
    func count(_ index: Int, _ column: StaticString) throws -> Int {
        Int(try integer(index, column, in: StoredRange.count))
    }

    func boolean(_ index: Int, _ column: StaticString) throws -> Bool {
        try integer(index, column, in: 0...1) == 1
    }

    func text(_ index: Int, _ column: StaticString) throws -> String {
        guard let text = try optionalText(index, column) else { throw damage(index, column) }
        return text
    }

    /// A text as a whole, if the row is that of a cursor. GRDB's own texts, and those of other rows, end at U+0000.
    func optionalText(_ index: Int, _ column: StaticString) throws -> String? {
        let value: DatabaseValue = self[index]
        switch value.storage {
        case .null: return nil
        case .string(let text):
            return try withUnsafeData(atIndex: index) { data in
                guard let data, data.count != text.utf8.count else { return text }
                return String(decoding: data, as: UTF8.self)
            }
        default: throw damage(index, column)
        }
    }

    /// A text, of which only the beginning is copied if it is long: see ``EventExcerpt/beginning(of:)``.
    func optionalExcerpt(_ index: Int, _ column: StaticString) throws -> String? {
        let beginning: String? = try withUnsafeData(atIndex: index) { data in
            guard let data, data.count > EventExcerpt.textBytes else { return nil }
            return EventExcerpt.beginning(of: data)
        }
        return try beginning ?? optionalText(index, column)
    }

    func bytes(_ index: Int, _ column: StaticString) throws -> [UInt8] {
        let value: DatabaseValue = self[index]
        guard case .blob(let data) = value.storage else { throw damage(index, column) }
        return [UInt8](data)
    }

    private func damage(_ index: Int, _ column: StaticString) -> StoreDamage {
        let value: DatabaseValue = self[index]
        let found =
            switch value.storage {
            case .null: "NULL"
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            case .string(let text): "a text of \(text.utf8.count) bytes"
            case .blob(let data): "\(data.count) bytes"
            }
        return StoreDamage(column: "\(column)", found: found)
    }
}
#endif
