/// Chains of a funnel's owners: how far each reaches, and the times between its steps.
///
/// Takes 8 bytes an owner and 16 bytes an event of a chain, and as much again while it sorts.
struct FunnelChains: Sendable {
    /// Counts of one step.
    struct Step: Sendable, Hashable {
        /// Number of owners that reach the step.
        var users = 0
        /// Median of the milliseconds from the previous step, by nearest rank: the least of these times than which at least half of
        /// them are not longer. `nil` for the first step, and if no owner reaches the step.
        var median: Int64?
        /// The same for nine tenths of them.
        var p90: Int64?
    }

    /// Time from the previous step.
    private struct Delay: Sendable {
        var milliseconds: Int64
        var value: UInt32
    }

    private let steps: Int
    /// Number of the value of each chain's first event, then the number of steps in the lower half.
    private var reached: [UInt64] = []
    /// Times from the previous step for each step; none for the first.
    private var delays: [[Delay]]

    init(steps: Int) {
        self.steps = steps
        delays = Array(repeating: [], count: steps)
    }

    /// Adds the chain of an owner.
    /// - Parameters:
    ///   - value: number of the first event's value.
    ///   - times: the times of the chain's events, ascending.
    mutating func add(value: UInt32, times: [Int64]) {
        reached.append(UInt64(value) << 32 | UInt64(times.count))
        for (step, time) in times.enumerated().dropFirst() {
            let (difference, isBeyond) = time.subtractingReportingOverflow(times[step - 1])
            delays[step].append(Delay(milliseconds: isBeyond ? .max : difference, value: value))
        }
    }

    /// Steps of all chains, and those of each value as functions of its number.
    mutating func summarize() -> (total: [Step], groups: Groups) {
        for step in 1..<max(1, steps) { delays[step].radixSort { UInt64($0.milliseconds) } }
        let total = Self.steps(reached[...], delays.map { $0[...] })
        // The order by time remains within each value.
        for step in 1..<max(1, steps) { delays[step].radixSort { UInt64($0.value) } }
        reached.radixSort { $0 >> 32 }
        return (total, Groups(chains: self))
    }

    /// - Parameters:
    ///   - reached: elements of ``reached``.
    ///   - delays: times of each step, the shortest first.
    private static func steps(_ reached: ArraySlice<UInt64>, _ delays: [ArraySlice<Delay>]) -> [Step] {
        var steps = delays.map { times in
            Step(
                median: times.isEmpty ? nil : times[times.startIndex + (times.count - 1) / 2].milliseconds,
                p90: times.isEmpty ? nil : times[times.startIndex + (times.count * 9 + 9) / 10 - 1].milliseconds
            )
        }
        for chain in reached { steps[Int(UInt32(truncatingIfNeeded: chain)) - 1].users += 1 }
        // A chain with k steps reaches each step before.
        for step in steps.indices.dropLast().reversed() { steps[step].users += steps[step + 1].users }
        return steps
    }

    /// Chains by the value of their first event.
    struct Groups: Sendable {
        /// Sorted by value.
        private let chains: FunnelChains
        private let ranges: [Range<Int>]

        fileprivate init(chains: FunnelChains) {
            self.chains = chains
            var ranges: [Range<Int>] = []
            for (index, chain) in chains.reached.enumerated() {
                if let last = ranges.last, chains.reached[last.lowerBound] >> 32 == chain >> 32 {
                    ranges[ranges.count - 1] = last.lowerBound..<index + 1
                } else {
                    ranges.append(index..<index + 1)
                }
            }
            self.ranges = ranges
        }

        /// Number of owners of each group.
        var users: [Int] { ranges.map(\.count) }

        /// Number of the value of a group.
        func value(_ group: Int) -> UInt32 {
            UInt32(truncatingIfNeeded: chains.reached[ranges[group].lowerBound] >> 32)
        }

        /// Steps of a group.
        func steps(_ group: Int) -> [Step] {
            let value = value(group)
            let delays = chains.delays.map { delays in
                let start = Self.firstIndex(of: value, in: delays)
                let end = start + delays[start...].prefix { $0.value == value }.count
                return delays[start..<end]
            }
            return FunnelChains.steps(chains.reached[ranges[group]], delays)
        }

        /// Index of the first time of a value, or of a greater one.
        private static func firstIndex(of value: UInt32, in delays: [Delay]) -> Int {
            var (low, high) = (0, delays.count)
            while low < high {
                let middle = (low + high) / 2
                if delays[middle].value < value { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
