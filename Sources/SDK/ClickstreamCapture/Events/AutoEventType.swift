/// Type of automatic event, to be enabled one by one. None is enabled by default.
public struct AutoEventType: Sendable, Hashable {
    /// The name in configurations and replay scripts, such as `buttonClick`.
    package let name: String
    /// The bit of the type in ``AutoEventTypes``.
    let bit: UInt32

    private init(_ name: String, _ index: UInt32) {
        self.name = name
        bit = 1 << index
    }

    /// `page_load` and `page_view`.
    public static let viewController = AutoEventType("viewController", 0)
    /// `click` of a button.
    public static let buttonClick = AutoEventType("buttonClick", 1)
    /// `click` of a slider.
    public static let sliderControlClick = AutoEventType("sliderControlClick", 2)
    /// `click` of a switch.
    public static let switchControlClick = AutoEventType("switchControlClick", 3)
    /// `click` of a stepper.
    public static let stepperControlClick = AutoEventType("stepperControlClick", 4)
    /// `click` of a segment.
    public static let segmentedControlClick = AutoEventType("segmentedControlClick", 5)
    /// `click` of a button in a bar.
    public static let barButtonClick = AutoEventType("barButtonClick", 6)
    /// `click` of a row of a table.
    public static let tableViewClick = AutoEventType("tableViewClick", 7)
    /// `click` of an item of a collection.
    public static let collectionViewClick = AutoEventType("collectionViewClick", 8)
    /// `items_impression` of a table.
    public static let tableViewImpression = AutoEventType("tableViewImpression", 9)
    /// `items_impression` of a collection.
    public static let collectionViewImpression = AutoEventType("collectionViewImpression", 10)
    /// `scroll` of a scroll view.
    public static let scroll = AutoEventType("scroll", 11)
    /// Gestures that a recognizer of the toolkit reports.
    public static let gesture = AutoEventType("gesture", 12)
    /// Taps, long presses, drags and flicks anywhere on a page.
    public static let touch = AutoEventType("touch", 13)

    /// Every type.
    public static let all: [AutoEventType] = [
        .viewController, .buttonClick, .sliderControlClick, .switchControlClick, .stepperControlClick,
        .segmentedControlClick, .barButtonClick, .tableViewClick, .collectionViewClick, .tableViewImpression,
        .collectionViewImpression, .scroll, .gesture, .touch,
    ]

    /// Returns the type with that ``name``; the spelling must match exactly.
    static func named(_ name: String) -> AutoEventType? {
        all.first { $0.name == name }
    }
}

/// Set of enabled auto-event types.
struct AutoEventTypes: Sendable, Equatable {
    private var bits: UInt32 = 0

    /// Enables a type; a type is never disabled again.
    mutating func enable(_ type: AutoEventType) {
        bits |= type.bit
    }

    func contains(_ type: AutoEventType) -> Bool {
        bits & type.bit != 0
    }
}
