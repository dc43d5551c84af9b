#if Tools
import ClickstreamCore

/// Decides for each request what goes wrong with it. Callable from any thread.
final class FaultInjector: Sendable {
    /// What goes wrong with one request.
    struct Stroke: Sendable, Hashable {
        var latency: Int64 = 0
        /// `nil`: nothing but the latency. Never ``CollectorFault/Effect/latency(milliseconds:)``.
        var effect: CollectorFault.Effect?
    }

    /// A fault, and how many requests it has struck so far.
    struct Active: Sendable, Hashable {
        var fault: CollectorFault
        var struck = 0

        var isOver: Bool { fault.times.map { struck >= $0 } ?? false }
    }

    private struct State {
        var faults: [Active]
        var random: Random
    }

    private let state: Locked<State>

    /// - Parameter seed: what chance derives from.
    init(_ faults: [CollectorFault], seed: UInt64) {
        state = Locked(State(faults: faults.map { Active(fault: $0) }, random: Random(state: seed)))
    }

    var active: [Active] { state.withLock { $0.faults } }

    func replace(by faults: [CollectorFault]) {
        state.withLock { $0.faults = faults.map { Active(fault: $0) } }
    }

    /// Latencies add up; of everything else, the first in the list that strikes is what happens.
    func draw() -> Stroke {
        state.withLock { state in
            var stroke = Stroke()
            for index in state.faults.indices {
                let fault = state.faults[index].fault
                if state.faults[index].isOver { continue }
                if case .latency(let milliseconds) = fault.effect {
                    guard state.random.strikes(fault.rate) else { continue }
                    stroke.latency += milliseconds
                } else {
                    guard stroke.effect == nil, state.random.strikes(fault.rate) else { continue }
                    stroke.effect = fault.effect
                }
                state.faults[index].struck += 1
            }
            return stroke
        }
    }

    /// SplitMix64: good enough to choose requests by, and the same for the same seed.
    private struct Random {
        var state: UInt64

        mutating func strikes(_ rate: Double) -> Bool {
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
