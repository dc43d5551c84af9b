#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import Foundation

/// Observer of the end of a page or an element, whose identity may be reused after it.
final class Lifetime: Sendable {
    private let id: InstanceID
    private let end: @Sendable (InstanceID) -> Void

    @MainActor
    private static let observers = AssociatedValue<Lifetime>()

    private init(_ id: InstanceID, end: @escaping @Sendable (InstanceID) -> Void) {
        self.id = id
        self.end = end
    }

    /// Calls `end` after the object is released. A second call for the same object is ignored.
    @MainActor
    static func observe(_ object: AnyObject, end: @escaping @Sendable (InstanceID) -> Void) {
        guard observers[object] == nil else { return }
        observers[object] = Lifetime(InstanceID(object), end: end)
    }

    deinit { end(id) }
}
#endif
