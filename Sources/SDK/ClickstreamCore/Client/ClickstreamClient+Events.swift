// The calls below are generic over the names: a call that takes `[String: …]` is also selected for a literal, by the compiler of 6.3 at
// least and in spite of `@_disfavoredOverload`, and a literal would lose its order.
extension ClickstreamClient {
    /// Records an event whose attributes are in a dictionary: as ``record(_:attributes:items:user:)-(_,Attributes,_,_)``, in the
    /// order of their names, since a dictionary has none.
    ///
    /// A literal is not a dictionary here: its attributes keep the order in which they are written.
    @_disfavoredOverload
    public func record<Name: StringProtocol>(
        _ name: String,
        attributes: [Name: (any AttributeValueConvertible)?],
        items: [Attributes] = [],
        user: String? = nil
    ) {
        record(name, attributes: Attributes(attributes), items: items, user: user)
    }

    /// Adds the attributes of a dictionary to every later event of the process, in the order of their names.
    @_disfavoredOverload
    public func addGlobalAttributes<Name: StringProtocol>(_ attributes: [Name: (any AttributeValueConvertible)?]) {
        addGlobalAttributes(Attributes(attributes))
    }

    /// Sets the attributes of a dictionary for the current user, in the order of their names, and records the whole profile.
    @_disfavoredOverload
    public func addUserAttributes<Name: StringProtocol>(_ attributes: [Name: (any AttributeValueConvertible)?]) {
        addUserAttributes(Attributes(attributes))
    }

    /// Keeps a message that the next crash is recorded with, in `_exception_breadcrumbs`: the latest 50, each cut at 480
    /// bytes with its time. Costs a write of less than 512 bytes while crashes are tracked.
    package func leaveBreadcrumb(_ message: String) {
        perform { $0.leaveBreadcrumb(message, at: $1) }
    }
}
