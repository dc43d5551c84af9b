#if Tools
import ClickstreamCore
import Synchronization

/// Why each session started or went on, beside the events that came of it: what `replay --explain` shows.
///
/// Callable from any thread. Keeps a few names for each decision, whatever the number of events.
final class Explanations: Sendable {
    /// One decision of the library about a session.
    struct Decision: Sendable, Hashable {
        /// The place of the first event after it among all recorded events, from 1: its line in the NDJSON.
        var event: Int
        var session: Int
        var isNew: Bool
        var reason: String
        /// The names of the first events after it, in order.
        var names: [String] = []
        /// How many events there are until the next decision.
        var events = 0

        /// `event 8: session 2 starts: gap 31m < timeout 1h`
        var text: String { "event \(event): session \(session) \(isNew ? "starts" : "goes on"): \(reason)" }
    }

    private struct State: Sendable {
        var recorded = 0
        var decisions: [Decision] = []
    }

    private static let shownNames = 8

    private let say: (@Sendable (Decision) throws -> Void)?
    private let state = Mutex(State())

    /// - Parameter say: is told each decision at once; `nil` when all are asked for at the end.
    init(say: (@Sendable (Decision) throws -> Void)?) {
        self.say = say
    }

    var decisions: [Decision] { state.withLock { $0.decisions } }

    /// Takes in what the library says, in its order.
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
                // What is said at once need not be kept.
                if say == nil { state.decisions.append(decision) }
                return decision
            }
            try say?(decision)
        case .unstored, .rejected, .uploaded, .retained, .deliveryRefused, .setAside, .evicted, .warning:
            break
        }
    }
}
#endif
