extension Timestamp {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date of an HTTP header in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpDate: String {
        let time = civil
        let dayLength: Int64 = 86_400_000
        let days = Int((milliseconds - (milliseconds % dayLength + dayLength) % dayLength) / dayLength)
        // 1970-01-01 was a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7 + 7) % 7]
        let clock = [time.hour, time.minute, time.second].map { String(zeroPadded: $0, width: 2) }
        return "\(weekday), \(String(zeroPadded: time.day, width: 2)) \(Self.months[time.month - 1]) "
            + "\(String(zeroPadded: time.year, width: 4)) \(clock.joined(separator: ":")) GMT"
    }

    /// Parses a date of an HTTP header in any of its three forms (RFC 9110, 5.6.7): `Wed, 21 Oct 2015 07:28:00 GMT`,
    /// `Wednesday, 21-Oct-15 07:28:00 GMT`, `Wed Oct 21 07:28:00 2015`. Returns `nil` for any other text, and for years
    /// before 1970.
    ///
    /// - Parameter now: reference for a year of two digits, which is at most fifty years later.
    package init?(httpDate text: String, now: Timestamp) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        let fields = words.dropFirst().flatMap { $0.split(separator: "-").map(String.init) }
        let parts: (day: String, month: String, year: String, clock: String)
        switch (fields.count, fields.last) {
        case (5, "GMT"): parts = (fields[0], fields[1], fields[2], fields[3])
        case (4, _): parts = (fields[1], fields[0], fields[3], fields[2])
        default: return nil
        }
        guard let day = Int(parts.day), (1...31).contains(day), let month = Self.months.firstIndex(of: parts.month),
            var year = Int(parts.year), (0...9_999).contains(year)
        else { return nil }
        if parts.year.utf8.count == 2 {
            let current = now.civil.year
            year += current / 100 * 100
            if year > current + 50 { year -= 100 }
        }
        guard year >= 1_970 else { return nil }
        let clock = parts.clock.split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        self.init(
            CivilTime(year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
        )
    }
}
