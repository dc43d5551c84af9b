package import ClickstreamCore

extension ServerField {
    /// Type in which the server reads a field, with the accepted values.
    ///
    /// `null` counts as absent and is accepted, except for ``age`` and ``requiredDigits``, which the server requires.
    package enum Reading: String, Sendable, Hashable, CaseIterable {
        /// A string. Numbers and Booleans are accepted in their own spelling; an array or object loses the event.
        case text
        /// A string, a number or a Boolean; unknown values are left out. After an array or object the server misreads
        /// the fields behind it.
        case scalar
        /// 64 bits, written as a JSON number without fraction and exponent; anything else loses the event.
        case integer
        /// 64 bits. A fraction is cut off, a string of digits is accepted; anything else loses the event.
        case truncatedInteger = "truncated_integer"
        /// 64 bits. A string of digits is accepted; anything else loses the value.
        case digits
        /// A number, or a string with a number, "null", or the spelling of a number that is not finite; anything else
        /// loses the event.
        case number
        /// A JSON number, or a string with one of ``notFinite``; anything else loses the event.
        case plainNumber = "plain_number"
        /// 32 bits. A string of digits is accepted; anything else, or no value, loses the event.
        case age
        /// 64 bits. A string of digits is accepted; anything else, or no value, loses the event.
        case requiredDigits = "required_digits"

        /// Returns the rule that `value` violates, or `nil`.
        package func rule(brokenBy value: JSONValue) -> ServerRule? {
            switch self {
            case .text: value.isNested ? .notAText : nil
            case .scalar: value.isNested ? .notAScalar : nil
            case .integer: value.isNull || value.integer != nil ? nil : .notAnInteger
            case .truncatedInteger: value.isNull || Self.isTruncatable(value) ? nil : .notAnInteger
            case .digits: value.isNull || Self.digits(value) != nil ? nil : .notAnInteger
            case .number: value.isNull || Self.isNumeric(value) ? nil : .notANumber
            case .plainNumber: value.isNull || value.number != nil || Self.isNotFinite(value) ? nil : .notANumber
            case .age: Self.digits(value).flatMap(Int32.init(exactly:)) == nil ? .userAge : nil
            case .requiredDigits: Self.digits(value) == nil ? .notAnInteger : nil
            }
        }

        /// Returns the rule that `value` violates if a later member of the same name replaces it: a missing value then
        /// violates none.
        func rule(brokenByReplaced value: JSONValue) -> ServerRule? {
            switch self {
            case .digits, .age, .requiredDigits: value.isNested ? rule(brokenBy: value) : nil
            case .text, .scalar, .integer, .truncatedInteger, .number, .plainNumber: rule(brokenBy: value)
            }
        }

        /// Returns the value of an integer, or of a string that is an integer.
        private static func digits(_ value: JSONValue) -> Int64? {
            value.integer ?? value.string.flatMap(Int64.init)
        }

        /// Returns the value of a number without its fraction, or of a string that is an integer; `nil` for any other
        /// value. The upper end of a double is that of 64 bits.
        static func truncated(_ value: JSONValue) -> Int64? {
            if let integer = value.integer { return integer }
            guard let number = value.double else { return value.string.flatMap { Int64(trimmed($0)) } }
            guard abs(number) <= 0x1p63 else { return nil }
            return number == 0x1p63 ? .max : Int64(number)
        }

        /// Returns true for a number within 64 bits or a string of an integer; "" and "null" count as absent.
        private static func isTruncatable(_ value: JSONValue) -> Bool {
            if let number = value.number { return isTruncatable(number) }
            guard let text = value.string else { return false }
            let trimmed = trimmed(text)
            return trimmed.isEmpty || trimmed == "null" || Int64(trimmed) != nil
        }

        /// Compares an integer by its digits, any other number as a double: the upper end rounds to 2^63.
        private static func isTruncatable(_ number: JSONNumber) -> Bool {
            if number.integer != nil { return true }
            let isWhole = number.text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
            return !isWhole && abs(number.double) <= 0x1p63
        }

        /// Strings that the server reads as the numbers that JSON cannot write.
        private static let notFinite: Set<String> = ["NaN", "Infinity", "-Infinity"]

        private static func isNotFinite(_ value: JSONValue) -> Bool {
            value.string.map(notFinite.contains) ?? false
        }

        /// Returns true for a number or a string with a number; "" and "null" count as absent.
        private static func isNumeric(_ value: JSONValue) -> Bool {
            if value.number != nil || isNotFinite(value) { return true }
            guard let text = value.string else { return false }
            if text == "INF" || text == "-INF" { return true }
            let trimmed = trimmed(text)
            if trimmed.isEmpty || trimmed == "null" { return true }
            let isPlain = trimmed.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
            }
            return isPlain && Double(trimmed) != nil
        }

        /// Returns the text without spaces and control characters at its ends.
        private static func trimmed(_ text: String) -> Substring {
            var rest = Substring(text)
            while let first = rest.unicodeScalars.first, first.value <= 0x20 { rest.unicodeScalars.removeFirst() }
            while let last = rest.unicodeScalars.last, last.value <= 0x20 { rest.unicodeScalars.removeLast() }
            return rest
        }
    }
}

extension ServerField.Reading {
    /// The type in a few words, for the documentation.
    package var phrase: String {
        switch self {
        case .text: "string; a number or a boolean is accepted as it is written"
        case .scalar: "string, number or boolean; an unknown value is left out"
        case .integer: "integer of 64 bits"
        case .truncatedInteger: "integer of 64 bits; a fraction is cut off, a string of digits is accepted"
        case .digits: "integer of 64 bits, or a string of digits"
        case .number: "number, or a string with a number, NaN, Infinity, -Infinity, INF or -INF"
        case .plainNumber: "number, or a string with NaN, Infinity or -Infinity"
        case .age: "integer of 32 bits, or a string of digits; required in its entry"
        case .requiredDigits: "integer of 64 bits, or a string of digits; required in its entry"
        }
    }

    /// The codes of the rules on the type.
    var codes: [String] {
        switch self {
        case .text: [ServerRule.notAText.code]
        case .scalar: [ServerRule.notAScalar.code]
        case .integer, .truncatedInteger, .digits, .requiredDigits: [ServerRule.notAnInteger.code]
        case .number, .plainNumber: [ServerRule.notANumber.code]
        case .age: [ServerRule.userAge.code]
        }
    }
}
