#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
public import UIKit

extension UIView: AutoTrackableElement {}
extension UIViewController: AutoTrackableElement {}
extension UIBarButtonItem: AutoTrackableElement {}
extension UIGestureRecognizer: AutoTrackableElement {}

extension AutoTrackableElement where Self: NSObject {
    /// Source of additional data about this instance, and of the decision whether it generates auto events. Not retained.
    @MainActor
    public var pa_autoEventDataSource: (any AutoTrackableEventDataSource)? {
        get { UIKitSettings.sources[self]?.object as? any AutoTrackableEventDataSource }
        set { UIKitSettings.sources[self] = newValue.map { WeakReference(object: $0) } }
    }

    /// Decision whether instances of this class generate auto events. Subclasses without a decision inherit it.
    @MainActor
    public static var pa_optBehavior: OptBehavior? {
        get { UIKitSettings.optBehavior(of: self) }
        set { UIKitSettings.optBehavior[self] = newValue }
    }

    /// Decision whether this instance generates auto events; that of its class if it is `nil`. A data source
    /// can opt out, whatever this value is.
    @MainActor
    public var pa_optBehavior: OptBehavior? {
        get { UIKitSettings.optBehavior[self] }
        set { UIKitSettings.optBehavior[self] = newValue }
    }

    /// The decision of the instance or its class, without that of its data source.
    @MainActor
    var capturedOptBehavior: OptBehavior? {
        // The class of the instance, of which `Self` may be a superclass.
        pa_optBehavior ?? UIKitSettings.optBehavior(of: type(of: self))
    }
}

extension UIView {
    /// Replacement of captured values by `*`.
    public var pa_masking: Capture.Masking {
        get { UIKitSettings.masking[self] ?? .none }
        set { UIKitSettings.masking[self] = newValue }
    }
}

extension UIScrollView {
    /// Source of the data of the items in a table view or collection view. Not retained.
    ///
    /// The position of an item counts all items of earlier sections.
    public var pa_itemsViewDataSource: (any ItemsViewDataSource)? {
        get { UIKitSettings.itemSources[self]?.object as? any ItemsViewDataSource }
        set { UIKitSettings.itemSources[self] = newValue.map { WeakReference(object: $0) } }
    }
}

/// Settings of instances and classes.
@MainActor
private enum UIKitSettings {
    static let sources = AssociatedValue<WeakReference>()
    static let itemSources = AssociatedValue<WeakReference>()
    static let optBehavior = AssociatedValue<OptBehavior>()
    static let masking = AssociatedValue<Capture.Masking>()

    /// The decision of a class or of its nearest superclass with one.
    static func optBehavior(of type: AnyClass) -> OptBehavior? {
        sequence(first: type) { class_getSuperclass($0) }.lazy.compactMap { optBehavior[$0] }.first
    }
}

private struct WeakReference {
    weak var object: AnyObject?
}
#endif
