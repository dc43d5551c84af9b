#if canImport(UIKit) && !os(watchOS)
import Foundation
import ObjectiveC
import UIKit

/// Tells the SDK what UIKit tells an app: the foreground, the background, the end, and each screen that appears.
///
/// Unbuilt here: this repository is built on Linux, where there is no UIKit. The decision which class is a screen is
/// ``ScreenClass``'s, and tested there. Started once, by the launch of the SDK on this machine.
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
        // The app may be active already.
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
    /// Stands in the place of `viewDidAppear(_:)`, which this name means once the two are exchanged.
    @objc fileprivate dynamic func clickstream_viewDidAppear(_ animated: Bool) {
        clickstream_viewDidAppear(animated)
        UIKitAdapter.appeared(self)
    }
}
#endif
