#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension UIScrollView {
    /// Present for scroll views whose position was reported.
    private static let reported = AssociatedValue<Void>()

    static func exchangeOffsetMethod() {
        MethodExchange.perform(self, #selector(setter: contentOffset), #selector(clickstream_setContentOffset(_:)))
    }

    /// Scrolls by the user and by the app.
    @objc fileprivate dynamic func clickstream_setContentOffset(_ offset: CGPoint) {
        guard let capture = UIKitAdapter.capture(of: self), offset != contentOffset else {
            clickstream_setContentOffset(offset)
            return
        }
        if Self.reported[self] == nil {
            // The first report is the position at rest.
            Self.reported[self] = ()
            Lifetime.observe(self) { capture.remove($0) }
            report(to: capture)
        }
        clickstream_setContentOffset(offset)
        report(to: capture)
    }

    private func report(to capture: Capture) {
        capture.scroll(
            Capture.ElementPath(to: self),
            to: Capture.ScrollPosition(
                horizontal: .init(
                    offset: Double(contentOffset.x),
                    visible: Double(bounds.size.width),
                    content: Double(contentSize.width)
                ),
                vertical: .init(
                    offset: Double(contentOffset.y),
                    visible: Double(bounds.size.height),
                    content: Double(contentSize.height)
                )
            )
        )
    }
}
#endif
