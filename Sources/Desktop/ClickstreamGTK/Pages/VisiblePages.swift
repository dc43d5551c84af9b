import ClickstreamCapture

/// State machine of the pages on the screen. Pure.
///
/// A toolkit reports a page inside before the one around it, and the page of a stack before its predecessor is gone. The
/// machine orders them: outer pages appear first, and a page disappears before the next one of the same stack.
struct VisiblePages: Equatable {
    /// Position of a page in the tree of widgets.
    struct Location: Equatable {
        /// The page around it; `nil` for a window.
        var outer: InstanceID?
        /// The stack of the page; `nil` for a window.
        var stack: InstanceID?
    }

    enum Action: Equatable {
        case appear(InstanceID)
        case disappear(InstanceID)
    }

    /// Pages on the screen, in the order of their appearance.
    private var visible: [(id: InstanceID, location: Location)] = []
    /// Pages whose outer page is not on the screen yet.
    private var pending: [(id: InstanceID, location: Location)] = []

    static func == (one: VisiblePages, other: VisiblePages) -> Bool {
        one.visible.elementsEqual(other.visible, by: ==) && one.pending.elementsEqual(other.pending, by: ==)
    }

    /// Handles a page that is on the screen now.
    mutating func map(_ id: InstanceID, _ location: Location) -> [Action] {
        guard !isVisible(id) else { return [] }
        if let outer = location.outer, !isVisible(outer) {
            pending.removeAll { $0.id == id }
            pending.append((id, location))
            return []
        }
        var actions: [Action] = []
        for former in visible where location.stack != nil && former.location.stack == location.stack {
            actions += hide(former.id)
        }
        visible.append((id, location))
        actions.append(.appear(id))
        let inner = pending.filter { $0.location.outer == id }
        pending.removeAll { $0.location.outer == id || $0.id == id }
        for page in inner { actions += map(page.id, page.location) }
        return actions
    }

    /// Handles a page that is not on the screen any more. If the page that appeared last was in a window that closes, the
    /// page that is on the screen below it appears again.
    mutating func unmap(_ id: InstanceID) -> [Action] {
        pending.removeAll { $0.id == id }
        guard let page = visible.first(where: { $0.id == id }) else { return [] }
        let wasLast = visible.last.map { $0.id == id || isInside($0.location, id) } ?? false
        var actions = hide(id)
        guard page.location.outer == nil, wasLast, let below = visible.last else { return actions }
        actions.append(.appear(below.id))
        return actions
    }

    /// True if the page is on the screen.
    func isVisible(_ id: InstanceID) -> Bool { visible.contains { $0.id == id } }

    /// Removes a page and those inside of it, which disappear first.
    private mutating func hide(_ id: InstanceID) -> [Action] {
        let inner = visible.filter { $0.id != id && isInside($0.location, id) }
        let hidden = inner.reversed().map(\.id) + [id]
        visible.removeAll { hidden.contains($0.id) }
        return hidden.map { .disappear($0) }
    }

    /// True if a page is inside another one.
    private func isInside(_ location: Location, _ id: InstanceID) -> Bool {
        var outer = location.outer
        while let current = outer {
            if current == id { return true }
            outer = visible.first { $0.id == current }?.location.outer
        }
        return false
    }
}
