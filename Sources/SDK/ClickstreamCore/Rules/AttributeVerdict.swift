/// Attributes that an event keeps, identified by position to avoid copying the caller's values.
package struct AttributeVerdict: Sendable, Equatable {
    /// The positions of discarded own attributes.
    package internal(set) var discardedOwn = SmallIndexSet()
    /// The positions of global attributes that are discarded or overridden by an attribute of the same name.
    package internal(set) var discardedGlobals = SmallIndexSet()

    /// True if the own attributes cause no warning and none has a reserved name.
    package internal(set) var isUsual = false

    package init() {}

    package var keepsEverything: Bool { discardedOwn.isEmpty && discardedGlobals.isEmpty }

    package func keepsOwn(at index: Int) -> Bool { !discardedOwn.contains(index) }

    package func keepsGlobal(at index: Int) -> Bool { !discardedGlobals.contains(index) }
}
