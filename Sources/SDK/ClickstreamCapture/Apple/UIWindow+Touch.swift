#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension UIWindow {
    static func exchangeEventMethod() {
        MethodExchange.perform(self, #selector(sendEvent(_:)), #selector(clickstream_sendEvent(_:)))
    }

    @objc fileprivate dynamic func clickstream_sendEvent(_ event: UIEvent) {
        if event.type == .touches, let capture = UIKitAdapter.capture(of: self) {
            for touch in event.touches(for: self) ?? [] { Fingers.report(touch, in: self, to: capture) }
        }
        clickstream_sendEvent(event)
    }
}

/// Fingers on the screen.
@MainActor
private enum Fingers {
    /// The slot of each finger, and the element under it when it came down.
    private static var fingers: [ObjectIdentifier: (slot: UInt8, path: Capture.ElementPath)] = [:]

    static func report(_ touch: UITouch, in window: UIWindow, to capture: Capture) {
        let id = ObjectIdentifier(touch)
        guard let phase = Capture.Touch.Phase(touch.phase) else { return }
        if phase == .down {
            fingers[id] = (freeSlot, touch.view.map { Capture.ElementPath(to: $0) } ?? Capture.ElementPath(page: nil))
        }
        guard let finger = fingers[id] else { return }
        if phase == .up || phase == .cancel { fingers[id] = nil }
        capture.touch(Capture.Touch(phase, at: Capture.Point(touch.location(in: window)), finger: finger.slot)) { _ in
            finger.path
        }
    }

    private static var freeSlot: UInt8 {
        let used = Set(fingers.values.map(\.slot))
        return (0..<63).first { !used.contains($0) } ?? 63
    }
}

extension Capture.Touch.Phase {
    fileprivate init?(_ phase: UITouch.Phase) {
        switch phase {
        case .began: self = .down
        case .moved: self = .move
        case .ended: self = .up
        case .cancelled: self = .cancel
        default: return nil
        }
    }
}
#endif
