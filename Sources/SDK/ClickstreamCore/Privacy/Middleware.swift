/// Event of the app before the rules are applied: middleware may change or drop it.
public struct DraftEvent: Sendable, Hashable {
    /// The name of the event.
    public var name: String { didSet { isChanged = true } }
    /// The event's own attributes, scoped ones included; global attributes are added later.
    public var attributes: Attributes { didSet { isChanged = true } }
    /// The items of the event.
    public var items: [Attributes] { didSet { isChanged = true } }
    /// True if a property was set since the last function of the chain.
    package internal(set) var isChanged = false

    /// Decision of middleware on an event.
    public enum Decision: Sendable, Hashable {
        /// Record the event as it is now.
        case keep
        /// Drop the event; it is counted.
        case drop
    }

    /// Creates a draft.
    public init(_ name: String, attributes: Attributes = Attributes(), items: [Attributes] = []) {
        self.name = name
        self.attributes = attributes
        self.items = items
    }
}

/// Named function that sees each event of the app before it is validated.
package struct Middleware: Sendable {
    package typealias Body = @Sendable (inout DraftEvent) -> DraftEvent.Decision

    package let name: String
    package let body: Body

    package init(_ name: String, _ body: @escaping Body) {
        self.name = name
        self.body = body
    }
}

/// Outcome of a chain of middleware for one event, with the names to be counted.
package struct MiddlewareOutcome: Sendable, Equatable {
    /// The functions that changed the event.
    package var changedBy: [String] = []
    /// The function that dropped it; later ones were not called.
    package var droppedBy: String?

    package init() {}
}

/// Chain of middleware, in the order of addition.
package struct MiddlewareChain: Sendable {
    private var functions: [Middleware] = []

    package init() {}

    package var isEmpty: Bool { functions.isEmpty }
    package var all: [Middleware] { functions }

    /// Adds a function at the end; one of the same name is replaced in its place.
    package mutating func add(_ middleware: Middleware) {
        if let index = functions.firstIndex(where: { $0.name == middleware.name }) {
            functions[index] = middleware
        } else {
            functions.append(middleware)
        }
    }

    package mutating func remove(_ name: String) {
        functions.removeAll { $0.name == name }
    }

    /// Passes an event through the chain, on the caller's thread.
    package func run(_ draft: inout DraftEvent) -> MiddlewareOutcome {
        var outcome = MiddlewareOutcome()
        for function in functions {
            draft.isChanged = false
            let decision = function.body(&draft)
            if draft.isChanged { outcome.changedBy.append(function.name) }
            if decision == .drop {
                outcome.droppedBy = function.name
                break
            }
        }
        return outcome
    }
}
