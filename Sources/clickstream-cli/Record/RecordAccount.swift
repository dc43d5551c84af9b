#if Tools
import ClickstreamCore

/// Keeps account of what the library says while events are recorded, and tells a person what a person should know.
///
/// Warnings that strike every line would bury everything else: the first hundred are shown, the others counted.
final class RecordAccount: Sendable {
    /// Events that the disk did not take.
    struct Losses: Sendable {
        var events = 0
        var reason = ""
    }

    private struct State: Sendable {
        /// The line of input that is being recorded.
        var line: Int?
        var stored: UniqueID?
        var losses: Losses?
        var evicted = 0
        var warnings = 0
        var otherKeys: Set<String> = []
    }

    private static let shown = 100
    private let state = Locked(State())

    /// An event is about to be recorded.
    /// - Parameter line: where it came from.
    func begin(_ line: Int?) {
        state.withLock { state in
            state.line = line
            state.stored = nil
        }
    }

    /// The id of what was stored for the event; `nil` when nothing was.
    func takeStored() -> UniqueID? {
        state.withLock { state in
            state.line = nil
            return state.stored
        }
    }

    private var place: String { state.withLock { $0.line }.map { "line \($0): " } ?? "" }

    var losses: Losses? { state.withLock { $0.losses } }

    func take(_ notice: Notice) {
        switch notice {
        case .recorded(_, let id, _, let violations):
            state.withLock { $0.stored = id }
            tell(violations)
        case .rejected(let violations):
            tell(violations)
        case .unstored(_, _, let reason):
            let line = state.withLock { state in
                var losses = state.losses ?? Losses()
                losses.events += 1
                losses.reason = reason
                state.losses = losses
                return state.line
            }
            if let line { warn("line \(line) is not recorded: \(reason)") }
        case .evicted(let events, let reason):
            let isFirst = state.withLock { state in
                state.evicted += events
                return state.evicted == events
            }
            if isFirst { warn("the store's oldest events are removed unsent: they are past the \(reason)") }
        case .warning(let text):
            warn(place + text)
        case .deliveryRefused:
            warn(place + notice.description)
        case .sessionDecided, .uploaded, .retained, .setAside:
            break
        }
    }

    /// Says, once for each, which keys of a line are not recorded.
    func noteOtherKeys(_ keys: [String], line: Int) {
        for key in keys {
            let isNew = state.withLock { $0.otherKeys.count < Self.shown && $0.otherKeys.insert(key).inserted }
            guard isNew else { continue }
            warn("line \(line): \"\(Characters.reported(key))\" is not recorded; name, attributes and items are")
        }
    }

    /// What there is to say in the end.
    func sayEnd() {
        let state = state.withLock { $0 }
        if state.evicted > 0 { Console.warn("\(state.evicted) older events were removed unsent") }
        if state.warnings > Self.shown { Console.warn("\(state.warnings) warnings in all") }
    }

    private func tell(_ violations: [Violation]) {
        let place = place
        for violation in violations {
            warn(place + violation.messageWithCode)
        }
    }

    private func warn(_ text: String) {
        let count = state.withLock { state in
            state.warnings += 1
            return state.warnings
        }
        guard count <= Self.shown else { return }
        Console.warn("\(text)")
        if count == Self.shown { Console.warn("further ones are counted, not shown") }
    }
}

extension Violation {
    /// The message with the code behind the name that it quotes: `invalid event name "bad name" (1001): use letters …`;
    /// at the end of a message that has no advice.
    var messageWithCode: String {
        guard let quote = message.firstRange(of: "\": ") else { return "\(message) (\(code))" }
        return "\(message[..<quote.lowerBound])\" (\(code)): \(message[quote.upperBound...])"
    }
}
#endif
