/// Search for the events of a batch that a server refuses with 400 or 413.
///
/// A pure machine: ``next()`` returns the part to send, ``answered(_:)`` takes the reply to it, ``result`` is the outcome.
/// An event counts as refused only beside a neighbor that the server takes. A server that refuses everything ends the search
/// after two or three requests, with every event kept.
struct RefusalSearch: Sendable, Equatable {
    /// Status and reason of a refusal.
    struct Refusal: Sendable, Equatable {
        var status: Int
        var reason: FlushError

        static func answered(_ status: Int) -> Self { Self(status: status, reason: .status(status)) }
        static func tooLarge(bytes: Int) -> Self { Self(status: 413, reason: .tooLarge(bytes: bytes)) }
    }

    /// Reply to a part.
    enum Answer: Sendable, Equatable {
        case taken(rawBytes: Int, sentBytes: Int)
        case refused(Refusal)
        /// No verdict on the part: the server is away, the deadline has passed.
        case failed(DeliveryFailure)
    }

    /// Reason for an early end.
    enum Obstacle: Sendable, Equatable {
        /// No event was taken: the fault is the server's.
        case everythingRefused(Refusal)
        /// ``maxAttempts`` requests did not find all refused events.
        case tooManyParts(Refusal)
        case failed(DeliveryFailure)
    }

    /// A part that the server took.
    struct TakenPart: Sendable, Equatable {
        var part: Range<Int>
        var rawBytes: Int
        var sentBytes: Int
    }

    /// An event that the server refused alone.
    struct RefusedEvent: Sendable, Equatable {
        var index: Int
        var refusal: Refusal
        /// Requests that held the event.
        var attempts: Int
    }

    /// The part of the batch that is settled.
    struct Result: Sendable, Equatable {
        /// Number of events at the front of the batch that were taken or refused for good.
        var settled = 0
        /// Parts within ``settled`` that were taken.
        var taken: [TakenPart] = []
        /// Events within ``settled`` that were refused.
        var refused: [RefusedEvent] = []
        var obstacle: Obstacle?
    }

    /// Limit on the requests of one search.
    static let maxAttempts = 64
    /// Limit on the events around one that is refused alone.
    static let maxNeighbors = 32

    private enum Phase: Equatable {
        /// Halves of refused parts are sent in pairs.
        case halving
        /// The event after the one that was refused alone is sent.
        case neighbor
        /// The smallest event is sent, then one at random; the neighbor was refused, too.
        case witness
        /// An event that was taken before is sent once more.
        case confirmation
    }

    private let first: Refusal
    /// Sizes of the events in bytes.
    private let sizes: [Int]
    private let draw: UInt64
    private var phase: Phase
    /// Events that are still to be sent as evidence that the server takes any.
    private var witnesses: [Int] = []
    /// Number of events at the front that the search settles; the events behind it are evidence only.
    private var end: Int
    /// Refused parts that are still to be halved; the first of the batch comes last.
    private var open: [Range<Int>] = []
    /// Parts of the current pair that have not been sent.
    private var untried: [Range<Int>] = []
    /// Parts of the current pair that were refused.
    private var refusedParts: [Range<Int>] = []
    private var bad: [RefusedEvent] = []
    private var taken: [TakenPart] = []
    private var refusals: [Int: Refusal] = [:]
    /// Requests by event, for those that were refused.
    private var attemptsByEvent: [Int]
    /// True once both halves of a part were refused after others had been taken: the server may have broken down meanwhile.
    private var isDoubtful = false
    private var isConfirmed = false
    private var attempts = 1
    private var obstacle: Obstacle?

    /// Begins with a batch that was refused as a whole.
    /// - Parameter count: number of its events, at least 2.
    init(batchOf count: Int, refusal: Refusal) {
        first = refusal
        sizes = []
        draw = 0
        phase = .halving
        end = count
        attemptsByEvent = Array(repeating: 1, count: count)
        halve(0..<count)
    }

    /// Begins with an event that was refused alone, the first of `sizes`.
    /// - Parameters:
    ///   - sizes: its size and those of the events behind it.
    ///   - witnesses: number of the last of `sizes` that are further behind, the very last chosen at random: sent as evidence
    ///     alone, and not settled.
    ///   - draw: random bits for the choice if there are no such events. The same bad event is then not the only evidence each
    ///     time.
    init(eventOf sizes: [Int], witnesses: Int, draw: UInt64, refusal: Refusal) {
        first = refusal
        self.sizes = sizes
        self.draw = draw
        phase = .neighbor
        end = sizes.count - witnesses
        attemptsByEvent = [1] + Array(repeating: 0, count: max(0, sizes.count - 1))
        refusals[0] = refusal
        if end > 1 {
            untried = [1..<2]
        } else {
            seekWitness()
        }
    }

    // MARK: Steps

    /// Returns the part to send next, or `nil` at the end of the search.
    mutating func next() -> Range<Int>? {
        while obstacle == nil {
            if let part = untried.first { return part }
            guard let part = open.popLast() else { break }
            if part.count > 1 {
                halve(part)
            } else {
                settleAsRefused(part.lowerBound)
            }
        }
        guard obstacle == nil, isDoubtful, !isConfirmed, let good = taken.first?.part.lowerBound else { return nil }
        phase = .confirmation
        return good..<good + 1
    }

    /// Takes the reply to the part that ``next()`` returned.
    mutating func answered(_ answer: Answer) {
        attempts += 1
        if phase == .confirmation {
            isConfirmed = true
            switch answer {
            case .taken: break
            case .refused(let refusal): obstacle = .everythingRefused(refusal)
            case .failed(let failure): obstacle = .failed(failure)
            }
            return
        }
        guard let part = untried.first else { preconditionFailure("Invalid state: an answer to no part") }
        if case .failed(let failure) = answer {
            obstacle = .failed(failure)
            return
        }
        untried.removeFirst()
        for index in part { attemptsByEvent[index] += 1 }
        switch answer {
        case .taken(let rawBytes, let sentBytes):
            wasTaken(TakenPart(part: part, rawBytes: rawBytes, sentBytes: sentBytes))
        case .refused(let refusal):
            if part.count == 1 { refusals[part.lowerBound] = refusal }
            wasRefused(part)
        case .failed:
            break
        }
        if attempts > Self.maxAttempts, obstacle == nil { obstacle = .tooManyParts(first) }
    }

    /// The outcome; to be read once ``next()`` has returned `nil`.
    var result: Result {
        var unsettled = open + untried + refusedParts
        // Refused alone, but no evidence that the server is well: kept.
        if obstacle != nil, isDoubtful || taken.isEmpty { unsettled += bad.map { $0.index..<$0.index + 1 } }
        if phase == .neighbor || phase == .witness, taken.isEmpty { unsettled.append(0..<1) }
        let front = min(end, unsettled.map(\.lowerBound).min() ?? end)
        return Result(
            settled: front,
            taken: taken.filter { $0.part.upperBound <= front },
            refused: bad.filter { $0.index < front }.orderedByNumber { Int64($0.index) },
            obstacle: obstacle
        )
    }

    // MARK: Halving

    private mutating func halve(_ part: Range<Int>) {
        let middle = part.lowerBound + part.count / 2
        untried = [part.lowerBound..<middle, middle..<part.upperBound]
        refusedParts = []
    }

    private mutating func settleAsRefused(_ index: Int) {
        bad.append(
            RefusedEvent(index: index, refusal: refusals[index] ?? first, attempts: attemptsByEvent[index])
        )
    }

    private mutating func wasTaken(_ part: TakenPart) {
        taken.append(part)
        switch phase {
        case .halving: endPairIfTried()
        case .neighbor:
            settleAsRefused(0)
            end = 2
        case .witness: witnessWasTaken(part.part.lowerBound)
        case .confirmation: break
        }
    }

    private mutating func wasRefused(_ part: Range<Int>) {
        switch phase {
        case .halving:
            refusedParts.append(part)
            endPairIfTried()
        case .neighbor: seekWitness()
        case .witness: sendWitness()
        case .confirmation: break
        }
    }

    private mutating func endPairIfTried() {
        guard untried.isEmpty else { return }
        if refusedParts.count == 2 {
            if taken.isEmpty { obstacle = .everythingRefused(first) }
            isDoubtful = true
        }
        open += refusedParts.reversed()
        refusedParts = []
    }

    // MARK: An event that was refused alone

    /// Number of events at the front that were refused alone: the first, and the one behind it if it is no mere witness.
    private var alone: Int { end > 1 && refusals[1] != nil ? 2 : 1 }

    /// Chooses the smallest of the other events, and one at random, from further behind if possible. A server that takes
    /// neither is taken to refuse all.
    private mutating func seekWitness() {
        phase = .witness
        let others = Array(sizes.indices.dropFirst(alone))
        if let smallest = others.min(by: { sizes[$0] < sizes[$1] }) {
            let rest = others.filter { $0 != smallest }
            // The last of several sizes beyond the end was chosen at random.
            let random = end < sizes.count || rest.isEmpty ? rest.last : rest[Int(draw % UInt64(rest.count))]
            witnesses = [smallest] + (random.map { [$0] } ?? [])
        }
        sendWitness()
    }

    private mutating func sendWitness() {
        guard !witnesses.isEmpty else {
            obstacle = .everythingRefused(first)
            return
        }
        let witness = witnesses.removeFirst()
        untried = [witness..<witness + 1]
    }

    /// The events that were refused before it are bad; those between are searched.
    private mutating func witnessWasTaken(_ witness: Int) {
        settleAsRefused(0)
        let tried = alone
        if tried == 2 { settleAsRefused(1) }
        guard witness < end else {
            // Further behind: it is sent again in its turn, and so are the events between.
            end = tried
            return
        }
        end = witness + 1
        phase = .halving
        let between = tried..<witness
        if between.count > 1 {
            halve(between)
        } else if !between.isEmpty {
            untried = [between]
        }
    }
}
