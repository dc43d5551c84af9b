#if Tools
import Foundation
import GRDB

/// A value of the store that no collector writes: the file is damaged, or another program changed it.
///
/// Thrown by every reading that meets such a value, in place of an answer made of it.
struct StoreDamage: Error, Sendable, Hashable, CustomStringConvertible {
    /// Table and column, such as `events.start`.
    var column: String
    /// The value that was found, shortened, or the relation that does not hold.
    var found: String

    var description: String { "\(column) holds \(found), which no collector writes" }
}

/// Ranges of the values that a collector writes.
enum StoredRange {
    /// Places in the order of arrival. The end leaves room for numbers that follow.
    static let sequence: ClosedRange<Int64> = 0...(1 << 60)
    /// Milliseconds since 1970 of this machine's clock: until the year 9999.
    static let time: ClosedRange<Int64> = 0...253_402_300_799_999
    /// Numbers of events, or bytes of a body.
    static let count: ClosedRange<Int64> = 0...Int64(Int32.max)
    static let any: ClosedRange<Int64> = .min ... .max
}

/// Checked access to columns. GRDB's own traps on NULL and on values of another type.
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

    /// A number of events or bytes.
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

    func optionalText(_ index: Int, _ column: StaticString) throws -> String? {
        let value: DatabaseValue = self[index]
        switch value.storage {
        case .null: return nil
        case .string(let text): return text
        default: throw damage(index, column)
        }
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
