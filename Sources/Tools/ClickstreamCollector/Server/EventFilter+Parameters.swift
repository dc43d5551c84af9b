package import ClickstreamCore

extension EventFilter {
    /// Condition of a filter as a parameter of the query API.
    package struct Parameter: Sendable {
        /// Type of the value, with the property that it sets.
        package enum Kind: Sendable {
            case text(any WritableKeyPath<EventFilter, String?> & Sendable)
            case status
            case time(any WritableKeyPath<EventFilter, Timestamp?> & Sendable)
        }

        package let name: String
        package let kind: Kind
    }

    /// The parameters for all conditions. ``limit`` and ``cursor`` select a page, and are none.
    package static let parameters: [Parameter] = [
        Parameter(name: "name", kind: .text(\.name)),
        Parameter(name: "session", kind: .text(\.session)),
        Parameter(name: "user", kind: .text(\.user)),
        Parameter(name: "app", kind: .text(\.app)),
        Parameter(name: "device", kind: .text(\.device)),
        Parameter(name: "platform", kind: .text(\.platform)),
        Parameter(name: "version", kind: .text(\.version)),
        Parameter(name: "screen", kind: .text(\.screen)),
        Parameter(name: "status", kind: .status),
        Parameter(name: "code", kind: .text(\.code)),
        Parameter(name: "since", kind: .time(\.since)),
        Parameter(name: "until", kind: .time(\.until)),
    ]
}
