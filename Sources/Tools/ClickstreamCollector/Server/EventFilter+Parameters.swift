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
        /// The value that an event has to match, as a noun phrase without a full stop.
        package let summary: String
    }

    /// The parameters for all conditions. ``limit`` and ``cursor`` select a page, and are none.
    package static let parameters: [Parameter] = [
        Parameter(name: "name", kind: .text(\.name), summary: "Name of the event"),
        Parameter(name: "session", kind: .text(\.session), summary: "Session id"),
        Parameter(name: "user", kind: .text(\.user), summary: "User id or unique id"),
        Parameter(name: "app", kind: .text(\.app), summary: "App id"),
        Parameter(name: "device", kind: .text(\.device), summary: "Device id"),
        Parameter(name: "platform", kind: .text(\.platform), summary: "Platform, such as iOS"),
        Parameter(name: "version", kind: .text(\.version), summary: "Version of the app"),
        Parameter(name: "screen", kind: .text(\.screen), summary: "Name of the screen"),
        Parameter(name: "status", kind: .status, summary: "Result of the checks"),
        Parameter(
            name: "code",
            kind: .text(\.code),
            summary: "Code of a finding, such as 2003, etl_future or plan_range"
        ),
        Parameter(name: "since", kind: .time(\.since), summary: "Earliest time of receipt by the collector"),
        Parameter(name: "until", kind: .time(\.until), summary: "Time before which the collector received the event"),
    ]
}
