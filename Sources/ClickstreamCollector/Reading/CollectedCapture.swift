#if Tools
package import ClickstreamCore
package import ClickstreamTools

/// Filter for captured events: an event has to match every property that is set.
package struct CapturedFilter: Sendable, Hashable {
    package var form: CapturedForm?
    /// `event_type` of a Pulse event, or the name of the action of a Contentsquare event, such as `tap`.
    package var name: String?
    /// Result of the checks.
    package var status: CollectedStatus?
    /// Code of one of the event's findings.
    package var code: String?
    /// Earliest time of receipt by the collector.
    package var since: Timestamp?
    /// Maximum number of events, clamped to ``EventFilter/limits``.
    package var limit: Int
    /// The `next` of the previous page.
    package var cursor: Int64?

    package init(
        form: CapturedForm? = nil,
        name: String? = nil,
        status: CollectedStatus? = nil,
        code: String? = nil,
        since: Timestamp? = nil,
        limit: Int = 100,
        cursor: Int64? = nil
    ) {
        self.form = form
        self.name = name
        self.status = status
        self.code = code
        self.since = since
        self.limit = limit
        self.cursor = cursor
    }
}

/// Stored captured event, as sent, with its findings.
package struct CollectedCapture: Sendable, Hashable {
    package var form: CapturedForm
    /// Name by which ``CapturedFilter/name`` finds it.
    package var name: String
    /// JSON text of the header of its batch, or an excerpt of a long one; `nil` for Pulse.
    package var header: String?
    /// The event's text, findings and request.
    package var event: CollectedEvent
}

/// Page of captured events in the order of arrival.
package struct CapturedPage: Sendable, Hashable {
    package var events: [CollectedCapture]
    /// Cursor of the next page; `nil` if there are no further events yet.
    package var next: Int64?
}
#endif
