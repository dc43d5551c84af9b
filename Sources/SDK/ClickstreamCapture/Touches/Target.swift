/// Element that a touch gesture started on.
package struct Target: Sendable, Hashable {
    /// The path from the root, or the short form with the accessibility identifier.
    package var path: String
    /// The accessibility identifier, restoration identifier, tag or name; empty without any of them.
    package var id: String
    /// True if the element or an ancestor handles the press.
    package var isResponsive: Bool

    package init(path: String, id: String, isResponsive: Bool) {
        self.path = path
        self.id = id
        self.isResponsive = isResponsive
    }

    /// A point without an element.
    package static let root = Target(path: "[root]", id: "", isResponsive: false)
}
