import Glibc

/// The steady clock, in nanoseconds.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// How long each of many calls took.
struct Samples {
    private var nanoseconds: [UInt32] = []
    private var isSorted = false

    mutating func add(_ duration: UInt64) {
        nanoseconds.append(UInt32(clamping: duration))
        isSorted = false
    }

    mutating func quantile(_ share: Double) -> Double {
        if !isSorted {
            nanoseconds.sort()
            isSorted = true
        }
        guard !nanoseconds.isEmpty else { return .nan }
        return Double(nanoseconds[min(nanoseconds.count - 1, Int(share * Double(nanoseconds.count)))])
    }

    /// For a picture: a duration in nanoseconds at each share of the calls that were slower.
    mutating func distribution() -> [(x: Double, y: Double)] {
        let shares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999]
        return shares.filter { $0 == 0 || (1 - $0) * Double(nanoseconds.count) >= 4 }.map { ($0 * 100, quantile($0)) }
    }
}

/// Measures several things in turns, so that whatever else the machine does meets all of them alike.
struct Contest {
    private struct Contestant {
        var name: String
        var prepare: () -> Void
        var body: () -> Void
        var samples = Samples()
    }

    private var contestants: [Contestant] = []

    /// - Parameter prepare: done before each turn, outside the measurement.
    mutating func enter(_ name: String, prepare: @escaping () -> Void = {}, _ body: @escaping () -> Void) {
        contestants.append(Contestant(name: name, prepare: prepare, body: body))
    }

    /// The first tenth of the turns warms up and does not count.
    mutating func run(turns: Int, calls: Int) {
        for turn in 0..<turns {
            for index in contestants.indices {
                let contestant = contestants[index]
                contestant.prepare()
                for _ in 0..<calls {
                    let start = now()
                    contestant.body()
                    let end = now()
                    if turn >= turns / 10 { contestants[index].samples.add(end - start) }
                }
            }
        }
    }

    mutating func quantile(_ share: Double, of name: String) -> Double {
        guard let index = contestants.firstIndex(where: { $0.name == name }) else { return .nan }
        return contestants[index].samples.quantile(share)
    }

    mutating func distribution(of name: String) -> [(x: Double, y: Double)] {
        guard let index = contestants.firstIndex(where: { $0.name == name }) else { return [] }
        return contestants[index].samples.distribution()
    }
}

/// The middle of several runs of the same.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}
