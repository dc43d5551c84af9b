/// Validated event with its time and id, ready to be encoded.
package struct Event: Sendable {
    package var name: String
    package var id: UniqueID
    package var timestamp: Timestamp
    /// The attributes set by the library. Always written; take precedence over ``own``.
    package var preset: Attributes
    /// The attributes set by the caller. Take precedence over global, session and screen attributes of the same name.
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

    /// True if the event's `user` contains every user attribute regardless of configuration, because the server
    /// replaces its copy with it.
    package var carriesWholeProfile: Bool { name == EventName.profileSet }
}
