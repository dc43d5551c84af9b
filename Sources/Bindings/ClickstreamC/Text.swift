import CClickstream
import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Text argument of a call: the bytes, which are valid until the call returns.
struct Text {
    let bytes: UnsafeBufferPointer<UInt8>

    /// - Parameter length: the number of bytes, less than 2 GiB; more is an error of the caller, such as a converted
    ///   negative number.
    @inline(__always)
    init(_ start: UnsafePointer<CChar>?, _ length: Int) throws(Refusal) {
        guard let start, UInt(bitPattern: length) <= UInt(Int32.max) else {
            throw Refusal(CLICKSTREAM_INVALID_ARGUMENT)
        }
        bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self),
            count: length
        )
    }

    /// The text as a string. Invalid UTF-8 is refused.
    @inline(__always)
    var string: String {
        get throws(Refusal) {
            // Most texts are ASCII. The generic initializer costs several times as many instructions for a short one.
            if bytes.reduce(0, |) < 0x80 {
                return String(unsafeUninitializedCapacity: bytes.count) { target in
                    target.initialize(fromContentsOf: bytes)
                }
            }
            guard let string = String(validating: bytes, as: UTF8.self) else { throw Refusal(CLICKSTREAM_INVALID_UTF8) }
            return string
        }
    }

    /// The attributes of a JSON object of strings, finite numbers and booleans.
    var attributes: Attributes {
        get throws(Refusal) {
            let attributes: Attributes
            do throws(JSONError) {
                attributes = try Attributes(json: UnsafeRawBufferPointer(bytes))
            } catch {
                throw Refusal(error.kind == .invalidUTF8 ? CLICKSTREAM_INVALID_UTF8 : CLICKSTREAM_INVALID_JSON)
            }
            guard attributes.allSatisfy(\.value.isFinite) else { throw Refusal(CLICKSTREAM_NOT_FINITE) }
            return attributes
        }
    }

    /// The text as a JSON value.
    var json: JSONValue {
        get throws(Refusal) {
            do throws(JSONError) {
                return try JSONReader.parse(UnsafeRawBufferPointer(bytes))
            } catch {
                throw Refusal(error.kind == .invalidUTF8 ? CLICKSTREAM_INVALID_UTF8 : CLICKSTREAM_INVALID_JSON)
            }
        }
    }
}

/// Returns the length of NUL-terminated text, 0 for NULL.
@inline(__always)
func length(_ text: UnsafePointer<CChar>?) -> Int {
    text.map { strlen($0) } ?? 0
}

/// Copies `text` and a NUL into a buffer of the caller.
/// - Parameter length: receives the length without the NUL.
/// - Returns: the status; with a buffer that is too small, nothing but the length is written.
func copy(
    _ text: String,
    to buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?
) throws(Refusal) {
    guard capacity >= 0, buffer != nil || capacity == 0 else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
    var text = text
    let isCopied = text.withUTF8 { bytes -> Bool in
        length?.pointee = bytes.count
        guard let buffer, bytes.count < capacity else { return false }
        UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyMemory(from: UnsafeRawBufferPointer(bytes))
        buffer[bytes.count] = 0
        return true
    }
    guard isCopied else { throw Refusal(CLICKSTREAM_BUFFER_TOO_SMALL) }
}

/// Writes `text` and a NUL into `buffer`, cut at the border of a character. Does nothing without a buffer.
func write(_ text: String, cutTo buffer: UnsafeMutableRawBufferPointer) {
    guard !buffer.isEmpty else { return }
    var text = text
    text.withUTF8 { bytes in
        var count = min(bytes.count, buffer.count - 1)
        // Continuation bytes of UTF-8 are 10xxxxxx.
        while count > 0, count < bytes.count, bytes[count] & 0xC0 == 0x80 { count -= 1 }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]))
        buffer[count] = 0
    }
}
