import ClickstreamCore
import ClickstreamJudges

/// JSON texts of values in the one spelling that equal values have: see ``JSONValue/writeExact(into:)``.
enum ExactJSON {
    /// Appends the exact spelling of a value; nothing for null. Most values have it already, and are copied.
    /// - Parameter text: the value as written in an event, well-formed, without surrounding white space.
    static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        if isExact(text) { return bytes.append(contentsOf: text) }
        // A stored event is well-formed.
        guard let value = try? JSONReader.parse(text, within: .conditions).value, !value.isNull else { return }
        value.writeExact(into: &bytes)
    }

    /// True for texts that are certainly exact; false for some others, too.
    static func isExact(_ text: UnsafeRawBufferPointer) -> Bool {
        switch text[0] {
        case UInt8(ascii: "\""): isExactString(text)
        case UInt8(ascii: "-"): isExactNumber(text, from: 1)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): isExactNumber(text, from: 0)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): true
        default: false
        }
    }

    private static func isExactString(_ text: UnsafeRawBufferPointer) -> Bool {
        let content = UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1])
        let plain = JSONText.plainPrefix(of: content, from: 0)
        return plain == content.count
            || content.count <= JSONText.maxUncutBytes
                && content[plain...].allSatisfy { $0 >= 0x80 || JSONText.isPlain($0) }
    }

    /// True for `0`, `-12` and `99.9`: integers of up to 18 digits, and decimals that end neither in 0 nor begin with many.
    private static func isExactNumber(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
        var point = start
        while point < text.count, text[point].isDigit { point += 1 }
        let isZero = text[start] == UInt8(ascii: "0")
        if point == text.count { return point - start <= 18 && (!isZero || start == 0) }
        guard text[point] == UInt8(ascii: "."), point - start <= 18 else { return false }
        let fraction = text[(point + 1)...]
        guard fraction.allSatisfy(\.isDigit), text[text.count - 1] != UInt8(ascii: "0") else { return false }
        return !isZero || fraction.prefix { $0 == UInt8(ascii: "0") }.count <= 5
    }
}
