import ClickstreamCapture
import ClickstreamCore

extension EventTable {
    /// All events, in the order of the page.
    static let all = lifecycle + pages + elements + touches + reported

    private static let lifecycle = [
        EventTable(
            title: "App start",
            trigger: "the app is launched",
            name: "_app_start",
            lines: """
                event action
                true for the first start of a process | _is_first_time
                """
        ) { _ in },
        EventTable(
            title: "App show",
            trigger: "the app is launched, or enters the foreground",
            name: "_app_start",
            lines: """
                event action
                true for the first start of a process | _is_first_time
                """
        ) { _ in },
        EventTable(
            title: "App hide",
            trigger: "the app enters the background",
            name: "_app_end",
            lines: "event action"
        ) { $0.client.background() },
    ]

    private static let pages = [
        EventTable(
            title: "Page load",
            trigger: "a page instance is created; once for each",
            types: [.viewController],
            name: "_screen_load",
            lines: """
                class of the page | _element_class
                custom name | _element_id
                constant | _element_type
                title | _element_value
                accessibility identifier | _element_accessibility_id
                """ + "\n" + SharedTables.data
        ) { $0.capture.load(fresh) },
        EventTable(
            title: "Page view",
            trigger: "a page appears; a screen that is repeated in a session is a page view only",
            types: [.viewController],
            name: "_screen_view",
            lines: """
                event action
                class of the page | _screen_name
                custom name
                constant
                title
                number of appearances of the page instance
                accessibility identifier
                milliseconds since the last touch gesture, click or screen
                identifier of the screen | _screen_unique_id
                screen before | _previous_screen_name
                identifier of the screen before | _previous_screen_unique_id
                time of the event before | _previous_timestamp
                1 for the first screen of a session | _entrances
                time on the screen before in ms | _engagement_time_msec
                own property, by its name
                own identifier, by its name
                nearest group
                nearest section
                """
        ) { $0.capture.appear(fresh) },
        EventTable(
            title: "Screen with custom variables",
            trigger: "the app calls `screen(name:id:uniqueID:variables:)`",
            name: "_screen_view",
            lines: """
                event action
                name | _screen_name
                class, part of `url` | _screen_id
                milliseconds since the last touch gesture, click or screen
                variable, by its index and name
                identifier of the screen | _screen_unique_id
                screen before | _previous_screen_name
                identifier of the screen before | _previous_screen_unique_id
                time of the event before | _previous_timestamp
                1 for the first screen of a session | _entrances
                time on the screen before in ms | _engagement_time_msec
                """
        ) { device in
            device.capture.screen(
                name: "Offers",
                id: "OfferViewController",
                variables: [CustomVariable(index: 2, name: "name_1", value: "value_1")]
            )
        },
    ]

    /// A page that was not shown yet.
    private static var fresh: Capture.Page {
        var page = CaptureDevice.detail
        page.id = InstanceID(3)
        page.className = "OfferViewController"
        return page
    }

    private static let elements =
        [
            EventTable(
                title: "Click",
                trigger: "the user activates a control or a cell",
                types: [
                    .buttonClick, .sliderControlClick, .switchControlClick, .stepperControlClick,
                    .segmentedControlClick,
                    .barButtonClick, .tableViewClick, .collectionViewClick,
                ],
                name: "_click",
                lines: element + "\n" + """
                    type of the element | _element_type
                    title or image; `*` if it is masked | _element_value
                    key of the localized title | _element_localized_key
                    """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
            ) { device in
                device.capture.click(
                    device.path("UIButton", .button, .text("Kaufen"), identifier: "buy_button", key: "shop.buy")
                )
            },
            EventTable(
                title: "Click on text input",
                trigger: "the user activates a control with entered text",
                types: [.buttonClick],
                name: "_click",
                lines: element + "\n" + """
                    type of the element | _element_type
                    number of characters; never the text | _element_input_length
                    """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
            ) { device in
                device.capture.click(device.path("SearchField", .button, .input(length: 7), identifier: "buy_button"))
            },
            EventTable(
                title: "Scroll",
                trigger: "200 ms after the last change of a scroll view's offset, or when its page disappears",
                types: [.scroll],
                name: "_scroll",
                lines: element + "\n" + """
                    constant | _element_type
                    distance in logical pixels | _scroll_distance
                    logical pixels per second | _scroll_speed
                    direction in which the content moves | _scroll_direction
                    percentage of the content above the visible end | _scroll_depth
                    offset at the start | _scroll_start_position
                    offset at the end | _scroll_end_position
                    from the first to the last change in ms | _scroll_duration
                    """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
            ) { device in
                let path = device.path("UIScrollView", .scrollView, identifier: "buy_button")
                for offset in [0, 0.5, 36] {
                    device.capture.scroll(
                        path,
                        to: Capture.ScrollPosition(
                            horizontal: .init(offset: 0, visible: 393, content: 393),
                            vertical: .init(offset: offset, visible: 700, content: 2_700)
                        )
                    )
                    await device.wait(offset == 0.5 ? 180 : 0)
                }
                await device.wait(200)
            },
            impressions,
        ] + gestures

    private static let impressions = EventTable(
        title: "Items impression",
        trigger: "a table or collection disappears after items were visible for more than 3 s by more than half",
        types: [.tableViewImpression, .collectionViewImpression],
        name: "_items_impression",
        lines: element + "\n" + """
            type of the items | _element_type
            number of items | _items_count
            identifier of an item; without one its index | items[].id
            other data of an item, by its name | items[].name
            start of the longest period of visibility | items[].timestamp
            its length in seconds | items[].view_time
            data of the list, by its name | shelf
            """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
    ) { device in
        let path = device.path("UITableView", .tableViewCell, identifier: "buy_button")
        let frame = Capture.Frame(x: 0, y: 0, width: 393, height: 50)
        let source = ShelfData()
        device.capture.show(
            VisibleItems(
                viewport: Capture.Frame(x: 0, y: 0, width: 393, height: 700),
                items: [.init(index: 0, frame: frame)]
            ),
            in: path,
            source: source
        )
        await device.wait(4_200)
        device.capture.disappear(CaptureDevice.detail.id)
    }

    /// Data of the items of the list.
    private final class ShelfData: ItemsViewDataSource {
        func eventData() -> Attributes? { ["shelf": "sale"] }
        func itemData(for index: Int) -> Attributes? { ["id": "a531edcc", "name": "item 1"] }
    }

    /// Gestures of recognizers.
    private static let gestures: [EventTable] = [
        gesture("tap", .tap(at: Capture.Point(x: 185, y: 376), fingers: 1), tap),
        gesture("long press", .longPress(at: Capture.Point(x: 185, y: 376), fingers: 1), tap),
        gesture("scale", .scale(from: 100, to: 150), change("scale", unit: "percent")),
        gesture("rotation", .rotate(from: 0, to: -90), change("rotate", unit: "degrees")),
        gesture(
            "movement",
            .move(from: Capture.Point(x: 10, y: 20), to: Capture.Point(x: 41, y: 62)),
            ["start_x", "start_y", "end_x", "end_y", "distance_x", "distance_y"].map { name in
                "\(name.replacing("_", with: " ")) in logical pixels | _gesture_move_\(name)"
            }.joined(separator: "\n")
        ),
    ]

    private static let tap = """
        horizontal position | _gesture_tap_x
        vertical position | _gesture_tap_y
        number of fingers | _gesture_taps_count
        """

    private static func change(_ name: String, unit: String) -> String {
        """
        at the start, in \(unit) | _gesture_\(name)_start
        at the end | _gesture_\(name)_end
        difference | _gesture_\(name)_value
        """
    }

    private static func gesture(_ title: String, _ gesture: RecognizedGesture, _ parameters: String) -> EventTable {
        EventTable(
            title: "Gesture of a recognizer: \(title)",
            trigger: "a recognizer of the toolkit fires",
            types: [.gesture],
            name: "_gesture",
            lines: """
                class of the element | _element_class
                custom name | _element_id
                accessibility identifier | _element_accessibility_id
                type of the gesture | _gesture_type
                """ + "\n" + parameters + "\n" + SharedTables.parent + "\n" + SharedTables.data
        ) { device in
            device.capture.gesture(gesture, on: device.path("UIView", identifier: "buy_button"))
        }
    }

    /// Touch gestures.
    private static let touches = [
        touch("tap", "responsive: the element or an ancestor handles the press | _target_responsive") {
            await $0.touch(0, in: 80)
        },
        touch("long press", "responsive | _target_responsive") { await $0.touch(10, in: 700) },
        touch("drag", swipe) { await $0.touch(60, in: 1_000) }, touch("flick", swipe) { await $0.touch(120, in: 200) },
    ]

    private static let swipe = """
        responsive | _target_responsive
        direction: `up` 1, `down` 2, `left` 3, `right` 4, `complex` 5 | _gesture_direction | ≠
        greatest distance from the start in logical pixels | _gesture_distance
        logical pixels per second | _gesture_velocity
        """

    private static func touch(
        _ title: String,
        _ lines: String,
        perform: @escaping @Sendable (CaptureDevice) async -> Void
    ) -> EventTable {
        EventTable(
            title: "Touch: \(title)",
            trigger: "one finger, from down to up",
            types: [.touch],
            name: "_gesture",
            lines: """
                event action
                class of the gesture | _gesture_type
                duration in ms | _gesture_duration
                path to the target, or its accessibility identifier | _target
                identifier of the target | _target_id
                class of the element | _element_class
                type of the element | _element_type
                custom name | _element_id
                title or image | _element_value
                """ + "\n" + lines + "\n" + SharedTables.parent + "\n" + SharedTables.data,
            perform: perform
        )
    }

    private static let reported = [
        EventTable(
            title: "Transaction",
            trigger: "the app calls `transaction(_:)`",
            name: "_transaction",
            lines: """
                event action
                value | _value
                currency | _currency | ≠
                identifier | _transaction_id
                """
        ) { device in
            guard let euro = Capture.Currency("EUR"),
                let order = Capture.Transaction(value: 20.5, currency: euro, id: "T1")
            else {
                return
            }
            device.capture.transaction(order)
        },
        variable("text", .text("value")),
        variable("integer", .integer(2_344)),
        EventTable(
            title: "Revenue",
            trigger: "the app calls `revenue(_:_:)` with `.purchase`, `.refund` or `.subscription`; "
                + "on Apple platforms also StoreKit",
            name: "revenue_purchase",
            lines: "data of the app, by its name | product"
        ) { $0.capture.revenue(.purchase, properties: ["product": "coins"]) },
    ]

    private static func variable(_ title: String, _ value: DynamicVariable.Value) -> EventTable {
        EventTable(
            title: "Dynamic variable: \(title)",
            trigger: "the app calls `variable(_:)`",
            name: "_variable",
            lines: """
                event action
                key | _variable_key
                value | _variable_value
                """
        ) { $0.capture.variable(DynamicVariable(key: "key", value: value)) }
    }

    /// An element, except for its type and value.
    private static let element = """
        class of the element | _element_class
        custom name | _element_id
        accessibility identifier | _element_accessibility_id
        """
}
