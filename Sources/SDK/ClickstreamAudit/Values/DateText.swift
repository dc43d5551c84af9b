import ClickstreamCore

/// Dates as SQLite and GRDB store them: text, or seconds since 1970.
enum DateText {
    /// Seconds of the years 0 to 9999, which ISO 8601 represents with four digits.
    private static let seconds = -62_167_219_200.0..<253_402_300_800.0

    /// Returns the time of a number of seconds since 1970; `nil` if it is outside the years 0 to 9999.
    static func timestamp(seconds number: Double) -> Timestamp? {
        guard seconds ~= number else { return nil }
        return Timestamp(milliseconds: Int64((number * 1_000).rounded()))
    }

    /// Decodes `YYYY-MM-DD`, with an optional time `HH:MM[:SS[.SSS…]]` behind a space or `T`, and an optional `Z` or
    /// `±HH:MM`. Without a time zone the time is UTC.
    /// - Returns: `nil` for other text.
    static func timestamp(_ text: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        var scanner = Scanner(text: text)
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), 1...12 ~= month,
            scanner.skip("-"), let day = scanner.digits(2), 1...31 ~= day
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        var offset = 0
        if scanner.skip(" ") || scanner.skip("T") {
            guard let hour = scanner.digits(2), hour < 24, scanner.skip(":"), let minute = scanner.digits(2),
                minute < 60
            else { return nil }
            civil.hour = hour
            civil.minute = minute
            if scanner.skip(":") {
                guard let second = scanner.digits(2), second < 60 else { return nil }
                civil.second = second
                if scanner.skip(".") {
                    guard let millisecond = scanner.milliseconds() else { return nil }
                    civil.millisecond = millisecond
                }
            }
            guard let zone = scanner.zone() else { return nil }
            offset = zone
        }
        guard scanner.isAtEnd else { return nil }
        let time = Timestamp(civil)
        // A day that the month does not have carries over: such text is no date.
        guard time.civil.day == day else { return nil }
        return time + Int64(-offset * 60_000)
    }

    /// Appends ISO 8601 in UTC with milliseconds, in quotation marks, for a year of four digits.
    static func append(_ time: Timestamp, to bytes: inout [UInt8]) {
        let civil = time.civil
        guard 0..<10_000 ~= civil.year else { return bytes.append(json: time.description) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 26) { text in
            func put(_ number: Int, _ width: Int, at end: Int) {
                var rest = number
                for digit in 1...width {
                    text[end - digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
            }
            text[0] = UInt8(ascii: "\"")
            text[5] = UInt8(ascii: "-")
            text[8] = UInt8(ascii: "-")
            text[11] = UInt8(ascii: "T")
            text[14] = UInt8(ascii: ":")
            text[17] = UInt8(ascii: ":")
            text[20] = UInt8(ascii: ".")
            text[24] = UInt8(ascii: "Z")
            text[25] = UInt8(ascii: "\"")
            put(civil.year, 4, at: 5)
            put(civil.month, 2, at: 8)
            put(civil.day, 2, at: 11)
            put(civil.hour, 2, at: 14)
            put(civil.minute, 2, at: 17)
            put(civil.second, 2, at: 20)
            put(civil.millisecond, 3, at: 24)
            bytes += text
        }
    }

    private struct Scanner {
        let text: UnsafeBufferPointer<UInt8>
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        private mutating func digit() -> Int? {
            guard position < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[position] else { return nil }
            position += 1
            return Int(text[position - 1] - UInt8(ascii: "0"))
        }

        mutating func digits(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// Reads the decimals of a second; further ones than three are cut off.
        mutating func milliseconds() -> Int? {
            guard var number = digit() else { return nil }
            var count = 1
            while let next = digit() {
                if count < 3 { number = number * 10 + next }
                count += 1
            }
            while count < 3 {
                number *= 10
                count += 1
            }
            return number
        }

        /// Reads the time zone: minutes east of UTC; 0 without one.
        mutating func zone() -> Int? {
            if isAtEnd || skip("Z") { return 0 }
            let isEast = skip("+")
            guard isEast || skip("-"), let hours = digits(2), skip(":"), let minutes = digits(2) else { return nil }
            return (isEast ? 1 : -1) * (hours * 60 + minutes)
        }
    }
}
