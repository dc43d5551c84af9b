import ClickstreamCore

/// Collects the notices of the library while events are recorded, and prints the warnings.
final class RecordAccount: Sendable {
    /// Events that could not be stored.
    struct Losses: Sendable {
        var events = 0
        var reason = ""
    }

    private struct State: Sendable {
        /// The current line of input.
        var line: Int?
        var stored: UniqueID?
        var losses: Losses?
        var evicted = 0
        var otherKeys: Set<String> = []
    }

    private static let maxKeys = 100
    private let warnings = WarningLog()
    private let state = Locked(State())

    /// Begins an event.
    /// - Parameter line: line of the input, from 1.
    func begin(_ line: Int?) {
        state.withLock { state in
            state.line = line
            state.stored = nil
        }
    }

    /// Id of the stored event; `nil` if no event was stored.
    func takeStored() -> UniqueID? {
        state.withLock { state in
            state.line = nil
            return state.stored
        }
    }

    private var location: String { state.withLock { $0.line }.map { "line \($0): " } ?? "" }

    var losses: Losses? { state.withLock { $0.losses } }

    func take(_ notice: Notice) {
        switch notice {
        case .recorded(_, let id, _, let violations):
            state.withLock { $0.stored = id }
            warnings.add(violations, at: location)
        case .rejected(let violations):
            warnings.add(violations, at: location)
        case .unstored(_, _, let error):
            let reason = error.description
            let line = state.withLock { state in
                var losses = state.losses ?? Losses()
                losses.events += 1
                losses.reason = reason
                state.losses = losses
                return state.line
            }
            if let line { warnings.add("line \(line) not recorded: \(reason)") }
        case .evicted(let events, let reason):
            let isFirst = state.withLock { state in
                state.evicted += events
                return state.evicted == events
            }
            if isFirst { warnings.add("the oldest unsent events are being removed: the store exceeds the \(reason)") }
        case .warning(let warning):
            warnings.add(location + warning.message)
        case .deliveryRefused:
            warnings.add(location + notice.description)
        case .captured, .sessionDecided, .uploaded, .retained, .setAside:
            break
        }
    }

    /// Warns of ignored keys, once for each key.
    func noteOtherKeys(_ keys: [String], line: Int) {
        for key in keys {
            let isNew = state.withLock { $0.otherKeys.count < Self.maxKeys && $0.otherKeys.insert(key).inserted }
            guard isNew else { continue }
            warnings.add(
                "line \(line): ignoring \"\(Characters.reported(key))\"; only name, attributes, items and visitor are recorded"
            )
        }
    }

    /// Prints the counts of repeated warnings.
    func printTotals() {
        let state = state.withLock { $0 }
        if state.evicted > 0 { Console.warn("\(Plural.events(state.evicted, "older unsent")) removed") }
        warnings.printTotal()
    }
}
