/// An event before the rules are applied to it: its name and its attributes, without time and id.
package struct EventDraft: Sendable, Equatable {
    package var name: String
    /// Attributes that the library adds.
    package var preset: Attributes
    /// Attributes that the caller passed.
    package var own: Attributes
    package var items: [Attributes]
    /// True if the event is the caller's: suggested limits apply to it.
    package var isCallers: Bool

    package init(
        _ name: String,
        preset: Attributes = Attributes(),
        own: Attributes = Attributes(),
        items: [Attributes] = [],
        isCallers: Bool = false
    ) {
        self.name = name
        self.preset = preset
        self.own = own
        self.items = items
        self.isCallers = isCallers
    }
}
