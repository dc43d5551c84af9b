package import ClickstreamCore

/// State machine of pages: instances, appearances and the navigation path. Pure. Containers are ignored.
package struct PageMachine: Sendable, Equatable {
    /// The number of earlier pages in an event.
    package static let sourceCount = 3

    /// Page instances that exist.
    private var instances: [InstanceID: Instance] = [:]
    /// Page instances from the root to the page that appeared last. A page on the path that appears again ends the
    /// path.
    private var path: [InstanceID] = []
    /// The last pages that appeared, oldest first; repeated appearances of one instance are one.
    private var recent: [PageReference] = []
    /// The instance of the last entry of `recent`, while it exists.
    private var latest: InstanceID?

    /// The part of a page that events of its elements depend on: small, since it is copied for each.
    package struct Facts: Sendable, Equatable {
        package var reference: PageReference
        package var isMasked: Bool
        package var group: String?
        package var section: String?
        /// The pages before the last appearance, and the path to it; `nil` before the first.
        package var context: PageContext?

        init(_ page: Capture.Page, context: PageContext? = nil) {
            reference = PageReference(page)
            isMasked = page.isMasked
            group = page.data.trackingGroup
            section = page.data.trackingSection
            self.context = context
        }
    }

    private struct Instance: Sendable, Equatable {
        var facts: Facts
        /// The identifier on the navigation path.
        var id: UniqueID
        /// The number of appearances so far.
        var sequence = 0
        var isVisible = false
        /// The page as it was at its last appearance.
        var shown: PageReference?
    }

    /// Event of a page.
    package enum Action: Sendable, Equatable {
        case load(PageContext)
        /// - sequence: the number of appearances, this one included.
        case view(sequence: Int, PageContext)
    }

    package init() {}

    // MARK: Inputs

    /// Handles the creation of a page.
    /// - Parameter id: creates the identifier of a new instance.
    package mutating func load(_ page: Capture.Page, id: () -> UniqueID) -> [Action] {
        guard !page.isContainer else { return [] }
        if let facts = instances[page.id]?.facts {
            instances[page.id]?.facts = Facts(page, context: facts.context)
            return []
        }
        let context = current
        instances[page.id] = Instance(facts: Facts(page), id: id())
        return [.load(context)]
    }

    /// Handles the appearance of a page, which is loaded if it is unknown.
    package mutating func appear(_ page: Capture.Page, id: () -> UniqueID) -> [Action] {
        guard !page.isContainer else { return [] }
        var actions = load(page, id: id)
        guard var instance = instances[page.id] else { preconditionFailure("Invalid state: a loaded page is unknown") }
        if let index = path.firstIndex(of: page.id) {
            path.removeSubrange((index + 1)...)
        } else {
            path.append(page.id)
        }
        let isRepeated = latest == page.id
        let context = PageContext(
            sources: isRepeated ? instance.facts.context?.sources ?? [] : recent.suffix(Self.sourceCount),
            path: entries
        )
        let reference = PageReference(page)
        instance.sequence += 1
        instance.isVisible = true
        instance.facts.context = context
        instance.shown = reference
        instances[page.id] = instance
        if isRepeated { recent.removeLast() }
        recent = (recent + [reference]).suffix(Self.sourceCount)
        latest = page.id
        actions.append(.view(sequence: instance.sequence, context))
        return actions
    }

    /// Handles the disappearance of a page.
    package mutating func disappear(_ id: InstanceID) {
        instances[id]?.isVisible = false
    }

    /// Handles the end of a page: its identifier may be reused.
    package mutating func unload(_ id: InstanceID) {
        instances[id] = nil
        path.removeAll { $0 == id }
        if latest == id { latest = nil }
    }

    // MARK: Questions

    /// True if the page is on the screen; elements without a page always are.
    package func isVisible(_ id: InstanceID?) -> Bool {
        guard let id else { return true }
        return instances[id]?.isVisible ?? false
    }

    /// Returns the page of an element, as it was reported last.
    package func facts(_ id: InstanceID?) -> Facts? {
        id.flatMap { instances[$0]?.facts }
    }

    /// Returns the context of an event on a page.
    package func context(of id: InstanceID?) -> PageContext {
        id.flatMap { instances[$0]?.facts.context } ?? current
    }

    /// Returns the context of an event that closes because its page disappears: the page itself is a source.
    package func closingContext(of id: InstanceID?) -> PageContext {
        var context = context(of: id)
        if let shown = id.flatMap({ instances[$0]?.shown }) {
            context.sources = (context.sources + [shown]).suffix(Self.sourceCount)
        }
        return context
    }

    /// The context of an event without a page of its own.
    private var current: PageContext { PageContext(sources: recent, path: entries) }

    private var entries: [PageContext.Entry] {
        path.compactMap { id in
            instances[id].map {
                PageContext.Entry(key: $0.facts.reference.name ?? $0.facts.reference.className, id: $0.id)
            }
        }
    }
}

extension PageReference {
    init(_ page: Capture.Page) {
        self.init(className: page.className, name: page.data.elementName, accessibilityID: page.accessibilityID)
    }
}
