package import ClickstreamCore

/// Automatic event, classified once, before it is encoded in any wire format.
package struct CapturedEvent: Sendable, Equatable {
    package var id: UniqueID
    package var time: Moment
    /// True if the app was in the background.
    package var isInBackground: Bool
    package var content: Content
    /// `nil` for a touch that hits no element.
    package var element: CapturedElement?
    /// The page of the element; `nil` for events of pages, and outside of pages.
    package var parent: PageReference?
    package var context: PageContext
    package var group: String?
    package var section: String?
    package var properties: Attributes
    package var ids: Attributes

    package enum Content: Sendable, Equatable {
        case pageLoad
        /// - sequence: the number of appearances of this page instance, this one included.
        case pageView(sequence: Int)
        case click
        case touch(TouchGesture, Target)
        case scroll(Scroll)
        case gesture(GestureParameters)
        /// - data: the container's data for the event.
        case impressions([ItemImpression], data: Attributes)
    }

    package init(
        id: UniqueID,
        time: Moment,
        isInBackground: Bool,
        content: Content,
        element: CapturedElement?,
        parent: PageReference?,
        context: PageContext,
        group: String?,
        section: String?,
        properties: Attributes,
        ids: Attributes
    ) {
        self.id = id
        self.time = time
        self.isInBackground = isInBackground
        self.content = content
        self.element = element
        self.parent = parent
        self.context = context
        self.group = group
        self.section = section
        self.properties = properties
        self.ids = ids
    }
}

/// Description of the element of a captured event.
package struct CapturedElement: Sendable, Equatable {
    package var className: String
    package var type: Capture.ElementType?
    package var name: String?
    /// The text, `*` if it is masked, `nil` if it must not be captured.
    package var value: String?
    /// The number of characters of entered text.
    package var inputLength: Int?
    package var localizedKey: String?
    package var accessibilityID: String?

    package init(
        className: String,
        type: Capture.ElementType? = nil,
        name: String? = nil,
        value: String? = nil,
        inputLength: Int? = nil,
        localizedKey: String? = nil,
        accessibilityID: String? = nil
    ) {
        self.className = className
        self.type = type
        self.name = name
        self.value = value
        self.inputLength = inputLength
        self.localizedKey = localizedKey
        self.accessibilityID = accessibilityID
    }
}

/// Identification of a page in events of other pages and elements.
package struct PageReference: Sendable, Hashable {
    package var className: String
    package var name: String?
    package var accessibilityID: String?

    package init(className: String, name: String? = nil, accessibilityID: String? = nil) {
        self.className = className
        self.name = name
        self.accessibilityID = accessibilityID
    }
}

/// Pages before an event, and the navigation path to it.
package struct PageContext: Sendable, Equatable {
    /// The last pages before the event's own page, oldest first, at most three.
    package var sources: [PageReference]
    /// One entry per page instance, the root first.
    package var path: [Entry]

    /// Page instance on the navigation path.
    package struct Entry: Sendable, Hashable {
        /// The custom id of the page, or its class.
        package var key: String
        /// The identifier of the instance, created once.
        package var id: UniqueID

        package init(key: String, id: UniqueID) {
            self.key = key
            self.id = id
        }
    }

    package init(sources: [PageReference] = [], path: [Entry] = []) {
        self.sources = sources
        self.path = path
    }
}
