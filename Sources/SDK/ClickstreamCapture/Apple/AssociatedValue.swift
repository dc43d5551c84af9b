#if canImport(ObjectiveC)
import ObjectiveC

/// Value that is stored in an Objective-C object or class under a key.
@MainActor
struct AssociatedValue<Value> {
    private let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    private final class Box {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    /// The value of an object or class. `nil` removes it.
    subscript(object: Any) -> Value? {
        get { (objc_getAssociatedObject(object, key) as? Box)?.value }
        nonmutating set { objc_setAssociatedObject(object, key, newValue.map(Box.init), .OBJC_ASSOCIATION_RETAIN) }
    }
}
#endif
