#if canImport(UIKit) && !os(watchOS)
import Foundation
import ObjectiveC
import UIKit

/// Forwards UIKit notifications to the SDK: foreground, background, termination, and each screen that appears.
///
/// Not compiled on Linux, where this repository is built. The mapping of classes to screens is ``ScreenClass``, which
/// is tested there. Started once, by the first launch of the SDK.
@MainActor
enum UIKitAdapter {
    private static var observers: [any NSObjectProtocol] = []

    static func start() {
        guard observers.isEmpty else { return }
        let center = NotificationCenter.default
        func on(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
            observers.append(center.addObserver(forName: name, object: nil, queue: .main) { _ in body() })
        }
        on(UIApplication.didBecomeActiveNotification) { ClickstreamAnalytics.foreground() }
        on(UIApplication.willEnterForegroundNotification) { ClickstreamAnalytics.foreground() }
        on(UIApplication.didEnterBackgroundNotification) { ClickstreamAnalytics.background() }
        on(UIApplication.willTerminateNotification) { ClickstreamAnalytics.shutdown() }
        // The app may already be active.
        if UIApplication.shared.applicationState == .active { ClickstreamAnalytics.foreground() }
        exchangeViewDidAppear()
    }

    private static func exchangeViewDidAppear() {
        guard
            let theirs = class_getInstanceMethod(
                UIViewController.self,
                #selector(UIViewController.viewDidAppear(_:))
            ),
            let ours = class_getInstanceMethod(
                UIViewController.self,
                #selector(UIViewController.clickstream_viewDidAppear(_:))
            )
        else { return }
        method_exchangeImplementations(theirs, ours)
    }

    fileprivate static func appeared(_ controller: UIViewController) {
        let own: AnyClass = type(of: controller)
        let ancestry = Array(sequence(first: own) { class_getSuperclass($0) }).map { String(reflecting: $0) }
        guard let name = ScreenClass.screenName(ancestry: ancestry) else { return }
        ClickstreamAnalytics.screen(
            name: name,
            id: String(reflecting: own),
            uniqueID: String(UInt(bitPattern: ObjectIdentifier(controller).hashValue))
        )
    }
}

extension UIViewController {
    /// Replacement of `viewDidAppear(_:)`; after the exchange, this name calls the original implementation.
    @objc fileprivate dynamic func clickstream_viewDidAppear(_ animated: Bool) {
        clickstream_viewDidAppear(animated)
        UIKitAdapter.appeared(self)
    }
}
#endif
