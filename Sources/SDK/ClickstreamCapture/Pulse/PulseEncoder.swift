package import ClickstreamCore

/// Encoder of events in the pulse format: one JSON object per event, its keys in the order of the document's examples.
package struct PulseEncoder: Sendable {
    /// The network connection when the events were created.
    package var connection: PulseConnection
    /// The ids of the last events that the format's queue stored in the session, oldest first.
    package var previousEvents: [UniqueID]

    package init(connection: PulseConnection, previousEvents: [UniqueID] = []) {
        self.connection = connection
        self.previousEvents = previousEvents
    }

    /// Returns the event's JSON; `nil` for touch gestures, which the format does not have.
    package func encode(_ event: CapturedEvent) -> [UInt8]? {
        guard let type = event.content.pulseType else { return nil }
        var writer = ObjectWriter()
        writer.object { writer in
            writer.member("event_type", type)
            writer.member("event_id", event.id)
            writer.member("timestamp", event.time.wall.milliseconds)
            // The example of `page_load` has these two in the opposite order.
            if event.content == .pageLoad { writer.path(event.context.path) }
            writer.member("is_background", event.isInBackground)
            if event.content != .pageLoad { writer.path(event.context.path) }
            writer.object("data") { append(event, to: &$0) }
        }
        return writer.bytes
    }

    /// Returns the JSON of an event that the app reports, with the app's data as additional properties.
    package func encode(_ event: RevenueEvent) -> [UInt8] {
        var writer = ObjectWriter()
        writer.object { writer in
            writer.member("event_type", event.kind.rawValue)
            writer.member("event_id", event.id)
            writer.member("timestamp", event.time.wall.milliseconds)
            writer.member("is_background", event.isInBackground)
            writer.path(event.context.path)
            writer.object("data") { writer in
                writer.origin(isAutomatic: false, connection)
                writer.history(previousEvents, event.context.sources)
                writer.additional("additional_properties", event.properties)
            }
        }
        return writer.bytes
    }

    /// Names of members of `data`, which the data of a list cannot replace.
    private static let dataNames: Set<String> = [
        "metadata", "connection_type", "element", "items_count", "params", "parent_info", "previous_events",
        "sources_info", "additional_properties", "additional_ids", "group", "section",
    ]

    /// Appends the members of `data`.
    private func append(_ event: CapturedEvent, to writer: inout ObjectWriter) {
        writer.origin(isAutomatic: true, connection)
        if case .gesture(let parameters) = event.content {
            writer.history(previousEvents, event.context.sources)
            if let parent = event.parent { writer.object("parent_info") { $0.members(of: parent) } }
            writer.object("gesture_params") { $0.members(of: parameters) }
            if let element = event.element { writer.object("target_info") { $0.members(ofTarget: element) } }
        } else {
            if let element = event.element {
                writer.object("element") { $0.members(of: element, event.content) }
            }
            if case .impressions(let items, _) = event.content { writer.items(items) }
            if let parent = event.parent { writer.object("parent_info") { $0.members(of: parent) } }
            writer.history(previousEvents, event.context.sources)
        }
        if case .scroll(let scroll) = event.content { writer.object("scroll_info") { $0.members(of: scroll) } }
        writer.additional("additional_properties", event.properties)
        writer.additional("additional_ids", event.ids)
        writer.member("group", event.group)
        writer.member("section", event.section)
        if case .impressions(_, let data) = event.content { writer.members(data, except: Self.dataNames) }
    }
}

extension CapturedEvent.Content {
    /// The event type; `nil` if the format has no such event.
    fileprivate var pulseType: String? {
        switch self {
        case .pageLoad: "page_load"
        case .pageView: "page_view"
        case .click: "click"
        case .scroll: "scroll"
        case .gesture: "gesture"
        case .impressions: "items_impression"
        case .touch: nil
        }
    }
}
