/// An event before the rules are applied to it: its name and its attributes, without time.
package struct EventDraft: Sendable, Equatable {
    package var name: String
    /// The identifier, if it is known already; `nil` for a new one.
    package var id: UniqueID?
    /// Attributes that the library adds.
    package var preset: Attributes
    /// Attributes that the caller passed.
    package var own: Attributes
    package var items: [Attributes]
    /// True if the event is the caller's: suggested limits apply to it.
    package var isCallers: Bool

    package init(
        _ name: String,
        id: UniqueID? = nil,
        preset: Attributes = Attributes(),
        own: Attributes = Attributes(),
        items: [Attributes] = [],
        isCallers: Bool = false
    ) {
        self.name = name
        self.id = id
        self.preset = preset
        self.own = own
        self.items = items
        self.isCallers = isCallers
    }
}
