#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension UIControl {
    /// The control and the time of the last reported click: a control sends one message for each of its actions.
    private static var last: (id: InstanceID, time: TimeInterval)?

    static func exchangeActionMethods() {
        MethodExchange.perform(
            self,
            #selector(sendAction(_:to:for:)),
            #selector(clickstream_sendAction(_:to:for:))
        )
        MethodExchange.perform(
            self,
            #selector(sendAction(_:)),
            #selector(clickstream_perform(_:))
        )
    }

    @objc fileprivate dynamic func clickstream_sendAction(_ action: Selector, to target: Any?, for event: UIEvent?) {
        report(event)
        clickstream_sendAction(action, to: target, for: event)
    }

    /// Actions with a closure. UIKit does not pass their event, so that the end of a slider's use is unknown.
    @objc fileprivate dynamic func clickstream_perform(_ action: UIAction) {
        if !(self is UISlider) { report(nil) }
        clickstream_perform(action)
    }

    private func report(_ event: UIEvent?) {
        guard let capture = UIKitAdapter.capture(of: self), isActivation(event) else { return }
        let time = event?.timestamp ?? ProcessInfo.processInfo.systemUptime
        let id = InstanceID(self)
        // Messages of one event have the same time, those without an event follow within milliseconds.
        if let last = Self.last, last.id == id, abs(time - last.time) < 0.02 { return }
        Self.last = (id, time)
        capture.click(Capture.ElementPath(to: self))
    }

    /// True for the message that ends the use of a button or a slider, and for every message of other controls.
    private func isActivation(_ event: UIEvent?) -> Bool {
        guard self is UIButton || self is UISlider, let touches = event?.allTouches, !touches.isEmpty else {
            return true
        }
        return touches.contains { $0.phase == .ended }
    }
}

extension UIApplication {
    static func exchangeActionMethod() {
        MethodExchange.perform(
            self,
            #selector(sendAction(_:to:from:for:)),
            #selector(clickstream_sendAction(_:to:from:for:))
        )
    }

    /// Actions of bar button items; one with a `primaryAction` sends no such message.
    @objc fileprivate dynamic func clickstream_sendAction(
        _ action: Selector,
        to target: Any?,
        from sender: Any?,
        for event: UIEvent?
    ) -> Bool {
        if let item = sender as? UIBarButtonItem, let capture = UIKitAdapter.capture {
            let page = (event?.allTouches?.first?.view ?? item.customView)?.page
            capture.click(
                Capture.ElementPath(
                    page: page.map { InstanceID($0) },
                    links: [.init(Capture.Element(item), ordinal: 0)]
                )
            )
        }
        return clickstream_sendAction(action, to: target, from: sender, for: event)
    }
}

extension Capture.Element {
    @MainActor
    fileprivate init(_ item: UIBarButtonItem) {
        let text = item.title ?? item.image?.accessibilityIdentifier
        self.init(
            id: InstanceID(item),
            className: String(describing: Swift.type(of: item)),
            type: .barButton,
            content: text.map { .text($0) } ?? .none,
            accessibilityID: item.accessibilityIdentifier,
            tag: item.tag == 0 ? nil : item.tag,
            responds: true,
            optBehavior: item.capturedOptBehavior
        )
        if let source = item.pa_autoEventDataSource { apply(source, for: item) }
    }
}
#endif
