/// Largest body to send to a server that refuses larger ones with 413.
///
/// Halved by each refusal, doubled after every ``bodiesPerDoubling`` bodies that were taken: a limit that is the server's costs one
/// refused request in nine, and one that came from a single large event, or has been lifted, is soon forgotten.
struct BodyLimit: Sendable, Equatable {
    static let bodiesPerDoubling = 8
    /// Above this size a limit means nothing: no configuration allows larger bodies.
    private static let largest = 1 << 30

    private(set) var bytes = Int.max
    /// True once a body was refused.
    var isActive: Bool { bytes != .max }
    /// Bodies taken since the limit changed.
    private var taken = 0

    mutating func refused(bytes size: Int) {
        bytes = max(1, size / 2)
        taken = 0
    }

    mutating func accepted() {
        guard isActive else { return }
        taken += 1
        guard taken >= Self.bodiesPerDoubling else { return }
        taken = 0
        bytes = bytes < Self.largest ? bytes * 2 : .max
    }
}

extension BodyLimit {
    /// Action after the reply to a batch.
    enum Action: Sendable, Equatable {
        /// Make the next batch, within the new limit.
        case proceed
        /// Search the batch for the events that the server refuses.
        case search(RefusalSearch.Refusal)
        /// End the flush, and pause.
        case fail(DeliveryFailure)
    }

    /// A batch was sent.
    /// - Parameters:
    ///   - events: number of its events.
    ///   - size: bytes of its body.
    mutating func answered(_ verdict: DeliveryVerdict, events: Int, bytes size: Int) -> Action {
        switch verdict {
        case .delivered:
            accepted()
            return .proceed
        case .tooLarge where events > 1:
            refused(bytes: size)
            return .proceed
        case .tooLarge:
            return .search(.tooLarge(bytes: size))
        case .refused where events > 1 && isActive:
            // Larger batches, in which a good half could be found, are too large: the first event is singled out.
            refused(bytes: size)
            return .proceed
        case .refused(let status):
            return .search(.answered(status))
        case .failed(let failure):
            return .fail(failure)
        }
    }
}
