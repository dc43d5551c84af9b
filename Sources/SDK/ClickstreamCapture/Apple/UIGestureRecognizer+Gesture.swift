#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension UIGestureRecognizer {
    /// Beginnings of gestures in progress.
    private static let beginnings = AssociatedValue<Beginning>()

    /// State of a recognizer when its gesture began.
    private struct Beginning {
        var point: Capture.Point
        /// The scale in percent, or the rotation in degrees.
        var value: Double
    }

    static func exchangeStateMethod() {
        // The setter is declared for subclasses of recognizers only.
        MethodExchange.perform(self, Selector(("setState:")), #selector(clickstream_setState(_:)))
    }

    @objc fileprivate dynamic func clickstream_setState(_ state: State) {
        clickstream_setState(state)
        guard let view, let capture = UIKitAdapter.capture(of: view), !belongsToSystem else { return }
        if state == .began { Self.beginnings[self] = Beginning(point: Capture.Point(location(in: nil)), value: value) }
        guard let gesture = recognized(in: state) else { return }
        var path = Capture.ElementPath(to: view)
        if let last = path.links.indices.last {
            // Settings of the recognizer precede those of its view.
            if let own = capturedOptBehavior { path.links[last].element.optBehavior = own }
            if let source = pa_autoEventDataSource { path.links[last].element.apply(source, for: self) }
        }
        capture.gesture(gesture, on: path)
    }

    /// The gesture that is complete in a state.
    private func recognized(in state: State) -> RecognizedGesture? {
        let point = Capture.Point(location(in: nil))
        switch (self, state) {
        case (let tap as UITapGestureRecognizer, .ended):
            return .tap(at: point, fingers: tap.numberOfTouchesRequired)
        case (let press as UILongPressGestureRecognizer, .began):
            return .longPress(at: point, fingers: press.numberOfTouchesRequired)
        case (is UIPinchGestureRecognizer, .ended):
            return Self.beginnings[self].map { .scale(from: $0.value, to: value) }
        case (is UIRotationGestureRecognizer, .ended):
            return Self.beginnings[self].map { .rotate(from: $0.value, to: value) }
        case (is UIPanGestureRecognizer, .ended):
            return Self.beginnings[self].map { .move(from: $0.point, to: point) }
        default:
            return nil
        }
    }

    /// The scale in percent, or the rotation in degrees.
    private var value: Double {
        switch self {
        case let pinch as UIPinchGestureRecognizer: 100 * Double(pinch.scale)
        case let rotation as UIRotationGestureRecognizer: 180 / .pi * Double(rotation.rotation)
        default: 0
        }
    }

    /// True for the recognizers of a scroll view, and for other classes than the documented ones and those of apps.
    private var belongsToSystem: Bool {
        if let view = view as? UIScrollView, self === view.panGestureRecognizer || self === view.pinchGestureRecognizer
        {
            return true
        }
        let documented: [AnyClass] = [
            UITapGestureRecognizer.self, UILongPressGestureRecognizer.self, UIPinchGestureRecognizer.self,
            UIRotationGestureRecognizer.self, UIPanGestureRecognizer.self,
        ]
        return isOfSystem(self, except: documented)
    }
}
#endif
