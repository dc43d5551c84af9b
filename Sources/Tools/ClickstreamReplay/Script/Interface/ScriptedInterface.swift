import ClickstreamCapture
import ClickstreamCore

/// State of a script's user interface in one process: page instances on the navigation path, and positions of their
/// scroll views. Pure: turns steps into the calls that a toolkit's adapter would make.
struct ScriptedInterface: Sendable {
    private let pages: [String: ScriptedPage]
    /// From the root to the current page.
    private var path: [PageInstance] = []
    private var lastID: UInt64 = 0

    /// Call of the capture API.
    struct Call: Sendable, Equatable {
        /// The time since the call before it, in milliseconds.
        var delay: Int64
        var input: Input

        init(_ input: Input, after delay: Int64 = 0) {
            self.delay = delay
            self.input = input
        }
    }

    enum Input: Sendable, Equatable {
        case load(Capture.Page)
        case appear(Capture.Page)
        case disappear(InstanceID)
        case unload(InstanceID)
        case click(Capture.ElementPath)
        /// - target: the element under the down point.
        case touch(Capture.Touch, target: Capture.ElementPath)
        case gesture(RecognizedGesture, Capture.ElementPath)
        case scroll(Capture.ElementPath, Capture.ScrollPosition)
        case items(VisibleItems, Capture.ElementPath, ScriptedItems)
    }

    init(_ pages: [String: ScriptedPage]) {
        self.pages = pages
    }

    /// Returns the calls of a step, in order. The reader has checked that the page and the view exist.
    mutating func calls(for input: Step.Input) -> [Call] {
        switch input {
        case .show(let page): show(page)
        case .click(let view): element(view).map { [Call(.click($0))] } ?? []
        case .touch(let points): touch(points)
        case .scroll(let scroll): self.scroll(scroll)
        case .gesture(let gesture, let view): element(view).map { [Call(.gesture(gesture, $0))] } ?? []
        }
    }

    // MARK: Pages

    /// A new page is loaded, then replaces the current one. A page on the path is returned to: those above it are
    /// unloaded. The current page disappears and appears again.
    private mutating func show(_ name: String) -> [Call] {
        guard let page = pages[name] else { return [] }
        let leaving = path.last.map { Call(.disappear($0.page.id)) }
        var calls: [Call] = []
        if let index = path.firstIndex(where: { $0.page.className == name }) {
            let popped = path[(index + 1)...].reversed().map { Call(.unload($0.page.id)) }
            path.removeSubrange((index + 1)...)
            calls = [leaving].compactMap { $0 } + [Call(.appear(path[index].page))] + popped
        } else {
            let instance = PageInstance(page) {
                lastID += 1
                return InstanceID(lastID)
            }
            path.append(instance)
            calls = [Call(.load(instance.page))] + [leaving].compactMap { $0 } + [Call(.appear(instance.page))]
        }
        return calls + (path.last?.lists { _ in true } ?? [])
    }

    // MARK: Elements

    private func element(_ view: String) -> Capture.ElementPath? {
        guard let current = path.last, let indexPath = current.content.indexPaths(of: view).first else { return nil }
        return current.element(at: indexPath)
    }

    private func touch(_ points: [Step.TouchPoint]) -> [Call] {
        guard let first = points.first, let last = points.last else { return [] }
        let target = path.last?.hit(first.point) ?? Capture.ElementPath(page: nil)
        var calls = [Call(.touch(Capture.Touch(.down, at: first.point), target: target), after: first.delay)]
        for point in points.dropFirst().dropLast() {
            calls.append(Call(.touch(Capture.Touch(.move, at: point.point), target: target), after: point.delay))
        }
        let delay = points.count > 1 ? last.delay : 0
        return calls + [Call(.touch(Capture.Touch(.up, at: last.point), target: target), after: delay)]
    }

    // MARK: Scrolling

    /// The number of offset changes of one step.
    private static let changes: Int64 = 16

    private mutating func scroll(_ scroll: Step.ScrollTo) -> [Call] {
        guard let indexPath = path.last?.content.indexPaths(of: scroll.view).first, let index = path.indices.last else {
            return []
        }
        let start = path[index].offset(at: indexPath)
        let view = path[index].content.view(at: indexPath)
        let end: Capture.Point =
            switch (scroll.target, view.scrollAxis) {
            case (.point(let point), _): point
            case (.offset(let offset), .vertical): Capture.Point(x: start.x, y: offset)
            case (.offset(let offset), .horizontal): Capture.Point(x: offset, y: start.y)
            }
        // The position at rest.
        var calls = [path[index].scroll(at: indexPath)]
        var elapsed: Int64 = 0
        for change in 1...Self.changes {
            let part = Double(change) / Double(Self.changes)
            // The last offset is exact.
            path[index].setOffset(
                change == Self.changes
                    ? end : Capture.Point(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part),
                at: indexPath
            )
            let time = Self.time(of: change, in: scroll.duration)
            var call = path[index].scroll(at: indexPath)
            call.delay = time - elapsed
            elapsed = time
            calls.append(call)
            calls += path[index].lists { $0.starts(with: indexPath) }
        }
        return calls
    }

    /// Returns the time of a change since the start, in whole milliseconds.
    private static func time(of change: Int64, in duration: Int64) -> Int64 {
        // Without the overflow of `change * duration`.
        duration / changes * change + duration % changes * change / changes
    }
}
