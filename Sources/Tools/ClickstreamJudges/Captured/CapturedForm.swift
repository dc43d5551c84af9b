/// Wire format of events that the clickstream server does not have: captured events and audit events.
package enum CapturedForm: String, Sendable, Hashable, CaseIterable {
    /// JSON arrays of Pulse events.
    case pulse
    /// Contentsquare batches: a header and the events of one session.
    case contentsquare
    /// JSON arrays of audit events.
    case audit

    /// The formats of automatic capture.
    package static let capture: [CapturedForm] = [.pulse, .contentsquare]

    /// Path of the collector for this format.
    package var path: String { "/\(rawValue)" }

    /// Name of an event without a usable one.
    package static let unknownName = "unknown"
}

/// Wire format of events, as the option `--form` and the parameter `form` select it.
package enum EventForm: String, Sendable, Hashable, CaseIterable {
    case clickstream
    case pulse
    case contentsquare
    case audit

    /// The captured form; `nil` for clickstream.
    package var captured: CapturedForm? { CapturedForm(rawValue: rawValue) }
}
