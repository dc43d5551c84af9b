/// Page as a toolkit reports it: a view controller, a page of a stack.
public struct Page: Sendable, Equatable {
    public var id: InstanceID
    public var className: String
    public var title: String?
    public var accessibilityID: String?
    /// True for navigation, tab, page and split containers, which are not pages.
    public var isContainer: Bool
    /// True if all elements of the page, and its title, are masked.
    public var isMasked: Bool
    public var optBehavior: OptBehavior?
    /// Additional data; its name is the page's custom id.
    public var data: AutoTrackableEventData

    public init(
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
