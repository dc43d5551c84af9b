#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import Foundation
import ObjectiveC

/// Forwards AppKit notifications to the SDK: foreground, background, termination, and each screen that appears.
///
/// Not compiled on Linux, where this repository is built. See ``UIKitAdapter``; an inactive app counts as in the
/// background.
@MainActor
enum AppKitAdapter {
    private static var observers: [any NSObjectProtocol] = []

    static func start() {
        guard observers.isEmpty else { return }
        let center = NotificationCenter.default
        func on(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
            observers.append(center.addObserver(forName: name, object: nil, queue: .main) { _ in body() })
        }
        on(NSApplication.didBecomeActiveNotification) { ClickstreamAnalytics.foreground() }
        on(NSApplication.didResignActiveNotification) { ClickstreamAnalytics.background() }
        on(NSApplication.willTerminateNotification) { ClickstreamAnalytics.shutdown() }
        if NSApp?.isActive == true { ClickstreamAnalytics.foreground() }
        exchangeViewDidAppear()
    }

    private static func exchangeViewDidAppear() {
        guard
            let theirs = class_getInstanceMethod(NSViewController.self, #selector(NSViewController.viewDidAppear)),
            let ours = class_getInstanceMethod(
                NSViewController.self,
                #selector(NSViewController.clickstream_viewDidAppear)
            )
        else { return }
        method_exchangeImplementations(theirs, ours)
    }

    fileprivate static func appeared(_ controller: NSViewController) {
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

extension NSViewController {
    /// Replacement of `viewDidAppear()`; after the exchange, this name calls the original implementation.
    @objc fileprivate dynamic func clickstream_viewDidAppear() {
        clickstream_viewDidAppear()
        AppKitAdapter.appeared(self)
    }
}
#endif
