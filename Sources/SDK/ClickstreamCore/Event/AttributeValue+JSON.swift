extension AttributeValue {
    /// Converts a JSON value; returns `nil` for null, arrays and objects.
    ///
    /// A number becomes an integer if it is written as one and fits 64 bits, a double if it is not written as an
    /// integer and a double represents it exactly, and otherwise a decimal, which keeps the digits:
    /// `18446744073709551615` is unchanged.
    package init?(json: JSONValue) {
        switch json.kind {
        case .boolean(let truth): self = .boolean(truth)
        case .string(let text): self = .string(text)
        case .number(let number): self.init(number)
        case .null, .array, .object: return nil
        }
    }

    /// The maximum length in bytes of a number whose digits are kept; a longer one becomes the nearest double.
    private static let longestDecimal = 128

    private init(_ number: JSONNumber) {
        if let integer = number.integer {
            self = .integer(integer)
        } else if number.double.isFinite, number.text.utf8.count <= Self.longestDecimal, !Self.isExact(number) {
            self = .decimal(DecimalNumber(text: number.text, isFinite: true))
        } else {
            self = .double(number.double)
        }
    }

    /// Returns true if the shortest spelling of the double has the same digits as the text. An integer beyond 64 bits
    /// is never converted: it is probably an identifier, and `1e+19` would be a different one.
    private static func isExact(_ number: JSONNumber) -> Bool {
        guard number.double != 0 else { return true }
        let isWhole = number.text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        return !isWhole && SignificantDigits(number.text) == SignificantDigits("\(number.double)")
    }
}

/// Digits of a number without leading and trailing zeros, and its exponent: equal for equal numbers in any spelling.
private struct SignificantDigits: Equatable {
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var exponent = 0

    /// - Parameter text: a JSON number; its sign is ignored.
    init(_ text: String) {
        var isFraction = false
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isFraction { exponent -= 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                // An exponent that does not fit `Int` belongs to no finite number.
                exponent += Int(String(Substring(rest))) ?? 0
                rest = rest[rest.endIndex...]
            default: break
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
    }
}

extension JSONWriter {
    /// Appends the JSON of an attribute value; a number that is not finite becomes `null`.
    @inline(__always)
    package static func append(_ value: AttributeValue, to bytes: inout some ByteSink & ~Copyable) {
        switch value {
        case .string(let text): append(text, to: &bytes)
        case .integer(let integer): append(integer, to: &bytes)
        case .double(let double): append(double, to: &bytes)
        case .boolean(let truth): append(truth, to: &bytes)
        case .decimal(let number) where number.isFinite: append(plain: number.text, to: &bytes)
        case .decimal: appendNull(to: &bytes)
        }
    }
}

extension [UInt8] {
    /// Appends a value; see ``append(json:)-(String)``.
    package mutating func append(json value: AttributeValue) {
        JSONWriter.append(value, to: &self)
    }
}
