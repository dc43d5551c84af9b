import ClickstreamCore

/// Parts of events, in the key order of the document's examples; keys without an example follow in that of its tables.
extension ObjectWriter {
    /// Appends the page instances on the navigation path; of several with the same key the latest.
    mutating func path(_ path: [PageContext.Entry]) {
        guard !path.isEmpty else { return }
        object("sub_sids") { writer in
            for (index, entry) in path.enumerated()
            where !path[(index + 1)...].contains(where: { $0.key == entry.key }) {
                writer.member(named: entry.key, entry.id)
            }
        }
    }

    /// Appends the source of the event and the connection.
    mutating func origin(isAutomatic: Bool, _ connection: PulseConnection) {
        object("metadata") { writer in
            writer.member("auto_generated", isAutomatic)
            writer.member("event_id_source", "sdk")
        }
        member("connection_type", connection.rawValue)
    }

    /// Appends the events and pages before the event.
    mutating func history(_ previousEvents: [UniqueID], _ sources: [PageReference]) {
        array("previous_events", of: previousEvents) { $0.element($1) }
        array("sources_info", of: sources) { writer, page in writer.object { $0.members(of: page) } }
    }

    /// Appends data of the app as an object.
    mutating func additional(_ name: StaticString, _ attributes: Attributes) {
        guard !attributes.isEmpty else { return }
        object(name) { $0.members(attributes) }
    }

    mutating func members(of page: PageReference) {
        member("class", page.className)
        member("id", page.name)
        member("accessibility_id", page.accessibilityID)
    }

    /// Appends an element; the class of a page only, and no length of entered text, for which there is no key.
    mutating func members(of element: CapturedElement, _ content: CapturedEvent.Content) {
        if element.type == .controller { member("class", element.className) }
        member("id", element.name)
        member("type", element.type?.rawValue)
        member("value", element.value)
        member("localized_key", element.localizedKey)
        if case .pageView(let sequence) = content { member("sequence", sequence) }
        member("accessibility_id", element.accessibilityID)
    }

    /// Appends the element that a gesture was recognized on.
    mutating func members(ofTarget element: CapturedElement) {
        member("class", element.className)
        member("id", element.name)
        member("accessibility_id", element.accessibilityID)
    }

    /// Names of members of an item, which its own data cannot replace.
    private static let itemNames: Set<String> = ["timestamp", "view_time"]

    mutating func items(_ items: [ItemImpression]) {
        member("items_count", items.count)
        array("params", of: items) { writer, item in
            writer.object { writer in
                writer.members(item.data, except: Self.itemNames)
                writer.member("timestamp", item.start.milliseconds)
                writer.member("view_time", item.viewTime)
            }
        }
    }

    mutating func members(of scroll: Scroll) {
        member("distance", scroll.distance)
        member("speed", scroll.speed)
        member("direction", scroll.direction.rawValue)
        member("scroll_depth", scroll.depth)
        member("end_position", scroll.end)
        member("start_position", scroll.start)
        member("duration", scroll.duration)
    }

    mutating func members(of gesture: GestureParameters) {
        switch gesture {
        case .tap(let x, let y, let fingers), .longPress(let x, let y, let fingers):
            member("tap_x", x)
            member("type", gesture.name)
            member("tap_y", y)
            member("taps_count", fingers)
        case .scale(let start, let end, let change):
            member("scale_start", start)
            member("scale_end", end)
            member("scale_value", change)
            member("type", gesture.name)
        case .rotate(let start, let end, let change):
            member("rotate_start", start)
            member("rotate_end", end)
            member("rotate_value", change)
            member("type", gesture.name)
        case .move(let move):
            member("move_start_x", move.startX)
            member("move_start_y", move.startY)
            member("move_end_x", move.endX)
            member("move_end_y", move.endY)
            member("move_distance_x", move.distanceX)
            member("move_distance_y", move.distanceY)
            member("type", gesture.name)
        }
    }
}
