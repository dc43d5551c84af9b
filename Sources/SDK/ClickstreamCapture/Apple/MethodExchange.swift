#if canImport(ObjectiveC)
import ObjectiveC

/// Exchange of the implementations of two instance methods of a class.
enum MethodExchange {
    /// Exchanges `theirs` and `ours`; after that, `ours` calls the original. A method that the class inherits is
    /// exchanged in this class only. Without one of the methods nothing happens.
    static func perform(_ type: AnyClass, _ theirs: Selector, _ ours: Selector) {
        guard let original = class_getInstanceMethod(type, theirs), let own = class_getInstanceMethod(type, ours) else {
            return
        }
        let (code, encoding) = (method_getImplementation(own), method_getTypeEncoding(own))
        if class_addMethod(type, theirs, code, encoding) {
            class_replaceMethod(type, ours, method_getImplementation(original), method_getTypeEncoding(original))
        } else {
            method_exchangeImplementations(original, own)
        }
    }
}
#endif
