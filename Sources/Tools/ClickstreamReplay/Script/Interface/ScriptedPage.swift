package import ClickstreamCapture
package import ClickstreamCore

/// Page of a script's interface, as a toolkit would report it.
package struct ScriptedPage: Sendable, Equatable {
    /// Without an identity: each instance has its own.
    package let page: Capture.Page
    package let views: [ScriptedView]
    /// Places of the views by reference: the name, else the accessibility identifier, else the restoration identifier.
    private let indexPaths: [String: [[Int]]]

    package init(_ page: Capture.Page, views: [ScriptedView] = []) {
        self.page = page
        self.views = views
        var names: [String: [[Int]]] = [:]
        var accessibilityIDs: [String: [[Int]]] = [:]
        var restorationIDs: [String: [[Int]]] = [:]
        ScriptedView.walk(views) { view, indexPath in
            if let name = view.element.data.elementName { names[name, default: []].append(indexPath) }
            if let id = view.element.accessibilityID { accessibilityIDs[id, default: []].append(indexPath) }
            if let id = view.element.restorationID { restorationIDs[id, default: []].append(indexPath) }
        }
        indexPaths = names.merging(accessibilityIDs) { name, _ in name }.merging(restorationIDs) { earlier, _ in earlier
        }
    }

    /// Returns the places of the views that a step refers to by `reference`, each as its indices from the top level.
    package func indexPaths(of reference: String) -> [[Int]] {
        indexPaths[reference] ?? []
    }

    /// Every reference to a view of the page, in alphabetic order.
    var references: [String] { indexPaths.keys.sorted() }

    /// Returns the view at a place that exists.
    func view(at indexPath: [Int]) -> ScriptedView {
        guard let first = indexPath.first else { preconditionFailure("Invalid state: a place without an index") }
        return indexPath.dropFirst().reduce(views[first]) { $0.views[$1] }
    }
}

/// View of a page of a script's interface.
package struct ScriptedView: Sendable, Equatable {
    /// Without identity and children.
    package var element: Capture.Element
    /// The extents of the content that the script defines.
    package var content: Content
    package var items: Items?
    package var views: [ScriptedView]

    /// Extents of the content of a scroll view, in logical pixels.
    package struct Content: Sendable, Hashable {
        package var width: Double?
        package var height: Double?

        package init(width: Double? = nil, height: Double? = nil) {
            self.width = width
            self.height = height
        }
    }

    /// Items of a table or collection, one after the other along an axis.
    package struct Items: Sendable, Hashable {
        package var axis: Axis
        /// The extent of one item along the axis, in logical pixels.
        package var size: Double
        package var data: [Attributes]
        /// The container's data for the event.
        package var eventData: Attributes?

        package init(axis: Axis = .vertical, size: Double, data: [Attributes], eventData: Attributes? = nil) {
            self.axis = axis
            self.size = size
            self.data = data
            self.eventData = eventData
        }

        /// The extent of all items along the axis.
        var extent: Double { size * Double(data.count) }
    }

    package enum Axis: Sendable, Hashable {
        case horizontal
        case vertical
    }

    package init(
        _ element: Capture.Element,
        content: Content = Content(),
        items: Items? = nil,
        views: [ScriptedView] = []
    ) {
        self.element = element
        self.content = content
        self.items = items
        self.views = views
    }

    /// The width of the content: as defined, else that of the items, else that of the nested views, at least the frame's.
    var contentWidth: Double {
        if let width = content.width { return width }
        if let items, items.axis == .horizontal { return items.extent }
        let frame = element.frame
        return views.reduce(frame.width) { max($0, $1.element.frame.x + $1.element.frame.width - frame.x) }
    }

    /// The height of the content, by the same rule as the width.
    var contentHeight: Double {
        if let height = content.height { return height }
        if let items, items.axis == .vertical { return items.extent }
        let frame = element.frame
        return views.reduce(frame.height) { max($0, $1.element.frame.y + $1.element.frame.height - frame.y) }
    }

    /// The axis of a scroll without one: horizontal if only the width of the content exceeds the frame.
    var scrollAxis: Axis {
        contentWidth > element.frame.width && contentHeight <= element.frame.height ? .horizontal : .vertical
    }

    /// Calls `visit` with each view and its place, outer views first.
    static func walk(_ views: [ScriptedView], at indexPath: [Int] = [], _ visit: (ScriptedView, [Int]) -> Void) {
        for (index, view) in views.enumerated() {
            visit(view, indexPath + [index])
            walk(view.views, at: indexPath + [index], visit)
        }
    }
}
