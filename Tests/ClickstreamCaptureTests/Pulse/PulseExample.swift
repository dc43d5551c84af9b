import ClickstreamCapture
import ClickstreamCore
import Testing

/// Example of document 003 with the event that was captured, and the differences between the document and the contract.
struct PulseExample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var content: @Sendable (JSONValue) throws -> CapturedEvent.Content
    var element: CapturedElement
    var parent: PageReference?
    var sources: [PageReference] = []
    /// The navigation path: keys by the contract, and those of the example, if it has the entry.
    var path: [(key: String, example: String?)]
    /// The paths of objects and arrays whose order differs.
    var reordered: Set<String> = []

    /// The example, without commas after last members, which JSON does not allow.
    func json() throws -> JSONValue {
        try JSONReader.parse(Array(text.replacing(",\n}", with: "\n}").utf8))
    }

    /// The event as captured: identifiers and times of the example, everything else from the properties above.
    func event() throws -> CapturedEvent {
        let json = try json()
        let entries = try path.map { key, example in
            let id = try example.map { try UniqueID(#require(json["sub_sids"]?[$0]?.string)) }
            return PageContext.Entry(key: key, id: id ?? Self.missing)
        }
        return CapturedEvent(
            id: try UniqueID(#require(json["event_id"]?.string)),
            time: Moment(wall: Timestamp(milliseconds: try #require(json["timestamp"]?.integer)), steady: 0),
            isInBackground: false,
            content: try content(json),
            element: element,
            parent: parent,
            context: PageContext(sources: sources, path: entries),
            group: nil,
            section: nil,
            properties: [:],
            ids: [:]
        )
    }

    /// The identifiers of the events before the example.
    func previousEvents() throws -> [UniqueID] {
        let previous = try #require(json()["data"]?["previous_events"]?.array)
        return try previous.map { try UniqueID(#require($0.string)) }
    }

    /// The scalars of the example with the keys of the contract.
    func expected() throws -> [String: JSONValue] {
        var scalars = JSONOutline(try json()).scalars
        let examples = scalars
        for case (_, let example?) in path { scalars["sub_sids.\(example)"] = nil }
        for (key, example) in path {
            let value = try example.map { try #require(examples["sub_sids.\($0)"]) }
            scalars["sub_sids.\(key)"] = value ?? JSONValue(.string(Self.missing.description))
        }
        return scalars
    }

    /// The instance of a page that the example does not list.
    private static let missing = UniqueID(high: 1, low: 2)
}

extension UniqueID {
    /// Creates an identifier from the text of a UUID.
    init(_ text: String) throws {
        let digits = text.replacing("-", with: "")
        try #require(digits.count == 32)
        self.init(
            high: try #require(UInt64(digits.prefix(16), radix: 16)),
            low: try #require(UInt64(digits.suffix(16), radix: 16))
        )
    }
}

extension PulseExample {
    private static let home = PageReference(className: "PAHomeViewController", name: "Home")
    private static let detail = PageReference(className: "PADetailViewController", name: "Detail")
    private static let profile = PageReference(className: "PAProfileViewController", name: "Profile")
    private static let collection = PageReference(className: "PASimpleCollectionViewController")

    private static func page(_ page: PageReference) -> CapturedElement {
        CapturedElement(className: page.className, type: .controller, name: page.name)
    }

    /// The table of differences: where the key in `path` is another one than in the example, or new, and `reordered`.
    static let all = [
        PulseExample(
            testDescription: "page_load",
            text: PulseExamples.pageLoad,
            content: { _ in .pageLoad },
            element: page(detail),
            sources: [home],
            path: [("Home", "PAHomeViewController")]
        ),
        PulseExample(
            testDescription: "page_view",
            text: PulseExamples.pageView,
            content: { _ in .pageView(sequence: 2) },
            element: page(profile),
            sources: [home, detail],
            path: [("Home", "PAHomeViewController"), ("Detail", "PADetailViewController"), ("Profile", nil)],
            reordered: ["data.metadata"]
        ),
        PulseExample(
            testDescription: "click",
            text: PulseExamples.click,
            content: { _ in .click },
            element: CapturedElement(
                className: "UIButton",
                type: .button,
                value: "Speichern",
                localizedKey: "universal.save"
            ),
            parent: PageReference(className: "PAHomeViewController"),
            path: [("PAHomeViewController", "PAHomeViewController")],
            reordered: ["data.metadata"]
        ),
        PulseExample(
            testDescription: "items_impression",
            text: PulseExamples.impressions,
            content: { try .impressions(items($0), data: [:]) },
            element: CapturedElement(className: "UICollectionView", type: .collectionViewCell),
            parent: collection,
            sources: [home, collection],
            path: [
                ("Home", "PAHomeViewController"),
                ("PASimpleCollectionViewController", "PASimpleCollectionViewController"),
            ],
            // All items but one have another order of keys, which is random in the example.
            reordered: [
                "data.params", "data.params.83204de9", "data.params.1b050eac", "data.params.6cc0d7ff",
                "data.params.a531edcc", "data.params.b546f395", "data.params.077fd072", "data.params.fd6426c3",
            ]
        ),
        PulseExample(
            testDescription: "scroll",
            text: PulseExamples.scroll,
            content: { _ in
                .scroll(Scroll(distance: 36, speed: 73, direction: .up, depth: 27, start: 0, end: 36, duration: 487))
            },
            element: CapturedElement(className: "UIScrollView", type: .scrollView),
            parent: home,
            path: [("Home", "PAHomeViewController")],
            reordered: ["data.metadata"]
        ),
        PulseExample(
            testDescription: "gesture",
            text: PulseExamples.gesture,
            content: { _ in .gesture(.tap(x: 185, y: 376, fingers: 1)) },
            element: CapturedElement(className: "UIView"),
            parent: PageReference(className: "PASettingsViewController", name: "Settings"),
            sources: [home, profile],
            path: [("Home", "PAHomeViewController"), ("Settings", "settings")],
            reordered: ["data.metadata", "data.sources_info.Home", "data.parent_info"]
        ),
    ]

    /// The items by their index, which is part of their name; the example lists them in random order.
    private static func items(_ json: JSONValue) throws -> [ItemImpression] {
        let params = try #require(json["data"]?["params"]?.array)
        let items = try params.map { item in
            let name = try #require(item["name"]?.string)
            let id = try #require(item["id"]?.string)
            return ItemImpression(
                index: try #require(name.split(separator: " ").last.flatMap { Int($0) }),
                start: Timestamp(milliseconds: try #require(item["timestamp"]?.integer)),
                viewTime: 4,
                data: ["id": id, "name": name]
            )
        }
        return items.sorted { $0.index < $1.index }
    }
}
