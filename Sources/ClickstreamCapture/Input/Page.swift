/// Page as a toolkit reports it: a view controller, a page of a stack.
package struct Page: Sendable, Equatable {
    package var id: InstanceID
    package var className: String
    package var title: String?
    package var accessibilityID: String?
    /// True for navigation, tab, page and split containers, which are not pages.
    package var isContainer: Bool
    /// True if all elements of the page, and its title, are masked.
    package var isMasked: Bool
    package var optBehavior: OptBehavior?
    /// Additional data; its name is the page's custom id.
    package var data: AutoTrackableEventData

    package init(
        id: InstanceID,
        className: String,
        title: String? = nil,
        accessibilityID: String? = nil,
        isContainer: Bool = false,
        isMasked: Bool = false,
        optBehavior: OptBehavior? = nil,
        data: AutoTrackableEventData = AutoTrackableEventData()
    ) {
        self.id = id
        self.className = className
        self.title = title
        self.accessibilityID = accessibilityID
        self.isContainer = isContainer
        self.isMasked = isMasked
        self.optBehavior = optBehavior
        self.data = data
    }
}
