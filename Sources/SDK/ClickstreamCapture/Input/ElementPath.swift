/// Element with its ancestors in a page; without links, a point of the page that no element contains.
public struct ElementPath: Sendable, Equatable {
    /// `nil` for elements of windows without a page.
    public var page: InstanceID?
    /// From the page's top level to the element itself.
    public var links: [Link]

    public struct Link: Sendable, Equatable {
        public var element: Element
        /// The number of earlier siblings of the same class.
        public var ordinal: Int

        public init(_ element: Element, ordinal: Int) {
            self.element = element
            self.ordinal = ordinal
        }
    }

    public init(page: InstanceID?, links: [Link] = []) {
        self.page = page
        self.links = links
    }

    /// The element itself.
    public var element: Element? { links.last?.element }

    /// Hit test: the path to the innermost element that contains a point. Of siblings, the last listed is on top.
    /// Children are clipped to their parents.
    public init(to point: Point, in views: [Element], page: InstanceID?) {
        self.init(page: page)
        var level = views
        while let index = level.lastIndex(where: { $0.frame.contains(point) }) {
            append(level, index)
            level = level[index].children
        }
    }

    /// The path along indices from the top level; `nil` if an index is out of range.
    public init?(at indices: [Int], in views: [Element], page: InstanceID?) {
        self.init(page: page)
        var level = views
        for index in indices {
            guard level.indices.contains(index) else { return nil }
            append(level, index)
            level = level[index].children
        }
    }

    private mutating func append(_ siblings: [Element], _ index: Int) {
        let element = siblings[index]
        let earlier = siblings[..<index].count { $0.className == element.className }
        links.append(Link(element, ordinal: earlier))
    }
}
