package import ClickstreamCore

extension Timestamp {
    /// Parses milliseconds since 1970, or an ISO 8601 date with an optional time of day and zone; UTC by default.
    package init?(query text: String) {
        if let milliseconds = Int64(text) {
            self.init(milliseconds: milliseconds)
            return
        }
        var rest = text.utf8[...]
        guard let year = Self.number(&rest, digits: 4), Self.take("-", &rest),
            let month = Self.number(&rest, digits: 2), (1...12).contains(month), Self.take("-", &rest),
            let day = Self.number(&rest, digits: 2), (1...31).contains(day)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        var offset: Int64 = 0
        // A plus sign in a query arrives as a space.
        if Self.take("T", &rest) || Self.take("t", &rest) {
            guard let hour = Self.number(&rest, digits: 2), hour < 24, Self.take(":", &rest),
                let minute = Self.number(&rest, digits: 2), minute < 60
            else { return nil }
            civil.hour = hour
            civil.minute = minute
            if Self.take(":", &rest) {
                guard let second = Self.number(&rest, digits: 2), second < 61 else { return nil }
                civil.second = second
                if Self.take(".", &rest) {
                    let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
                    guard !digits.isEmpty else { return nil }
                    rest = rest.dropFirst(digits.count)
                    let three = String(decoding: digits.prefix(3), as: UTF8.self)
                    civil.millisecond = Int(three + String(repeating: "0", count: 3 - three.count)) ?? 0
                }
            }
            guard let zone = Self.zone(&rest) else { return nil }
            offset = zone
        }
        guard rest.isEmpty else { return nil }
        self.init(milliseconds: Timestamp(civil).milliseconds - offset)
    }

    /// Offset from UTC in milliseconds, positive to the east.
    private static func zone(_ rest: inout Substring.UTF8View) -> Int64? {
        if rest.isEmpty || take("Z", &rest) || take("z", &rest) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take("-", &rest) || take("+", &rest) || take(" ", &rest), let hours = number(&rest, digits: 2) else {
            return nil
        }
        _ = take(":", &rest)
        guard let minutes = number(&rest, digits: 2), hours < 24, minutes < 60 else { return nil }
        let offset = Int64(hours * 60 + minutes) * 60_000
        return isWest ? -offset : offset
    }

    private static func take(_ sign: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int? {
        let field = rest.prefix(digits)
        guard field.count == digits, field.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        rest = rest.dropFirst(digits)
        return Int(String(decoding: field, as: UTF8.self))
    }
}
