import CMeter

/// Latencies in nanoseconds, 1 ns a cell to 65 µs and 1 µs a cell beyond. Adding one allocates nothing.
struct Histogram {
    private var fine = [UInt32](repeating: 0, count: 65_536)
    private var coarse = [UInt32](repeating: 0, count: 100_000)
    private(set) var count = 0
    private(set) var longest: UInt64 = 0
    private(set) var total: UInt64 = 0

    mutating func add(_ latency: UInt64) {
        count += 1
        total += latency
        longest = max(longest, latency)
        if latency < 65_536 {
            fine[Int(latency)] += 1
        } else {
            coarse[min(Int(latency / 1_000), coarse.count - 1)] += 1
        }
    }

    /// The latency that this share of all do not pass.
    func quantile(_ share: Double) -> Double {
        let wanted = Int((Double(count) * share).rounded(.up))
        var seen = 0
        for (latency, number) in fine.enumerated() {
            seen += Int(number)
            if seen >= wanted { return Double(latency) }
        }
        for (latency, number) in coarse.enumerated() {
            seen += Int(number)
            if seen >= wanted { return Double(latency) * 1_000 }
        }
        return Double(longest)
    }
}

/// Runs `body` so many times and adds each time that it took.
@inline(__always)
func measure(_ count: Int, into histogram: inout Histogram, _ body: () -> Void) {
    for _ in 0..<count {
        let start = meter_now()
        body()
        histogram.add(meter_now() - start)
    }
}
