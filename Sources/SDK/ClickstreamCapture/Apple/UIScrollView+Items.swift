#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
import UIKit

extension UITableView {
    static func exchangeLayoutMethod() {
        MethodExchange.perform(self, #selector(layoutSubviews), #selector(clickstream_layoutSubviews))
    }

    @objc fileprivate dynamic func clickstream_layoutSubviews() {
        clickstream_layoutSubviews()
        show(indexPathsForVisibleRows ?? [], itemCount: numberOfRows(inSection:)) { rectForRow(at: $0) }
    }
}

extension UICollectionView {
    static func exchangeLayoutMethod() {
        MethodExchange.perform(self, #selector(layoutSubviews), #selector(clickstream_layoutSubviews))
    }

    @objc fileprivate dynamic func clickstream_layoutSubviews() {
        clickstream_layoutSubviews()
        show(indexPathsForVisibleItems, itemCount: numberOfItems(inSection:)) { layoutAttributesForItem(at: $0)?.frame }
    }
}

extension UIScrollView {
    /// Reports the visible items; their positions count all items of earlier sections.
    fileprivate func show(_ paths: [IndexPath], itemCount: (Int) -> Int, frame: (IndexPath) -> CGRect?) {
        guard let capture = UIKitAdapter.capture(of: self) else { return }
        Lifetime.observe(self) { capture.remove($0) }
        let items = paths.compactMap { path -> VisibleItems.Item? in
            let earlier = (0..<path.section).reduce(0) { $0 + itemCount($1) }
            return frame(path).map { .init(index: earlier + path.row, frame: Capture.Frame(convert($0, to: nil))) }
        }
        let layout = VisibleItems(viewport: Capture.Frame(convert(bounds, to: nil)), items: items)
        capture.show(layout, in: Capture.ElementPath(to: self), source: pa_itemsViewDataSource)
    }
}
#endif
