/// Identity of a page or element object while it exists, such as its address. An adapter may reuse the value after
/// ``Capture/unload(_:)`` or ``Capture/remove(_:)``.
public struct InstanceID: Sendable, Hashable {
    package var value: UInt64

    /// Creates an identity from a number that is unique while the object exists.
    public init(_ value: UInt64) {
        self.value = value
    }
}
