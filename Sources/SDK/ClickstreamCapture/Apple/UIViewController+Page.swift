#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension UIViewController {
    static func exchangePageMethods() {
        MethodExchange.perform(self, #selector(viewDidLoad), #selector(clickstream_viewDidLoad))
        MethodExchange.perform(self, #selector(viewWillAppear(_:)), #selector(clickstream_viewWillAppear(_:)))
        MethodExchange.perform(self, #selector(viewDidDisappear(_:)), #selector(clickstream_viewDidDisappear(_:)))
    }

    /// Called by the override of a subclass, usually first: a data source that the subclass sets later in its method
    /// has no effect on `page_load`.
    @objc fileprivate dynamic func clickstream_viewDidLoad() {
        clickstream_viewDidLoad()
        guard let capture = UIKitAdapter.capture else { return }
        Lifetime.observe(self) { capture.unload($0) }
        capture.load(capturedPage)
    }

    @objc fileprivate dynamic func clickstream_viewWillAppear(_ animated: Bool) {
        clickstream_viewWillAppear(animated)
        guard let capture = UIKitAdapter.capture else { return }
        Lifetime.observe(self) { capture.unload($0) }
        capture.appear(capturedPage)
    }

    @objc fileprivate dynamic func clickstream_viewDidDisappear(_ animated: Bool) {
        clickstream_viewDidDisappear(animated)
        UIKitAdapter.capture?.disappear(InstanceID(self))
    }

    private var capturedPage: Capture.Page {
        var page = Capture.Page(
            id: InstanceID(self),
            className: String(describing: type(of: self)),
            title: title,
            accessibilityID: viewIfLoaded?.accessibilityIdentifier,
            isContainer: isContainer,
            isMasked: viewIfLoaded?.pa_masking == .subtree,
            optBehavior: capturedOptBehavior
        )
        if let source = pa_autoEventDataSource { page.apply(source, for: self) }
        return page
    }

    /// True for the containers of the document and their subclasses, and for other controllers of the system, such as
    /// those of the keyboard, of alerts and of SwiftUI.
    private var isContainer: Bool {
        switch self {
        case is UINavigationController, is UITabBarController, is UIPageViewController, is UISplitViewController:
            true
        default:
            isOfSystem(
                self,
                except: [UIViewController.self, UITableViewController.self, UICollectionViewController.self]
            )
        }
    }

    /// The page that this controller is, or shows.
    fileprivate var shownPage: UIViewController? {
        guard isContainer else { return self }
        let shown: UIViewController? =
            switch self {
            case let navigation as UINavigationController: navigation.topViewController
            case let tabs as UITabBarController: tabs.selectedViewController
            case let pages as UIPageViewController: pages.viewControllers?.first
            case let split as UISplitViewController: split.viewControllers.last
            default: nil
            }
        return shown?.shownPage
    }
}

extension UIResponder {
    /// The page that contains this responder; for an element of a container's bar, the page that the container shows.
    var page: UIViewController? {
        var responder: UIResponder? = self
        while let current = responder {
            if let controller = current as? UIViewController, let page = controller.shownPage { return page }
            responder = current.next
        }
        return nil
    }
}

extension InstanceID {
    init(_ object: AnyObject) {
        self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object))))
    }
}

/// True for an object whose class belongs to UIKit or SwiftUI and is not one of the exceptions.
@MainActor
func isOfSystem(_ object: AnyObject, except exceptions: [AnyClass]) -> Bool {
    let type: AnyClass = type(of: object)
    guard !exceptions.contains(where: { $0 == type }) else { return false }
    return Bundle(for: type) == Bundle(for: UIView.self) || String(reflecting: type).hasPrefix("SwiftUI.")
}
#endif
