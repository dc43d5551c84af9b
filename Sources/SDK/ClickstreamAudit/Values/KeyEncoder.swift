#if Audit
import GRDBSQLite

/// Encoding of the values of a primary key, from which they can be bound again: the type, the length, the bytes. Numbers that
/// SQLite regards as equal have the same encoding.
enum KeyEncoder {
    /// Appends a value.
    /// - Returns: false for null, which identifies no row.
    static func append(_ value: OpaquePointer, to key: inout [UInt8]) -> Bool {
        var type = sqlite3_value_type(value)
        if type == SQLITE_FLOAT, !isRounded(value), Int64(exactly: sqlite3_value_double(value)) != nil {
            type = SQLITE_INTEGER
        }
        key.append(UInt8(truncatingIfNeeded: type))
        switch type {
        case SQLITE_INTEGER: append(UInt64(bitPattern: sqlite3_value_int64(value)), to: &key)
        case SQLITE_FLOAT: append(sqlite3_value_double(value).bitPattern, to: &key)
        case SQLITE_TEXT, SQLITE_BLOB:
            let start = type == SQLITE_TEXT ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
            let count = Int(sqlite3_value_bytes(value))
            append(UInt64(count), to: &key)
            key += UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        default: return false
        }
        return true
    }

    /// True for a number that may be another integer, rounded: one of at least 2 to the 53rd power.
    static func isRounded(_ value: OpaquePointer) -> Bool {
        sqlite3_value_type(value) == SQLITE_FLOAT && abs(sqlite3_value_double(value)) >= 0x1p53
    }

    private static func append(_ number: UInt64, to key: inout [UInt8]) {
        withUnsafeBytes(of: number) { key += $0 }
    }

    /// SQLITE_TRANSIENT, which is a macro: SQLite copies a value that is bound.
    static var copiesValues: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// Binds the values to the parameters of a statement, from the first one on. The statement refers to the key's bytes
    /// only until it is bound again: they are copied.
    static func bind(_ key: [UInt8], to statement: OpaquePointer) {
        let copies = copiesValues
        key.withUnsafeBytes { bytes in
            var position = 0
            var parameter: Int32 = 1
            while position + 9 <= bytes.count {
                let type = Int32(bytes[position])
                let number = bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)
                position += 9
                switch type {
                case SQLITE_INTEGER: sqlite3_bind_int64(statement, parameter, Int64(bitPattern: number))
                case SQLITE_FLOAT: sqlite3_bind_double(statement, parameter, Double(bitPattern: number))
                default:
                    let count = Int(number)
                    let value = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
                    position += count
                    if type == SQLITE_TEXT {
                        let text = value.assumingMemoryBound(to: CChar.self).baseAddress
                        sqlite3_bind_text(statement, parameter, text, Int32(count), copies)
                    } else {
                        sqlite3_bind_blob(statement, parameter, value.baseAddress, Int32(count), copies)
                    }
                }
                parameter += 1
            }
        }
    }
}
#endif
