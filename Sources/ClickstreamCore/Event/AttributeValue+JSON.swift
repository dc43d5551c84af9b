extension AttributeValue {
    /// The attribute value that a JSON value is; `nil` for null, arrays and objects.
    ///
    /// A number is an integer when it is written as one and fits 64 bits, a double when it is written as none and a double
    /// says the same number, and otherwise a decimal, which keeps the digits: `18446744073709551615` stays what it is.
    package init?(json: JSONValue) {
        switch json.kind {
        case .boolean(let truth): self = .boolean(truth)
        case .string(let text): self = .string(text)
        case .number(let number): self.init(number)
        case .null, .array, .object: return nil
        }
    }

    /// The longest number that is kept digit by digit, in bytes; a longer one becomes the nearest double.
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

    /// Whether the shortest spelling of the double says what was written. A whole number past 64 bits is left as it is
    /// in any case: it names something, and `1e+19` would be another name.
    private static func isExact(_ number: JSONNumber) -> Bool {
        guard number.double != 0 else { return true }
        let isWhole = number.text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        return !isWhole && SignificantDigits(number.text) == SignificantDigits("\(number.double)")
    }
}

/// A number's digits without the zeros around them, and where its point stands: equal for equal numbers, however written.
private struct SignificantDigits: Equatable {
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var exponent = 0

    /// - Parameter text: a JSON number; its sign does not count.
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
                // One that does not fit belongs to no finite number.
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
