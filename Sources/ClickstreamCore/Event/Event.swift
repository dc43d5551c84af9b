/// One event that is about to be written: accepted by the rules, with its time and its id.
package struct Event: Sendable {
    package var name: String
    package var id: UniqueID
    package var timestamp: Timestamp
    /// What the library says about this event. Always written, and wins over ``own``.
    package var preset: Attributes
    /// What the caller said. Wins over global attributes, and over the session's and the screen's where names meet.
    package var own: Attributes
    package var items: [Attributes]

    package init(
        _ name: String,
        id: UniqueID,
        timestamp: Timestamp,
        preset: Attributes = Attributes(),
        own: Attributes = Attributes(),
        items: [Attributes] = []
    ) {
        self.name = name
        self.id = id
        self.timestamp = timestamp
        self.preset = preset
        self.own = own
        self.items = items
    }

    /// Whether `user` holds every user attribute whatever the configuration says: the server replaces its map with it.
    package var carriesWholeProfile: Bool { name == EventName.profileSet }
}
