#if Audit
import ClickstreamCore
import GRDBSQLite

/// Encoder of SQLite's values as JSON by the rule of their column.
///
/// A value that is excluded is encoded as no bytes.
enum ValueEncoder {
    /// Appends the JSON of a value.
    /// - Parameter value: an `sqlite3_value`.
    @inline(__always)
    static func append(_ value: OpaquePointer, _ kind: ColumnKind, to bytes: inout [UInt8]) {
        switch kind {
        case .plain: append(plain: value, to: &bytes)
        case .blob: break
        default: append(typed: value, kind, to: &bytes)
        }
    }

    private static func append(plain value: OpaquePointer, to bytes: inout [UInt8]) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: bytes.append(json: sqlite3_value_int64(value))
        case SQLITE_FLOAT: bytes.append(json: sqlite3_value_double(value))
        case SQLITE_TEXT: append(text: text(of: value), to: &bytes)
        case SQLITE_BLOB: break
        default: bytes.append(raw: "null")
        }
    }

    private static func append(typed value: OpaquePointer, _ kind: ColumnKind, to bytes: inout [UInt8]) {
        let type = sqlite3_value_type(value)
        switch (kind, type) {
        case (.uuid, SQLITE_BLOB):
            append(uuid: value, to: &bytes)
        case (.boolean, SQLITE_INTEGER), (.boolean, SQLITE_FLOAT):
            bytes.append(json: sqlite3_value_double(value) != 0)
        case (.date, SQLITE_INTEGER), (.date, SQLITE_FLOAT):
            let time = DateText.timestamp(seconds: sqlite3_value_double(value))
            if let time { DateText.append(time, to: &bytes) } else { append(plain: value, to: &bytes) }
        case (.date, SQLITE_TEXT):
            let text = text(of: value)
            if let time = DateText.timestamp(text) {
                DateText.append(time, to: &bytes)
            } else {
                append(text: text, to: &bytes)
            }
        case (.decimal, SQLITE_INTEGER), (.decimal, SQLITE_FLOAT):
            append(decimal: value, isInteger: type == SQLITE_INTEGER, to: &bytes)
        case (.json, SQLITE_TEXT):
            append(json: text(of: value), to: &bytes)
        default:
            append(plain: value, to: &bytes)
        }
    }

    // MARK: Types

    /// The UTF-8 of a text value; valid until the value changes.
    static func text(of value: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
        let start = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    static func append(text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        guard text.contains(where: { $0 >= 0x80 }), String(validating: text, as: UTF8.self) == nil else {
            return bytes.append(jsonString: text)
        }
        bytes.append(json: String(decoding: text, as: UTF8.self))
    }

    private static func append(uuid value: OpaquePointer, to bytes: inout [UInt8]) {
        guard sqlite3_value_bytes(value) == 16, let start = sqlite3_value_blob(value) else {
            return bytes.append(raw: "null")
        }
        let high = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
        let low = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        bytes.append(json: UniqueID(high: high, low: low).description.lowercased())
    }

    private static func append(decimal value: OpaquePointer, isInteger: Bool, to bytes: inout [UInt8]) {
        if isInteger {
            bytes.append(json: String(sqlite3_value_int64(value)))
        } else {
            let number = sqlite3_value_double(value)
            if number.isFinite { bytes.append(json: "\(number)") } else { bytes.append(raw: "null") }
        }
    }

    /// Appends a text that contains a JSON array or object without the white space between its tokens; other text as a
    /// string.
    private static func append(json text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        let value = try? JSONReader.parse(Array(text))  // text that is not JSON is recorded as text
        guard let value, value.members != nil || value.array != nil else { return append(text: text, to: &bytes) }
        value.write(into: &bytes)
    }
}
#endif
