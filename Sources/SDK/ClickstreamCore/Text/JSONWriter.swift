/// Appends JSON to a sink token by token: the caller places commas, colons and brackets.
///
/// Allocates only through the growth of the sink.
package enum JSONWriter {
    /// Appends a string in quotation marks, with controls, `"` and `\` escaped.
    package static func append(_ text: String, to bytes: inout some ByteSink & ~Copyable) {
        let wasContiguous: Void? = text.utf8.withContiguousStorageIfAvailable { append(string: $0, to: &bytes) }
        guard wasContiguous == nil else { return }
        var copy = text
        copy.withUTF8 { append(string: $0, to: &bytes) }
    }

    /// Appends text that is already JSON, such as a number.
    package static func append(plain text: String, to bytes: inout some ByteSink & ~Copyable) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends a string whose content is UTF-8.
    @inline(__always)
    package static func append(
        string content: UnsafeBufferPointer<UInt8>,
        to bytes: inout some ByteSink & ~Copyable
    ) {
        let plainCount = JSONText.plainPrefix(of: UnsafeRawBufferPointer(content), from: 0)
        bytes.append(UInt8(ascii: "\""))
        if plainCount == content.count {
            bytes.append(contentsOf: content)
        } else {
            append(escaping: content, plainCount: plainCount, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends text whose first `plainCount` bytes are known to need no escape.
    private static func append(
        escaping content: UnsafeBufferPointer<UInt8>,
        plainCount: Int,
        to bytes: inout some ByteSink & ~Copyable
    ) {
        var start = 0
        var position = plainCount
        while position < content.count {
            let byte = content[position]
            if byte >= 0x80 {
                position += 1
            } else if JSONText.isPlain(byte) {
                position += JSONText.plainPrefix(of: UnsafeRawBufferPointer(content), from: position)
            } else {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[start..<position]))
                append(escaped: byte, to: &bytes)
                position += 1
                start = position
            }
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[start...]))
    }

    package static func append(_ truth: Bool, to bytes: inout some ByteSink & ~Copyable) {
        if truth {
            bytes.append(contentsOf: StaticString("true").rawBytes)
        } else {
            bytes.append(contentsOf: StaticString("false").rawBytes)
        }
    }

    package static func appendNull(to bytes: inout some ByteSink & ~Copyable) {
        bytes.append(contentsOf: StaticString("null").rawBytes)
    }

    package static func append(_ integer: Int64, to bytes: inout some ByteSink & ~Copyable) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        append(digits: integer.magnitude, to: &bytes)
    }

    @inline(__always)
    private static func append(digits number: UInt64, to bytes: inout some ByteSink & ~Copyable) {
        withUnsafeTemporaryAllocation(byteCount: Digits.maxCount, alignment: 1) { text in
            guard let memory = text.baseAddress else { return }
            let end = memory + Digits.maxCount
            let start = Digits.put(number, before: end)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: end - start))
        }
    }

    /// Appends the shortest text that parses back to the same double: 99.9 is `99.9`, 1 is `1.0`, so that it stays a
    /// double.
    ///
    /// A number that is not finite is written as `null`, since JSON cannot represent it.
    package static func append(_ double: Double, to bytes: inout some ByteSink & ~Copyable) {
        guard double.isFinite else { return appendNull(to: &bytes) }
        if append(short: double, to: &bytes) { return }
        // The shortest text of the standard library (`1.0`, `5e-324`, `1e+21`) is valid JSON.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
            var stream = NumberText(text: text)
            double.write(to: &stream)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<stream.count]))
        }
    }

    /// Appends a number with at most four decimal places, such as a price, several times as fast as the general case.
    ///
    /// An integer below 10^15 and a power of ten are exact as doubles, so their quotient is the double nearest to the
    /// decimal; and no two decimals of at most 15 digits map to the same double, so there is no shorter text.
    /// - Returns: false if the number is not of this form; nothing is appended then.
    private static func append(short double: Double, to bytes: inout some ByteSink & ~Copyable) -> Bool {
        let size = double.magnitude
        guard size >= 0.001, size < 1e11 else { return false }
        var scale = 1.0
        var divisor: UInt64 = 1
        for fractionDigits in 0...4 {
            let whole = UInt64(size * scale + 0.5)
            if Double(whole) / scale == size {
                if double < 0 { bytes.append(UInt8(ascii: "-")) }
                let (integer, fraction) = whole.quotientAndRemainder(dividingBy: divisor)
                append(digits: integer, to: &bytes)
                bytes.append(UInt8(ascii: "."))
                var rest = fraction
                for _ in 0..<max(1, fractionDigits) {
                    divisor /= 10
                    let (digit, remainder) = divisor > 0 ? rest.quotientAndRemainder(dividingBy: divisor) : (0, 0)
                    bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
                    rest = remainder
                }
                return true
            }
            scale *= 10
            divisor *= 10
        }
        return false
    }

    private static func append(escaped byte: UInt8, to bytes: inout some ByteSink & ~Copyable) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: StaticString("u00").rawBytes)
            bytes.append(UInt8(ascii: "0") &+ byte >> 4)
            let low = byte & 0xF
            bytes.append(low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &+ (low &- 10))
        }
    }
}

/// Text stream into memory that formats a number without an intermediate `String`.
private struct NumberText: TextOutputStream {
    let text: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func write(_ string: String) {
        for byte in string.utf8 { append(byte) }
    }

    /// Called by the standard library for numbers where possible; otherwise it calls `write(_:)`.
    mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        for byte in buffer { append(byte) }
    }

    private mutating func append(_ byte: UInt8) {
        precondition(count < text.count, "Invalid state: a number's text is longer than \(text.count) bytes")
        text[count] = byte
        count += 1
    }
}

extension StaticString {
    /// The bytes of the text, valid for the lifetime of the process.
    @inline(__always)
    var rawBytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
