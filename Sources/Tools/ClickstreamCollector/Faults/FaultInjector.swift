#if Collector
import ClickstreamCore

/// Selection of the faults that affect each request. Callable from any thread.
final class FaultInjector: Sendable {
    /// Faults of one request.
    struct Injection: Sendable, Hashable {
        /// In milliseconds.
        var latency: Int64 = 0
        /// `nil` for the latency alone. Never ``CollectorFault/Effect/latency(_:)``.
        var effect: CollectorFault.Effect?
    }

    /// Fault with the number of requests affected so far.
    struct Active: Sendable, Hashable {
        var fault: CollectorFault
        var struck = 0

        var isExhausted: Bool { fault.times.map { struck >= $0 } ?? false }
    }

    private struct State {
        var faults: [Active]
        var random: Random
    }

    /// Limit on the latency of one fault in milliseconds: 50 years. A sum of longer ones could exceed `Int64`.
    private static let maxLatency: Int64 = 50 * 366 * 86_400_000

    private let state: Locked<State>

    /// - Parameter seed: seed of the random choice of requests.
    init(_ faults: [CollectorFault], seed: UInt64) {
        state = Locked(State(faults: faults.map { Active(fault: $0) }, random: Random(state: seed)))
    }

    var active: [Active] { state.withLock { $0.faults } }

    func replace(by faults: [CollectorFault]) {
        state.withLock { $0.faults = faults.map { Active(fault: $0) } }
    }

    /// Draws the faults of the next request: the sum of the latencies, and the first other effect of the list that
    /// applies.
    func draw() -> Injection {
        state.withLock { state in
            var injection = Injection()
            for index in state.faults.indices {
                let fault = state.faults[index].fault
                if state.faults[index].isExhausted { continue }
                if case .latency(let latency) = fault.effect {
                    guard state.random.selects(fault.rate) else { continue }
                    injection.latency += min(max(0, latency.wholeMilliseconds), Self.maxLatency)
                } else {
                    guard injection.effect == nil, state.random.selects(fault.rate) else { continue }
                    injection.effect = fault.effect
                }
                state.faults[index].struck += 1
            }
            return injection
        }
    }

    /// SplitMix64 generator: the same sequence for the same seed.
    private struct Random {
        var state: UInt64

        mutating func selects(_ rate: Double) -> Bool {
            if rate >= 1 { return true }
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            mixed ^= mixed >> 31
            return Double(mixed >> 11) * 0x1p-53 < rate
        }
    }
}
#endif
