#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

/// Clicks on cells: the delegate's method for a selection by the user is extended by a report.
@MainActor
enum Selection {
    private static var extended: Set<ObjectIdentifier> = []
    /// The number of extended methods in progress: an overriding method may call that of its superclass.
    private static var depth = 0

    private typealias Method = @convention(c) (AnyObject, Selector, UIScrollView, NSIndexPath) -> Void

    /// Extends the method of a delegate's class, once.
    /// - Parameter cell: returns the cell at an index path.
    static func extend(
        _ delegate: AnyObject?,
        _ selector: Selector,
        cell: @escaping @MainActor (UIScrollView, IndexPath) -> UIView?
    ) {
        guard let delegate, let type = object_getClass(delegate), let method = class_getInstanceMethod(type, selector),
            extended.insert(ObjectIdentifier(type)).inserted
        else { return }
        let original = unsafeBitCast(method_getImplementation(method), to: Method.self)
        let body: @convention(block) @MainActor (AnyObject, UIScrollView, NSIndexPath) -> Void = { object, list, path in
            depth += 1
            defer { depth -= 1 }
            if depth == 1, let capture = UIKitAdapter.capture(of: list), let cell = cell(list, path as IndexPath) {
                capture.click(Capture.ElementPath(to: cell))
            }
            original(object, selector, list, path)
        }
        // A block is an object.
        let code = imp_implementationWithBlock(unsafeBitCast(body, to: AnyObject.self))
        class_replaceMethod(type, selector, code, method_getTypeEncoding(method))
    }
}

extension UITableView {
    static func exchangeDelegateMethod() {
        MethodExchange.perform(self, #selector(setter: delegate), #selector(clickstream_setDelegate(_:)))
    }

    @objc fileprivate dynamic func clickstream_setDelegate(_ delegate: (any UITableViewDelegate)?) {
        Selection.extend(delegate, #selector((any UITableViewDelegate).tableView(_:didSelectRowAt:))) { list, path in
            (list as? UITableView)?.cellForRow(at: path)
        }
        clickstream_setDelegate(delegate)
    }
}

extension UICollectionView {
    static func exchangeDelegateMethod() {
        MethodExchange.perform(self, #selector(setter: delegate), #selector(clickstream_setDelegate(_:)))
    }

    @objc fileprivate dynamic func clickstream_setDelegate(_ delegate: (any UICollectionViewDelegate)?) {
        let selector = #selector((any UICollectionViewDelegate).collectionView(_:didSelectItemAt:))
        Selection.extend(delegate, selector) { list, path in
            (list as? UICollectionView)?.cellForItem(at: path)
        }
        clickstream_setDelegate(delegate)
    }
}
#endif
