extension Capture {
    /// Element with its ancestors in a page; without links, a point of the page that no element contains.
    public struct ElementPath: Sendable, Equatable {
        package var page: InstanceID?
        package var links: [Link]

        /// Element of a path, with its place among its siblings.
        public struct Link: Sendable, Equatable {
            package var element: Element
            package var ordinal: Int

            /// Creates a link.
            /// - Parameters:
            ///   - element: the element.
            ///   - ordinal: the number of earlier siblings of the same class.
            public init(_ element: Element, ordinal: Int) {
                self.element = element
                self.ordinal = ordinal
            }
        }

        /// Creates a path.
        /// - Parameters:
        ///   - page: the page that contains the element; `nil` for elements of windows without a page.
        ///   - links: the elements from the page's top level to the element itself.
        public init(page: InstanceID?, links: [Link] = []) {
            self.page = page
            self.links = links
        }

        /// The element itself; `nil` for a point that no element contains.
        package var element: Element? { links.last?.element }

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
        package init?(at indices: [Int], in views: [Element], page: InstanceID?) {
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
}
