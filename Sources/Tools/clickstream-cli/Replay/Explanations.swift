import ClickstreamCore
import Synchronization

/// Session decisions with the events that follow each: the output of `replay --explain`.
///
/// Callable from any thread. Memory per decision is bounded.
final class Explanations: Sendable {
    /// One decision of the library about a session.
    struct Decision: Sendable, Hashable {
        /// Index of the next event among all recorded events, from 1: its line in the NDJSON.
        var event: Int
        var session: Int
        var isNew: Bool
        var reason: String
        /// The names of the first events after it, in order.
        var names: [String] = []
        /// Number of events until the next decision.
        var events = 0

        /// `event 8: session 2 starts: gap 31m < timeout 1h`
        var text: String { "event \(event): session \(session) \(isNew ? "starts" : "continues"): \(reason)" }
    }

    private struct State: Sendable {
        var recorded = 0
        var decisions: [Decision] = []
    }

    private static let shownNames = 8

    private let report: (@Sendable (Decision) throws -> Void)?
    private let state = Mutex(State())

    /// - Parameter report: receives each decision at once; `nil` if ``decisions`` is read at the end.
    init(report: (@Sendable (Decision) throws -> Void)?) {
        self.report = report
    }

    var decisions: [Decision] { state.withLock { $0.decisions } }

    /// Adds a notice of the library; called in their order.
    func take(_ notice: Notice) throws {
        switch notice {
        case .recorded(let name, _, _, _):
            state.withLock { state in
                state.recorded += 1
                let last = state.decisions.count - 1
                guard last >= 0 else { return }
                state.decisions[last].events += 1
                if state.decisions[last].names.count < Self.shownNames { state.decisions[last].names.append(name) }
            }
        case .sessionDecided(let number, let isNew, let reason):
            let decision = state.withLock { state in
                let decision = Decision(event: state.recorded + 1, session: number, isNew: isNew, reason: reason)
                // Decisions that are printed at once are not kept.
                if report == nil { state.decisions.append(decision) }
                return decision
            }
            try report?(decision)
        case .captured, .unstored, .rejected, .uploaded, .retained, .deliveryRefused, .setAside, .evicted, .warning:
            break
        }
    }
}
