/// Period in which the machine was suspended, between two inputs.
package struct SystemSleep: Sendable, Equatable {
    /// The last input before it.
    package var lastInput: Moment
    /// In milliseconds.
    package var duration: Int64

    package init(after lastInput: Moment, duration: Int64) {
        self.lastInput = lastInput
        self.duration = duration
    }
}

/// Detector of sleeps of the machine, from the clocks of the inputs. Pure: every input carries its time.
///
/// Several sleeps between two inputs count as one.
package struct SleepDetector: Sendable, Equatable {
    /// The minimum duration of a sleep, in milliseconds: the readings of two clocks differ by rounding.
    package static let shortestSleep: Int64 = 1_000

    private var lastInput: Moment
    /// The greatest ``Moment/asleep`` so far. A thread that was interrupted while it read the clocks has a smaller one.
    private var asleep: Int64

    package init(at moment: Moment) {
        lastInput = moment
        asleep = moment.asleep
    }

    /// Handles an input. One that is older than the last has no effect.
    /// - Returns: the sleep since the last input, if any.
    @inline(__always)
    package mutating func receive(_ moment: Moment) -> SystemSleep? {
        guard moment.steady >= lastInput.steady else { return nil }
        let before = lastInput
        lastInput = moment
        let duration = moment.asleep &- asleep
        guard duration > 0 else { return nil }
        asleep = moment.asleep
        return duration >= Self.shortestSleep ? SystemSleep(after: before, duration: duration) : nil
    }
}
