/// Session: a period of use without an interruption longer than the timeout.
package struct Session: Sendable, Equatable {
    /// The last eight characters of the user's unique id and the start time in UTC:
    /// `dc7a7a18-20230905-131926703`.
    package var id: String
    /// The ordinal of the session in this store, from 1; unique.
    package var number: Int
    package var start: Timestamp
    /// True if an earlier process started the session.
    package let isContinued: Bool
    /// The milliseconds from ``start`` until this process resumed the session.
    package var elapsedBefore: Int64
    /// The value of the monotonic clock when this process started or resumed the session.
    package var takenUp: Int64

    /// Returns the milliseconds since the session's start; never negative, independent of changes of the wall clock.
    package func duration(at moment: Moment) -> Int64 {
        max(0, elapsedBefore + max(0, moment.steady - takenUp))
    }

    /// Creates a session that starts now.
    package init(number: Int, uniqueID: String, at moment: Moment) {
        id = Self.id(uniqueID: uniqueID, start: moment.wall)
        self.number = number
        start = moment.wall
        isContinued = false
        elapsedBefore = 0
        takenUp = moment.steady
    }

    /// Creates a stored session that continues in this process from now.
    package init(id: String, number: Int, start: Timestamp, takenUpAt moment: Moment) {
        self.id = id
        self.number = number
        self.start = start
        isContinued = true
        elapsedBefore = max(0, moment.wall - start)
        takenUp = moment.steady
    }

    /// Returns a session id; a unique id of fewer than eight characters is padded on the left with `_`.
    package static func id(uniqueID: String, start: Timestamp) -> String {
        let tail = uniqueID.unicodeScalars.suffix(8)
        let time = start.civil
        func padded(_ number: Int, _ width: Int) -> String { String(zeroPadded: number, width: width) }
        return String(repeating: "_", count: 8 - tail.count) + String(tail)
            + "-" + padded(time.year, 4) + padded(time.month, 2) + padded(time.day, 2)
            + "-" + padded(time.hour, 2) + padded(time.minute, 2) + padded(time.second, 2)
            + padded(time.millisecond, 3)
    }
}
