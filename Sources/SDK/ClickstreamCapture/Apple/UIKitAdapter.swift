#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension Capture {
    /// Enables types of auto events, and reports the input of UIKit that they need to this object.
    ///
    /// Exchanges the methods of UIKit that report the input, once in a process; the methods of types that are not
    /// enabled remain as they are. Call it at launch, before the first view controller is created. A second object
    /// replaces the first. Not compiled on Linux, where this repository is built.
    @MainActor
    public func observeUIKit(_ types: [AutoEventType]) {
        enable(types)
        UIKitAdapter.start(self, types)
    }
}

/// Exchange of the methods of UIKit that report input.
@MainActor
enum UIKitAdapter {
    /// The receiver of the input.
    private(set) static var capture: Capture?
    private static var installed: Set<Hook> = []

    /// The receiver of the input of a view; `nil` for a view outside of the app's windows, such as one of the keyboard.
    static func capture(of view: UIView) -> Capture? {
        guard let window = view as? UIWindow ?? view.window, !isOfSystem(window, except: [UIWindow.self]) else {
            return nil
        }
        return capture
    }

    /// Group of methods that report one kind of input.
    private enum Hook {
        case pages
        case controls
        case barItems
        case rows
        case items
        case visibleRows
        case visibleItems
        case scrolling
        case recognizers
        case touches
    }

    static func start(_ capture: Capture, _ types: [AutoEventType]) {
        guard !types.isEmpty else { return }
        self.capture = capture
        // Each event contains its page, so that pages are reported with every type.
        for hook in [.pages] + types.compactMap(hook) where installed.insert(hook).inserted { install(hook) }
    }

    private static func hook(of type: AutoEventType) -> Hook? {
        switch type {
        case .buttonClick, .sliderControlClick, .switchControlClick, .stepperControlClick, .segmentedControlClick:
            .controls
        case .barButtonClick: .barItems
        case .tableViewClick: .rows
        case .collectionViewClick: .items
        case .tableViewImpression: .visibleRows
        case .collectionViewImpression: .visibleItems
        case .scroll: .scrolling
        case .gesture: .recognizers
        case .touch: .touches
        default: nil
        }
    }

    private static func install(_ hook: Hook) {
        switch hook {
        case .pages: UIViewController.exchangePageMethods()
        case .controls: UIControl.exchangeActionMethods()
        case .barItems: UIApplication.exchangeActionMethod()
        case .rows: UITableView.exchangeDelegateMethod()
        case .items: UICollectionView.exchangeDelegateMethod()
        case .visibleRows: UITableView.exchangeLayoutMethod()
        case .visibleItems: UICollectionView.exchangeLayoutMethod()
        case .scrolling: UIScrollView.exchangeOffsetMethod()
        case .recognizers: UIGestureRecognizer.exchangeStateMethod()
        case .touches: UIWindow.exchangeEventMethod()
        }
    }
}
#endif
