extension Notice: CustomStringConvertible {
    /// The notice as one log line: event, subject and reason. Never contains an attribute value.
    public var description: String {
        switch self {
        case .recorded(let name, let id, _, let violations):
            violations.isEmpty
                ? "recorded \(name) (\(id))" : "recorded \(name) (\(id)), but \(Self.account(of: violations))"
        case .captured(let format, _):
            "recorded an event in the format \(format)"
        case .unstored(let name, let id, let reason):
            "lost \(name) (\(id)), which could not be stored: \(reason)"
        case .rejected(let violations):
            "rejected: \(Self.account(of: violations))"
        case .sessionDecided(let number, let isNew, let reason):
            "session \(number) \(isNew ? "starts" : "continues"): \(reason)"
        case .uploaded(let events, let rawBytes, let sentBytes):
            "uploaded \(Self.counted(events)): \(rawBytes) bytes of JSON, \(sentBytes) as sent"
        case .retained(let events, let reason):
            "kept \(Self.counted(events)) for later: \(reason)"
        case .deliveryRefused(let reason):
            "Events are kept: \(reason)"
        case .setAside(let events, let reason):
            "moved \(Self.counted(events)) to the dead letters: \(reason)"
        case .evicted(let events, let reason):
            "removed \(Self.counted(events)) unsent: \(reason)"
        case .warning(let warning):
            warning.message
        }
    }

    /// True if the notice needs attention: something was lost, rejected, retained, or misconfigured.
    public var isTrouble: Bool {
        switch self {
        case .recorded(_, _, _, let violations): violations.firstError != nil
        case .captured, .sessionDecided, .uploaded: false
        case .unstored, .rejected, .retained, .deliveryRefused, .setAside, .evicted, .warning: true
        }
    }

    private static func counted(_ events: Int) -> String { events == 1 ? "1 event" : "\(events) events" }

    private static func account(of violations: [Violation]) -> String {
        violations.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
    }
}
