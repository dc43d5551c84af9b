/// Wall-clock time: milliseconds since 1970-01-01T00:00:00Z, the unit of the wire format.
public struct Timestamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before that.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }
}

extension Timestamp {
    /// Milliseconds of the years 1970 to 9999.
    package static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
}

extension Timestamp: Comparable {
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Returns the milliseconds from `start` to `end`; negative if the clock was set back in between.
    package static func - (end: Timestamp, start: Timestamp) -> Int64 {
        end.milliseconds &- start.milliseconds
    }

    package static func + (start: Timestamp, milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds &+ milliseconds)
    }
}

/// A date and time of day in the proleptic Gregorian calendar, UTC.
package struct CivilTime: Sendable, Equatable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var millisecond: Int

    package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0)
    {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.millisecond = millisecond
    }
}

extension Timestamp {
    /// The UTC calendar fields, computed from days since 0000-03-01 without a formatter or table.
    package var civil: CivilTime {
        let dayLength: Int64 = 86_400_000
        var days = milliseconds / dayLength
        var rest = milliseconds % dayLength
        if rest < 0 {
            rest += dayLength
            days -= 1
        }
        days += 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return CivilTime(
            year: Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)),
            month: Int(month),
            day: Int(dayOfYear - (153 * shifted + 2) / 5 + 1),
            hour: Int(rest / 3_600_000),
            minute: Int(rest / 60_000 % 60),
            second: Int(rest / 1_000 % 60),
            millisecond: Int(rest % 1_000)
        )
    }

    /// Converts UTC calendar fields. Fields out of range carry over.
    package init(_ civil: CivilTime) {
        let year = Int64(civil.month <= 2 ? civil.year - 1 : civil.year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (civil.month > 2 ? civil.month - 3 : civil.month + 9) + 2) / 5 + civil.day - 1)
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let seconds = days * 86_400 + Int64(civil.hour * 3_600 + civil.minute * 60 + civil.second)
        self.init(milliseconds: seconds * 1_000 + Int64(civil.millisecond))
    }
}

extension Timestamp: CustomStringConvertible {
    /// ISO 8601 in UTC with milliseconds: `2023-09-05T13:19:26.703Z`.
    public var description: String {
        let time = civil
        func padded(_ number: Int, _ width: Int) -> String { String(zeroPadded: number, width: width) }
        return "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
            + "T\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
            + ".\(padded(time.millisecond, 3))Z"
    }
}
