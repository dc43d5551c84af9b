extension Capture {
    /// Page as a toolkit reports it: a view controller, a page of a stack.
    public struct Page: Sendable, Equatable {
        /// The identity of the page while it exists.
        public var id: InstanceID
        package var className: String
        package var title: String?
        package var accessibilityID: String?
        package var isContainer: Bool
        /// True if all elements of the page, and its title, are masked.
        package var isMasked: Bool
        /// The decision for this page, from its own setting or its data source; `nil` applies that of its class.
        package var optBehavior: OptBehavior?
        package var data: AutoTrackableEventData

        /// Creates a description; texts that are not given are absent.
        /// - Parameters:
        ///   - id: the identity of the page while it exists.
        ///   - className: the class name, such as `HomeViewController`.
        ///   - title: the displayed title.
        ///   - accessibilityID: the identifier for assistive technologies.
        ///   - isContainer: true for navigation, tab, page and split containers, which are not pages.
        ///   - isMasked: true if all elements of the page, and its title, are masked.
        ///   - optBehavior: the decision for this page; `nil` applies that of its class.
        ///   - data: additional data; its name is the page's custom id.
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
}
