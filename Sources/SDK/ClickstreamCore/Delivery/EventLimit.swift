/// Limit on the events of a batch, after too many parts of a larger one were refused with 400. Doubles with each success.
struct EventLimit: Sendable, Equatable {
    /// A batch of this size that is accepted ends the limit.
    private static let large = 65_536

    /// `nil` while there is no limit.
    private var maxCount: Int?

    /// Returns the limit for a queue.
    /// - Parameter wholeRefusals: batches of the queue in a row every part of which was refused.
    func events(wholeRefusals: Int) -> Int {
        wholeRefusals > 0 ? Self.maxEvents(wholeRefusals) : maxCount ?? .max
    }

    /// A batch was accepted, at least in part.
    /// - Parameter wholeRefusals: as before the batch.
    mutating func accepted(wholeRefusals: Int) {
        guard let limit = wholeRefusals > 0 ? Self.maxEvents(wholeRefusals) : maxCount else { return }
        maxCount = limit < Self.large ? limit * 2 : nil
    }

    /// Too many parts of a batch were refused.
    mutating func refused(events: Int) {
        maxCount = max(2, events / 4)
    }

    /// Numbers of events to try in turn after every part of a batch was refused with 400: one of these batches has nothing bad
    /// in its second half, if the fault is that of some events. One event alone is judged by witnesses from further behind, for a
    /// run folder that holds bad events only.
    private static func maxEvents(_ wholeRefusals: Int) -> Int {
        let sizes = [2, 1, 3, 5, 9, 17, 33, .max]
        return sizes[(wholeRefusals - 1) % sizes.count]
    }
}
