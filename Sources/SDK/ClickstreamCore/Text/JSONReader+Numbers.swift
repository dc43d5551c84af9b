extension JSONReader {
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        let integer = try scanNumber()
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        if let integer, integer != 0, integer.magnitude <= 1 << 53 {
            return JSONNumber(text: text, integer: integer, double: Double(integer))
        }
        // The JSON grammar is a subset of what `Double` parses; beyond its range it returns an infinity.
        return JSONNumber(text: text, integer: integer, double: Double(text) ?? .infinity)
    }

    /// Scans a number. Returns its value if it is integral and fits `Int64`.
    mutating func scanNumber() throws(JSONError) -> Int64? {
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var integer: Int64? = 0
        if current == UInt8(ascii: "0") {
            position += 1
            if current.isDigit { throw failure(.syntax, "a number begins with 0", at: position - 1) }
        } else {
            guard current.isDigit else { throw unexpected("a digit") }
            integer = scanInteger(isNegative: isNegative)
        }
        if current == UInt8(ascii: ".") {
            integer = nil
            position += 1
            try scanDigits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            integer = nil
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try scanDigits()
        }
        return integer
    }

    /// Scans the digits of an integer. Returns its value if it fits `Int64`.
    private mutating func scanInteger(isNegative: Bool) -> Int64? {
        let start = position
        var magnitude: UInt64 = 0
        while current.isDigit {
            magnitude = magnitude &* 10 &+ UInt64(current &- UInt8(ascii: "0"))
            position += 1
        }
        // The first digit is not 0: 19 digits may exceed `Int64`, but not `UInt64`, and more of them always do.
        guard position - start <= 19 else { return nil }
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }

    private mutating func scanDigits() throws(JSONError) {
        guard current.isDigit else { throw unexpected("a digit") }
        while current.isDigit { position += 1 }
    }
}
