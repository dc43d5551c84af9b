/// Funnel of the events of owners, which are users or sessions: how many reach each step, and in which time.
///
/// An owner's events are ordered by time, then arrival. It reaches step k if there are events e1 … ek at strictly increasing positions,
/// ei matching step i, with time(ek) − time(e1) within the window. One event may match several steps.
///
/// Takes 16 bytes an event, as much again while it sorts, and O(n · k) time for n events and k steps, whatever they match.
struct Funnel: Sendable {
    /// Maximum number of steps.
    static let maxSteps = 20

    /// Event of an owner.
    private struct Row {
        var time: Int64
        var owner: UInt32
        /// Index of the matched steps and the value.
        var kind: UInt32
    }

    /// Steps that an event matches as bits, the first in the lowest, and the number of its value.
    private struct Kind: Hashable {
        var steps: UInt32
        var value: UInt32
    }

    private let steps: Int
    private let window: UInt64
    private var rows: [Row] = []
    private var kinds: [Kind] = []
    private var indexes: [Kind: UInt32] = [:]
    private var lastIndex: Int?
    /// Positions by step, reused for each owner; -1 for none.
    private var positions: [Int]

    /// - Parameters:
    ///   - steps: number of steps, from 1 to ``maxSteps``.
    ///   - window: maximum milliseconds from the first event of a chain to each other one; `nil` for no limit.
    init(steps: Int, window: Int64?) {
        self.steps = steps
        self.window = window.map { UInt64(clamping: $0) } ?? .max
        positions = Array(repeating: -1, count: steps)
    }

    /// Adds an event. Events of the same time have to be added in the order of arrival.
    /// - Parameters:
    ///   - matches: the steps that the event matches as bits, the first in the lowest.
    ///   - value: number of its value, which counts for an event that matches the first step.
    mutating func add(owner: UInt32, time: Int64, matches: UInt32, value: UInt32) {
        let kind = Kind(steps: matches, value: matches & 1 == 0 ? 0 : value)
        rows.append(Row(time: time, owner: owner, kind: index(of: kind)))
    }

    private mutating func index(of kind: Kind) -> UInt32 {
        if let lastIndex, kinds[lastIndex] == kind { return UInt32(lastIndex) }
        let index = indexes[kind] ?? UInt32(kinds.count)
        if index == kinds.count {
            kinds.append(kind)
            indexes[kind] = index
        }
        lastIndex = Int(index)
        return index
    }

    /// Finds the chain of each owner that has one, and removes the events.
    mutating func chains() -> FunnelChains {
        rows.radixSort { UInt64(bitPattern: $0.time) ^ 1 << 63 }
        // The order by time, then arrival, remains within each owner.
        rows.radixSort { UInt64($0.owner) }
        var chains = FunnelChains(steps: steps)
        var chain: [Int64] = []
        var start = 0
        while start < rows.count {
            var end = start + 1
            while end < rows.count, rows[end].owner == rows[start].owner { end += 1 }
            if let value = findChain(in: start..<end, times: &chain) { chains.add(value: value, times: chain) }
            start = end
        }
        rows = []
        return chains
    }

    // MARK: - The chain of an owner

    /// Finds the chain that reaches farthest and, among those, starts earliest, with the earliest event for each step.
    ///
    /// From a given first event, the earliest next event for each step is the best one: it leaves the most events for the later
    /// steps, and ends first. So a chain is known by how far it reaches and where it starts.
    /// - Parameter times: the times of the chain's events.
    /// - Returns: the number of the first event's value; `nil` if no event matches the first step.
    private mutating func findChain(in range: Range<Int>, times: inout [Int64]) -> UInt32? {
        let reach = farthestStep(in: range)
        guard reach > 0, let start = earliestStart(in: range, reach) else { return nil }
        times.removeAll(keepingCapacity: true)
        var position = start
        for step in 0..<reach {
            while matches(at: position) & 1 << UInt32(step) == 0 { position += 1 }
            times.append(rows[position].time)
            position += 1
        }
        return kinds[Int(rows[start].kind)].value
    }

    /// Number of steps that a chain reaches.
    ///
    /// `positions[i]` is the latest start of a chain of steps 0 … i among the events so far. A chain of i + 1 steps contains one of i
    /// steps with the same start that ended before, so an event of step i takes over `positions[i - 1]`, which is not earlier than
    /// `positions[i]`. If any chain that ends with this event is within the window, the one with the latest start is. Steps are
    /// visited downwards, so that one event is not used for two steps.
    private mutating func farthestStep(in range: Range<Int>) -> Int {
        for step in 0..<steps { positions[step] = -1 }
        var reach = 0
        for position in range {
            var matches = matches(at: position)
            while matches != 0 {
                let step = 31 - matches.leadingZeroBitCount
                matches &= ~(1 << UInt32(step))
                let start = step == 0 ? position : positions[step - 1]
                guard start >= 0 else { continue }
                positions[step] = start
                if step >= reach, isWithinWindow(start, position) { reach = step + 1 }
            }
            if reach == steps { break }
        }
        return reach
    }

    /// Earliest start of a chain with a number of steps.
    ///
    /// The same from the end: `positions[i]` is the earliest end of a chain of steps i … reach - 1 among the events from here on.
    /// The last start found whose earliest end is within the window is the earliest one.
    private mutating func earliestStart(in range: Range<Int>, _ reach: Int) -> Int? {
        for step in 0..<reach { positions[step] = -1 }
        var earliest: Int?
        for position in range.reversed() {
            var matches = matches(at: position) & (1 << UInt32(reach) - 1)
            while matches != 0 {
                let step = matches.trailingZeroBitCount
                matches &= matches - 1
                let end = step == reach - 1 ? position : positions[step + 1]
                guard end >= 0 else { continue }
                positions[step] = end
                if step == 0, isWithinWindow(position, end) { earliest = position }
            }
        }
        return earliest
    }

    private func matches(at position: Int) -> UInt32 { kinds[Int(rows[position].kind)].steps }

    /// True if an event is within the window of an earlier one. Their distance may exceed `Int64`.
    private func isWithinWindow(_ start: Int, _ end: Int) -> Bool {
        UInt64(bitPattern: rows[end].time &- rows[start].time) <= window
    }
}
