extension Capture {
    /// Element of a page as a toolkit reports it: a view, a control, a cell.
    public struct Element: Sendable, Equatable {
        /// The identity of the element while it exists.
        public var id: InstanceID
        package var className: String
        /// The element type that selects the auto event; `nil` for elements without auto events.
        package var type: ElementType?
        package var content: Content
        package var localizedKey: String?
        package var accessibilityID: String?
        package var restorationID: String?
        package var tag: Int?
        package var frame: Frame
        package var responds: Bool
        /// True for elements whose content must never be captured, such as password fields.
        package var isSecure: Bool
        /// The extent to which values are replaced by `*`.
        package var masking: Masking
        /// The decision for this instance, from its own setting or its data source; `nil` applies that of its class.
        package var optBehavior: OptBehavior?
        package var data: AutoTrackableEventData
        package var children: [Element]

        /// Content of an element.
        public enum Content: Sendable, Hashable {
            case none
            /// A title, label or image name.
            case text(String)
            /// Entered text, of which only the number of characters is captured.
            case input(length: Int)
        }

        /// Creates a description; texts that are not given are absent.
        /// - Parameters:
        ///   - id: the identity of the element while it exists. Scrolls and visible items need it.
        ///   - className: the class name, such as `UIButton`.
        ///   - type: the element type that selects the auto event; `nil` for elements without auto events.
        ///   - content: the displayed text, or the length of entered text.
        ///   - localizedKey: the key of the text in the table of localized strings, if the adapter has it.
        ///   - accessibilityID: the identifier for assistive technologies.
        ///   - restorationID: the identifier for the restoration of the state.
        ///   - tag: the number that the app assigned.
        ///   - frame: the rectangle in the window, for hit tests.
        ///   - responds: true if the element handles a press.
        ///   - isSecure: true for elements whose content must never be captured, such as password fields.
        ///   - masking: the extent to which values are replaced by `*`.
        ///   - optBehavior: the decision for this instance; `nil` applies that of its class.
        ///   - data: additional data of the app.
        ///   - children: the elements inside, in drawing order: later ones cover earlier ones.
        public init(
            id: InstanceID = InstanceID(0),
            className: String,
            type: ElementType? = nil,
            content: Content = .none,
            localizedKey: String? = nil,
            accessibilityID: String? = nil,
            restorationID: String? = nil,
            tag: Int? = nil,
            frame: Frame = Frame(x: 0, y: 0, width: 0, height: 0),
            responds: Bool = false,
            isSecure: Bool = false,
            masking: Masking = .none,
            optBehavior: OptBehavior? = nil,
            data: AutoTrackableEventData = AutoTrackableEventData(),
            children: [Element] = []
        ) {
            self.id = id
            self.className = className
            self.type = type
            self.content = content
            self.localizedKey = localizedKey
            self.accessibilityID = accessibilityID
            self.restorationID = restorationID
            self.tag = tag
            self.frame = frame
            self.responds = responds
            self.isSecure = isSecure
            self.masking = masking
            self.optBehavior = optBehavior
            self.data = data
            self.children = children
        }
    }

    /// Type of an element, in the terms of the event format.
    public enum ElementType: String, Sendable, Hashable, CaseIterable {
        case button
        case toggle
        case slider
        case stepper
        case segment
        case barButton = "bar_button"
        case collectionViewCell = "collection_view_cell"
        case tableViewCell = "table_view_cell"
        case scrollView = "scroll_view"
        case controller

        /// The auto event of a click on such an element; `nil` if a click on it is no event.
        package var click: AutoEventType? {
            switch self {
            case .button: .buttonClick
            case .toggle: .switchControlClick
            case .slider: .sliderControlClick
            case .stepper: .stepperControlClick
            case .segment: .segmentedControlClick
            case .barButton: .barButtonClick
            case .collectionViewCell: .collectionViewClick
            case .tableViewCell: .tableViewClick
            case .scrollView, .controller: nil
            }
        }

        /// The auto event of visible items in such an element; `nil` if it contains no items.
        package var impression: AutoEventType? {
            switch self {
            case .collectionViewCell: .collectionViewImpression
            case .tableViewCell: .tableViewImpression
            default: nil
            }
        }
    }
}
