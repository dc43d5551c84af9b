/// Durations as text: `250ms`, `2s`, `31m`, `1h30m`, `3d`, `1.5s`.
package enum DurationText {
    /// Upper limit: one hundred years.
    package static let limit: Int64 = 36_500 * 86_400_000

    /// Mistake in a duration.
    package enum ParseError: Error, Sendable, Hashable {
        case empty
        /// A number without a unit.
        case noUnit(number: String)
        case unknownUnit(String)
        /// A number is missing.
        case noNumber
        case finerThanMilliseconds
        case tooLong
    }

    /// Each unit with its milliseconds.
    private static let units: [String: Int64] = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]

    /// Parses a sequence of numbers with units, and returns the sum in milliseconds.
    package static func milliseconds(_ text: String) throws(ParseError) -> Int64 {
        var rest = Array(text.utf8)[...]
        guard !rest.isEmpty else { throw .empty }
        var total: Int64 = 0
        while !rest.isEmpty {
            let whole = rest.prefix(while: isDigit)
            guard !whole.isEmpty else { throw .noNumber }
            rest = rest.dropFirst(whole.count)
            var fraction: ArraySlice<UInt8> = []
            if rest.first == UInt8(ascii: ".") {
                fraction = rest.dropFirst().prefix(while: isDigit)
                guard !fraction.isEmpty else { throw .noNumber }
                rest = rest.dropFirst(1 + fraction.count)
            }
            let unit = rest.prefix { !isDigit($0) }
            rest = rest.dropFirst(unit.count)
            guard !unit.isEmpty else { throw .noUnit(number: String(decoding: whole, as: UTF8.self)) }
            guard let length = units[String(decoding: unit, as: UTF8.self)] else {
                throw .unknownUnit(String(decoding: unit, as: UTF8.self))
            }
            total += try part(whole: whole, fraction: fraction, length: length)
            guard total <= limit else { throw .tooLong }
        }
        return total
    }

    /// The milliseconds of `whole.fraction` units that are `length` milliseconds each; within ``limit``.
    private static func part(
        whole: ArraySlice<UInt8>,
        fraction: ArraySlice<UInt8>,
        length: Int64
    ) throws(ParseError) -> Int64 {
        guard let number = Int64(String(decoding: whole, as: UTF8.self)), number <= limit / length else {
            throw .tooLong
        }
        var digits = fraction
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        // Nine digits of the longest unit fit into 64 bits; further digits are finer than a millisecond.
        guard digits.count <= 9 else { throw .finerThanMilliseconds }
        var numerator: Int64 = 0
        var scale: Int64 = 1
        for digit in digits {
            numerator = numerator * 10 + Int64(digit - UInt8(ascii: "0"))
            scale *= 10
        }
        guard numerator * length % scale == 0 else { throw .finerThanMilliseconds }
        return number * length + numerator * length / scale
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

extension DurationText.ParseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "missing duration"
        case .noUnit: "a duration needs a unit"
        case .unknownUnit(let unit): "unknown unit '\(unit)' in a duration"
        case .noNumber: "not a valid duration"
        case .finerThanMilliseconds: "a duration must be a whole number of milliseconds"
        case .tooLong: "a duration must be at most 36500d"
        }
    }

    /// Suggested correction.
    package var suggestion: String? {
        switch self {
        case .noUnit(let number): "did you mean '\(number)s' or '\(number)ms'?"
        case .unknownUnit, .empty, .noNumber: "write it like 250ms, 2s, 31m, 1h30m or 3d"
        case .finerThanMilliseconds, .tooLong: nil
        }
    }
}
