import ClickstreamCore

extension JSONValue {
    /// Appends the value in the one spelling that equal values have.
    ///
    /// Values are equal if their types are, and numbers by their exact decimal value: `1`, `1.0` and `10e-1` are equal, `"1"` and
    /// `true` are others. Members of an object are sorted by name; of duplicate ones the last counts.
    func writeExact(into bytes: inout [UInt8]) {
        switch kind {
        case .null, .boolean, .string: write(into: &bytes)
        case .number(let number): bytes.append(contentsOf: number.exactText.utf8)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.writeExact(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            var last: [ExactText: JSONValue] = [:]
            for member in members { last[ExactText(member.name)] = member.value }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in last.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONWriter.append(member.key.text, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.writeExact(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONNumber {
    /// The number in the one spelling that numbers with its exact decimal value have: `1` for `1.0`, `99.9` for `99.90`, `1e+21`.
    ///
    /// A number with an exponent of more than twelve digits keeps its own spelling.
    var exactText: String {
        if let integer { return String(integer) }
        var digits = Array(text.utf8)[...]
        let sign = digits.first == UInt8(ascii: "-") ? "-" : ""
        digits = digits.dropFirst(sign.utf8.count)
        let mantissa = digits.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let exponent = digits.dropFirst(mantissa.count + 1)
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        digits = whole + mantissa.dropFirst(whole.count + 1)
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits = digits.dropFirst(zeros)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { return "0" }
        guard let power = exponent.isEmpty ? 0 : Int(String(decoding: exponent, as: UTF8.self)),
            power.magnitude < 1_000_000_000_000
        else { return text }
        // The number is 0.digits × 10^point.
        return sign + Self.plain(String(decoding: digits, as: UTF8.self), point: whole.count - zeros + power)
    }

    /// Spelling of `0.digits × 10^point`, with an exponent where JavaScript writes one.
    private static func plain(_ digits: String, point: Int) -> String {
        func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
        let count = digits.utf8.count
        if (1...21).contains(point) {
            if count <= point { return digits + zeros(point - count) }
            return "\(digits.prefix(point)).\(digits.dropFirst(point))"
        }
        if (-5...0).contains(point) { return "0.\(zeros(-point))\(digits)" }
        let fraction = count == 1 ? "" : ".\(digits.dropFirst())"
        return "\(digits.prefix(1))\(fraction)e\(point > 0 ? "+" : "")\(point - 1)"
    }
}
