import ClickstreamCapture
import ClickstreamCore

/// Instance of a scripted page: identities of the page and its elements, and offsets of its scroll views.
///
/// Views inside of a scroll view move with its content. Their frames in the script are those at rest.
struct PageInstance: Sendable {
    let content: ScriptedPage
    let page: Capture.Page
    private let elements: [Capture.Element]
    /// Views with items, in the order of the script.
    private let lists: [(indexPath: [Int], items: ScriptedItems)]
    /// Offsets of scroll views that were scrolled, by their places.
    private var offsets: [[Int]: Capture.Point] = [:]

    /// - Parameter id: creates an identity.
    init(_ content: ScriptedPage, id: () -> InstanceID) {
        self.content = content
        var page = content.page
        page.id = id()
        self.page = page
        elements = Self.elements(content.views, id: id)
        var lists: [(indexPath: [Int], items: ScriptedItems)] = []
        ScriptedView.walk(content.views) { view, indexPath in
            if let items = view.items { lists.append((indexPath, ScriptedItems(items))) }
        }
        self.lists = lists
    }

    private static func elements(_ views: [ScriptedView], id: () -> InstanceID) -> [Capture.Element] {
        views.map { view in
            var element = view.element
            element.id = id()
            element.children = elements(view.views, id: id)
            return element
        }
    }

    // MARK: Elements

    /// Returns the path to a view of the page.
    func element(at indexPath: [Int]) -> Capture.ElementPath {
        Capture.ElementPath(at: indexPath, in: elements, page: page.id) ?? Capture.ElementPath(page: page.id)
    }

    /// Hit test: the path to the innermost element under a point; of siblings, the last listed is on top.
    func hit(_ point: Capture.Point) -> Capture.ElementPath {
        guard !offsets.isEmpty else { return Capture.ElementPath(to: point, in: elements, page: page.id) }
        var indexPath: [Int] = []
        var level = elements
        // The point in the coordinates of the level at rest.
        var point = point
        while let index = level.lastIndex(where: { $0.frame.contains(point) }) {
            indexPath.append(index)
            let offset = self.offset(at: indexPath)
            point = Capture.Point(x: point.x + offset.x, y: point.y + offset.y)
            level = level[index].children
        }
        return element(at: indexPath)
    }

    // MARK: Scrolling

    func offset(at indexPath: [Int]) -> Capture.Point { offsets[indexPath] ?? Capture.Point(x: 0, y: 0) }

    mutating func setOffset(_ offset: Capture.Point, at indexPath: [Int]) {
        offsets[indexPath] = offset
    }

    /// Returns the report of a scroll view's position.
    func scroll(at indexPath: [Int]) -> ScriptedInterface.Call {
        let view = content.view(at: indexPath)
        let offset = offset(at: indexPath)
        let frame = view.element.frame
        let position = Capture.ScrollPosition(
            horizontal: .init(offset: offset.x, visible: frame.width, content: view.contentWidth),
            vertical: .init(offset: offset.y, visible: frame.height, content: view.contentHeight)
        )
        return ScriptedInterface.Call(.scroll(element(at: indexPath), position))
    }

    /// Returns the reports of the layouts of some lists.
    func lists(where isReported: ([Int]) -> Bool) -> [ScriptedInterface.Call] {
        lists.filter { isReported($0.indexPath) }.map { list in
            ScriptedInterface.Call(.items(layout(of: list.indexPath), element(at: list.indexPath), list.items))
        }
    }

    /// Returns the items of a list of which a part is inside of the list and of all views around it.
    private func layout(of indexPath: [Int]) -> VisibleItems {
        var viewport: Capture.Frame?
        var moved = Capture.Point(x: 0, y: 0)
        var frame = Capture.Frame(x: 0, y: 0, width: 0, height: 0)
        for depth in 1...indexPath.count {
            let outer = Array(indexPath.prefix(depth))
            frame = content.view(at: outer).element.frame
            frame.x -= moved.x
            frame.y -= moved.y
            viewport = viewport?.intersection(with: frame) ?? frame
            let offset = offset(at: outer)
            moved = Capture.Point(x: moved.x + offset.x, y: moved.y + offset.y)
        }
        let visible = viewport ?? frame
        guard visible.area > 0, let items = content.view(at: indexPath).items else {
            return VisibleItems(viewport: visible, items: [])
        }
        let offset = offset(at: indexPath)
        let (origin, start, end) =
            switch items.axis {
            case .vertical: (frame.y - offset.y, visible.y, visible.y + visible.height)
            case .horizontal: (frame.x - offset.x, visible.x, visible.x + visible.width)
            }
        let first = max(0, Int(saturating: ((start - origin) / items.size).rounded(.down)))
        let last = min(items.data.count, Int(saturating: ((end - origin) / items.size).rounded(.up)))
        guard first < last else { return VisibleItems(viewport: visible, items: []) }
        return VisibleItems(
            viewport: visible,
            items: (first..<last).map { index in
                let position = origin + items.size * Double(index)
                return VisibleItems.Item(
                    index: index,
                    frame: items.axis == .vertical
                        ? Capture.Frame(x: frame.x, y: position, width: frame.width, height: items.size)
                        : Capture.Frame(x: position, y: frame.y, width: items.size, height: frame.height)
                )
            }
        )
    }
}

extension Capture.Frame {
    /// Returns the part that two frames have in common; without one, an empty frame.
    fileprivate func intersection(with other: Capture.Frame) -> Capture.Frame {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return Capture.Frame(
            x: left,
            y: top,
            width: max(0, min(x + width, other.x + other.width) - left),
            height: max(0, min(y + height, other.y + other.height) - top)
        )
    }
}
