package import ClickstreamCore
package import ClickstreamJudges

/// Filter for events of the captured forms: an event has to match every property that is set.
package struct CapturedFilter: Sendable, Hashable {
    /// The forms of the events.
    package var forms: [CapturedFormat]
    /// The name that the description of the format determines, such as `tap`, or `event` of an audit event.
    package var name: String?
    /// Result of the checks.
    package var status: CollectedStatus?
    /// Code of one of the event's findings.
    package var code: String?
    /// Earliest time of receipt by the collector.
    package var since: Timestamp?
    /// Time before which the collector received the event; `nil` for no limit.
    package var until: Timestamp?
    /// Maximum number of events, clamped to ``EventFilter/limits``.
    package var limit: Int
    /// The `next` of the previous page.
    package var cursor: Int64?
    /// Position up to which events are read; `nil` for all.
    package var end: Int64?
    /// Positions up to which the events of a list are omitted.
    package var omitted: [CapturedFormat.EventList: Int64] = [:]
    /// Properties of audit events.
    package var audit = AuditFilter()

    /// - Parameter form: the form of the events; `nil` for those of automatic capture.
    package init(
        form: CapturedFormat? = nil,
        name: String? = nil,
        status: CollectedStatus? = nil,
        code: String? = nil,
        since: Timestamp? = nil,
        until: Timestamp? = nil,
        limit: Int = 100,
        cursor: Int64? = nil
    ) {
        forms = form.map { [$0] } ?? CapturedFormat.ofCapture
        self.name = name
        self.status = status
        self.code = code
        self.since = since
        self.until = until
        self.limit = limit
        self.cursor = cursor
    }
}

/// Filter for audit events by their content.
package struct AuditFilter: Sendable, Hashable {
    package var activity: String?
    /// Type of an event, or a table that a read or write event is about.
    package var type: String?
    /// Table that a read or write event is about.
    package var table: String?
    /// Key of a row of ``table``, or of any table.
    package var key: String?
    /// Partition of the client's queue.
    package var partition: String?

    package init(
        activity: String? = nil,
        type: String? = nil,
        table: String? = nil,
        key: String? = nil,
        partition: String? = nil
    ) {
        self.activity = activity.map { AuditContent.cut($0) }
        self.type = type.map { AuditContent.cut($0) }
        self.table = table.map { AuditContent.cut($0) }
        self.key = key.map { AuditContent.cut($0) }
        self.partition = partition.map { AuditContent.cut($0) }
    }
}

/// Stored event of a captured form, as sent, with its findings.
package struct CollectedCapture: Sendable, Hashable {
    package var form: CapturedFormat
    /// Name by which ``CapturedFilter/name`` finds it.
    package var name: String
    /// JSON text of the header of its batch, or an excerpt of a long one; `nil` for an event without a batch.
    package var header: String?
    /// Partition of an audit event.
    package var partition: String?
    /// The event's text, findings and request.
    package var event: CollectedEvent
}

/// Page of captured events in the order of arrival.
package struct CapturedPage: Sendable, Hashable {
    package var events: [CollectedCapture]
    /// Cursor of the next page; `nil` if there are no further events yet.
    package var next: Int64?
}
