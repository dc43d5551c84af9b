import ClickstreamCapture
import ClickstreamCore

extension EventTable {
    /// All events, in the order of the page.
    static let all = lifecycle + pages + elements + touches + reported

    private static let lifecycle = [
        EventTable(
            title: "App start",
            trigger: "the app is launched",
            names: [.clickstream: "_app_start", .contentsquare: "0"],
            lines: """
                event action | | | ea
                true for the first start of a process | _is_first_time | |
                """
        ) { _ in },
        EventTable(
            title: "App show",
            trigger: "the app is launched, or enters the foreground",
            names: [.clickstream: "_app_start", .contentsquare: "1"],
            lines: """
                event action | | | ea
                true for the first start of a process | _is_first_time | |
                """
        ) { _ in },
        EventTable(
            title: "App hide",
            trigger: "the app enters the background",
            names: [.clickstream: "_app_end", .contentsquare: "2"],
            lines: "event action | | | ea"
        ) { $0.client.background() },
    ]

    private static let pages = [
        EventTable(
            title: "Page load",
            trigger: "a page instance is created; once for each",
            types: [.viewController],
            names: [.clickstream: "_screen_load", .pulse: "page_load"],
            lines: """
                class of the page | _element_class | data.element.class |
                custom name | _element_id | data.element.id |
                constant | _element_type | data.element.type |
                title | _element_value | data.element.value |
                accessibility identifier | _element_accessibility_id | data.element.accessibility_id |
                """ + "\n" + SharedTables.data
        ) { $0.capture.load(fresh) },
        EventTable(
            title: "Page view",
            trigger: "a page appears; a screen that is repeated in a session is a page view only",
            types: [.viewController],
            names: [.clickstream: "_screen_view", .pulse: "page_view", .contentsquare: "4"],
            lines: """
                event action | | | ea
                class of the page | _screen_name | data.element.class | st
                custom name | | data.element.id |
                constant | | data.element.type |
                title | | data.element.value |
                number of appearances of the page instance | | data.element.sequence |
                accessibility identifier | | data.element.accessibility_id |
                milliseconds since the last touch gesture, click or screen | | | sl
                identifier of the screen | _screen_unique_id | |
                screen before | _previous_screen_name | |
                identifier of the screen before | _previous_screen_unique_id | |
                time of the event before | _previous_timestamp | |
                1 for the first screen of a session | _entrances | |
                time on the screen before in ms | _engagement_time_msec | |
                own property, by its name | | data.additional_properties.plan |
                own identifier, by its name | | data.additional_ids.sid |
                nearest group | | data.group |
                nearest section | | data.section |
                """
        ) { $0.capture.appear(fresh) },
        EventTable(
            title: "Screen with custom variables",
            trigger: "the app calls `screen(name:id:uniqueID:variables:)`",
            names: [.clickstream: "_screen_view", .contentsquare: "4"],
            lines: """
                event action | | | ea
                name | _screen_name | | st
                class, part of `url` | _screen_id | |
                milliseconds since the last touch gesture, click or screen | | | sl
                variable, by its index and name | | | cv.2.name_1
                identifier of the screen | _screen_unique_id | |
                screen before | _previous_screen_name | |
                identifier of the screen before | _previous_screen_unique_id | |
                time of the event before | _previous_timestamp | |
                1 for the first screen of a session | _entrances | |
                time on the screen before in ms | _engagement_time_msec | |
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
    private static var fresh: Page {
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
                names: [.clickstream: "_click", .pulse: "click"],
                lines: element + "\n" + """
                    type of the element | _element_type | data.element.type |
                    title or image; `*` if it is masked | _element_value | data.element.value |
                    key of the localized title | _element_localized_key | data.element.localized_key |
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
                names: [.clickstream: "_click", .pulse: "click"],
                lines: element + "\n" + """
                    type of the element | _element_type | data.element.type |
                    number of characters; never the text | _element_input_length | |
                    """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
            ) { device in
                device.capture.click(device.path("SearchField", .button, .input(length: 7), identifier: "buy_button"))
            },
            EventTable(
                title: "Scroll",
                trigger: "200 ms after the last change of a scroll view's offset, or when its page disappears",
                types: [.scroll],
                names: [.clickstream: "_scroll", .pulse: "scroll"],
                lines: element + "\n" + """
                    constant | _element_type | data.element.type |
                    distance in logical pixels | _scroll_distance | data.scroll_info.distance |
                    logical pixels per second | _scroll_speed | data.scroll_info.speed |
                    direction in which the content moves | _scroll_direction | data.scroll_info.direction |
                    percentage of the content above the visible end | _scroll_depth | data.scroll_info.scroll_depth |
                    offset at the start | _scroll_start_position | data.scroll_info.start_position |
                    offset at the end | _scroll_end_position | data.scroll_info.end_position |
                    from the first to the last change in ms | _scroll_duration | data.scroll_info.duration |
                    """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
            ) { device in
                let path = device.path("UIScrollView", .scrollView, identifier: "buy_button")
                for offset in [0, 0.5, 36] {
                    device.capture.scroll(
                        path,
                        to: ScrollPosition(
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
        names: [.clickstream: "_items_impression", .pulse: "items_impression"],
        lines: element + "\n" + """
            type of the items | _element_type | data.element.type |
            number of items | _items_count | data.items_count |
            identifier of an item; without one its index | items[].id | data.params[].id |
            other data of an item, by its name | items[].name | data.params[].name |
            start of the longest period of visibility | items[].timestamp | data.params[].timestamp |
            its length in seconds | items[].view_time | data.params[].view_time |
            data of the list, by its name | shelf | data.shelf |
            """ + "\n" + SharedTables.parent + "\n" + SharedTables.data
    ) { device in
        let path = device.path("UITableView", .tableViewCell, identifier: "buy_button")
        let frame = Frame(x: 0, y: 0, width: 393, height: 50)
        let source = ShelfData()
        device.capture.show(
            VisibleItems(viewport: Frame(x: 0, y: 0, width: 393, height: 700), items: [.init(index: 0, frame: frame)]),
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
        gesture("tap", .tap(at: Point(x: 185, y: 376), fingers: 1), tap),
        gesture("long press", .longPress(at: Point(x: 185, y: 376), fingers: 1), tap),
        gesture("scale", .scale(from: 100, to: 150), change("scale", unit: "percent")),
        gesture("rotation", .rotate(from: 0, to: -90), change("rotate", unit: "degrees")),
        gesture(
            "movement",
            .move(from: Point(x: 10, y: 20), to: Point(x: 41, y: 62)),
            ["start_x", "start_y", "end_x", "end_y", "distance_x", "distance_y"].map { name in
                "\(name.split(separator: "_").joined(separator: " ")) in logical pixels | _gesture_move_\(name) | data.gesture_params.move_\(name) |"
            }.joined(separator: "\n")
        ),
    ]

    private static let tap = """
        horizontal position | _gesture_tap_x | data.gesture_params.tap_x |
        vertical position | _gesture_tap_y | data.gesture_params.tap_y |
        number of fingers | _gesture_taps_count | data.gesture_params.taps_count |
        """

    private static func change(_ name: String, unit: String) -> String {
        """
        at the start, in \(unit) | _gesture_\(name)_start | data.gesture_params.\(name)_start |
        at the end | _gesture_\(name)_end | data.gesture_params.\(name)_end |
        difference | _gesture_\(name)_value | data.gesture_params.\(name)_value |
        """
    }

    private static func gesture(_ title: String, _ gesture: RecognizedGesture, _ parameters: String) -> EventTable {
        EventTable(
            title: "Gesture of a recognizer: \(title)",
            trigger: "a recognizer of the toolkit fires",
            types: [.gesture],
            names: [.clickstream: "_gesture", .pulse: "gesture"],
            lines: """
                class of the element | _element_class | data.target_info.class |
                custom name | _element_id | data.target_info.id |
                accessibility identifier | _element_accessibility_id | data.target_info.accessibility_id |
                type of the gesture | _gesture_type | data.gesture_params.type |
                """ + "\n" + parameters + "\n" + SharedTables.parent + "\n" + SharedTables.data
        ) { device in
            device.capture.gesture(gesture, on: device.path("UIView", identifier: "buy_button"))
        }
    }

    /// Touch gestures.
    private static let touches = [
        touch("tap", action: 6, "responsive: the element or an ancestor handles the press | _target_responsive | | ur")
        {
            await $0.touch(0, in: 80)
        },
        touch("long press", action: 8, "responsive | _target_responsive | |") { await $0.touch(10, in: 700) },
        touch("drag", action: 9, swipe) { await $0.touch(60, in: 1_000) },
        touch("flick", action: 10, swipe) { await $0.touch(120, in: 200) },
    ]

    private static let swipe = """
        responsive | _target_responsive | |
        direction: `up` 1, `down` 2, `left` 3, `right` 4, `complex` 5 | _gesture_direction | | fd | ≠
        greatest distance from the start in logical pixels | _gesture_distance | | tvd
        logical pixels per second | _gesture_velocity | | tvv
        """

    private static func touch(
        _ title: String,
        action: Int,
        _ lines: String,
        perform: @escaping @Sendable (CaptureDevice) async -> Void
    ) -> EventTable {
        EventTable(
            title: "Touch: \(title)",
            trigger: "one finger, from down to up",
            types: [.touch],
            names: [.clickstream: "_gesture", .contentsquare: String(action)],
            lines: """
                event action | | | ea
                class of the gesture | _gesture_type | |
                duration in ms | _gesture_duration | |
                path to the target, or its accessibility identifier | _target | | tvp
                identifier of the target | _target_id | | tvid
                class of the element | _element_class | |
                type of the element | _element_type | |
                custom name | _element_id | |
                title or image | _element_value | |
                """ + "\n" + lines + "\n" + clickstream(SharedTables.parent + "\n" + SharedTables.data),
            perform: perform
        )
    }

    private static let reported = [
        EventTable(
            title: "Transaction",
            trigger: "the app calls `transaction(_:)`",
            names: [.clickstream: "_transaction", .contentsquare: "16"],
            lines: """
                event action | | | ea
                value | _value | | tr.vl
                currency | _currency | | tr.cu | ≠
                identifier | _transaction_id | | tr.id
                """
        ) { device in
            guard let euro = Currency("EUR"), let order = Transaction(value: 20.5, currency: euro, id: "T1") else {
                return
            }
            device.capture.transaction(order)
        },
        variable("text", action: 18, .text("value")),
        variable("integer", action: 19, .integer(2_344)),
        EventTable(
            title: "Revenue",
            trigger: "the app calls `revenue(_:_:)` with `.purchase`, `.refund` or `.subscription`; "
                + "on Apple platforms also StoreKit",
            names: [.clickstream: "revenue_purchase", .pulse: "revenue_purchase"],
            lines: "data of the app, by its name | product | data.additional_properties.product |"
        ) { $0.capture.revenue(.purchase, ["product": "coins"]) },
    ]

    private static func variable(_ title: String, action: Int, _ value: DynamicVariable.Value) -> EventTable {
        EventTable(
            title: "Dynamic variable: \(title)",
            trigger: "the app calls `variable(_:)`",
            names: [.clickstream: "_variable", .contentsquare: String(action)],
            lines: """
                event action | | | ea
                key | _variable_key | | k
                value | _variable_value | | v
                """
        ) { $0.capture.variable(DynamicVariable(key: "key", value: value)) }
    }

    /// An element, except for its type and value.
    private static let element = """
        class of the element | _element_class | |
        custom name | _element_id | data.element.id |
        accessibility identifier | _element_accessibility_id | data.element.accessibility_id |
        """

    /// Lines with their first path only.
    private static func clickstream(_ lines: String) -> String {
        lines.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).prefix(2).joined(separator: "|") + "| |"
        }.joined(separator: "\n")
    }
}
