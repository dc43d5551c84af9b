extension Capture {
    /// Extent to which the values of an element are replaced by `*`.
    public enum Masking: Sendable, Hashable {
        case none
        /// The element's own value.
        case instance
        /// The values of the element and of everything in it.
        case subtree
    }
}
