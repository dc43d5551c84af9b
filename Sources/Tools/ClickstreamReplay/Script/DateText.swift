package import ClickstreamCore

/// Dates of scripts: ISO 8601, a calendar date with optional time of day and zone.
package enum DateText {
    /// Mistake in a date.
    package enum ParseError: Error, Sendable, Hashable {
        /// Not in the form of a date.
        case form
        /// A date that does not exist, such as 30 February.
        case noSuchDate
    }

    /// Parses `2023-09-05T13:19:26.703Z`, `2023-09-05 13:19`, `2023-09-05T21:19:26+08:00`, `2023-09-05`.
    ///
    /// The default zone is UTC. A fraction is truncated to milliseconds. Years 1970 to 9999.
    package static func timestamp(_ text: String) throws(ParseError) -> Timestamp {
        var scanner = DigitScanner(text)
        let year = try scanner.number(4)
        try scanner.expect("-")
        let month = try scanner.number(2)
        try scanner.expect("-")
        var time = CivilTime(year: year, month: month, day: try scanner.number(2))
        var offset = 0
        if scanner.take(anyOf: "Tt ") {
            time.hour = try scanner.number(2)
            try scanner.expect(":")
            time.minute = try scanner.number(2)
            if scanner.take(anyOf: ":") {
                time.second = try scanner.number(2)
                if scanner.take(anyOf: ".,") { time.millisecond = try scanner.milliseconds() }
            }
            _ = scanner.take(anyOf: " ")
            offset = try scanner.zone()
        }
        guard scanner.isAtEnd else { throw .form }
        guard (1_970...9_999).contains(time.year), time.hour <= 23, time.minute <= 59, time.second <= 59 else {
            throw .noSuchDate
        }
        let moment = Timestamp(time)
        // A field out of range carries over, so that the result differs from the text.
        guard moment.civil == time else { throw .noSuchDate }
        return moment + Int64(-offset) * 60_000
    }
}

extension DateText.ParseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .form: "not a valid date; write it like 2023-09-05T13:19:26.703Z"
        case .noSuchDate: "no such date between the years 1970 and 9999"
        }
    }
}

/// Parser of fixed-width numbers in ASCII text.
private struct DigitScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(_ width: Int) throws(DateText.ParseError) -> Int {
        let digits = rest.prefix(width)
        guard digits.count == width else { throw .form }
        var number = 0
        for digit in digits {
            guard digit &- UInt8(ascii: "0") < 10 else { throw .form }
            number = number * 10 + Int(digit &- UInt8(ascii: "0"))
        }
        rest = rest.dropFirst(width)
        return number
    }

    /// Fractional digits of a second in milliseconds.
    mutating func milliseconds() throws(DateText.ParseError) -> Int {
        let digits = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
        guard (1...9).contains(digits.count) else { throw .form }
        rest = rest.dropFirst(digits.count)
        return (Array(digits.prefix(3)) + [UInt8(ascii: "0"), UInt8(ascii: "0")]).prefix(3)
            .reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    }

    /// Minutes east of GMT: nothing or `Z` is 0; `+08:00`, `+0800`, `+08`.
    mutating func zone() throws(DateText.ParseError) -> Int {
        guard !isAtEnd, !take(anyOf: "Zz") else { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take(anyOf: "+-") else { throw .form }
        let hours = try number(2)
        var minutes = 0
        if !isAtEnd {
            _ = take(anyOf: ":")
            minutes = try number(2)
        }
        guard hours <= 18, minutes <= 59 else { throw .noSuchDate }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    mutating func take(anyOf characters: StaticString) -> Bool {
        guard let first = rest.first else { return false }
        let isThere = characters.withUTF8Buffer { $0.contains(first) }
        if isThere { rest = rest.dropFirst() }
        return isThere
    }

    mutating func expect(_ character: StaticString) throws(DateText.ParseError) {
        guard take(anyOf: character) else { throw .form }
    }
}
