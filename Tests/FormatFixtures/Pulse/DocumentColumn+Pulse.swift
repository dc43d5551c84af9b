extension DocumentColumn {
    static let pulse = DocumentColumn(heading: "pulse", shared + pages + elements + gestures + revenue)

    private static let shared = [
        Section(
            "Fields of every event",
            """
            name; `ea` is a number | event_type
            identifier, equal in all formats except for screens | event_id
            time in ms since 1970 | timestamp
            connection: -1 offline, 0 unknown, 1 WIFI, 4 mobile | data.connection_type
            true if the app was in the background | is_background
            navigation path: identifier of a page instance by custom name or class | sub_sids.Home
            false for revenue that the app reports | data.metadata.auto_generated
            constant | data.metadata.event_id_source
            identifiers of the last ten events of the format in the session, oldest first | data.previous_events[]
            class of the last three pages before, oldest first | data.sources_info[].class
            their custom names | data.sources_info[].id
            their accessibility identifiers | data.sources_info[].accessibility_id
            """
        ),
        Section("Page and data of an element", owner),
    ]

    /// Data of the app.
    private static let data = """
        own property, by its name | data.additional_properties.plan
        own identifier, by its name | data.additional_ids.sid
        nearest group | data.group
        nearest section | data.section
        """

    /// The page of an element, and data of the app.
    private static let owner =
        """
        class of the page | data.parent_info.class
        custom name of the page | data.parent_info.id
        accessibility identifier of the page | data.parent_info.accessibility_id

        """ + data

    private static let page = """
        class of the page | data.element.class
        custom name | data.element.id
        constant | data.element.type
        title | data.element.value
        accessibility identifier | data.element.accessibility_id

        """

    private static let pages = [
        Section("Page load", event: "page_load", page + data),
        Section(
            "Page view",
            event: "page_view",
            page + "number of appearances of the page instance | data.element.sequence\n" + data
        ),
    ]

    private static let elements = [
        element(
            "Click",
            "click",
            """
            type of the element | data.element.type
            title or image; `*` if it is masked | data.element.value
            key of the localized title | data.element.localized_key
            """
        ),
        element("Click on text input", "click", "type of the element | data.element.type"),
        element(
            "Scroll",
            "scroll",
            """
            constant | data.element.type
            distance in logical pixels | data.scroll_info.distance
            logical pixels per second | data.scroll_info.speed
            direction in which the content moves | data.scroll_info.direction
            percentage of the content above the visible end | data.scroll_info.scroll_depth
            offset at the start | data.scroll_info.start_position
            offset at the end | data.scroll_info.end_position
            from the first to the last change in ms | data.scroll_info.duration
            """
        ),
        element(
            "Items impression",
            "items_impression",
            """
            type of the items | data.element.type
            number of items | data.items_count
            identifier of an item; without one its index | data.params[].id
            other data of an item, by its name | data.params[].name
            start of the longest period of visibility | data.params[].timestamp
            its length in seconds | data.params[].view_time
            data of the list, by its name | data.shelf
            """
        ),
    ]

    private static func element(_ title: String, _ name: String, _ lines: String) -> Section {
        let element = """
            custom name | data.element.id
            accessibility identifier | data.element.accessibility_id

            """
        return Section(title, event: name, element + lines + "\n" + owner)
    }

    private static let gestures = [
        gesture("tap", tap), gesture("long press", tap), gesture("scale", change("scale", unit: "percent")),
        gesture("rotation", change("rotate", unit: "degrees")),
        gesture(
            "movement",
            ["start_x", "start_y", "end_x", "end_y", "distance_x", "distance_y"].map { name in
                "\(name.replacing("_", with: " ")) in logical pixels | data.gesture_params.move_\(name)"
            }.joined(separator: "\n")
        ),
    ]

    private static let tap = """
        horizontal position | data.gesture_params.tap_x
        vertical position | data.gesture_params.tap_y
        number of fingers | data.gesture_params.taps_count
        """

    private static func change(_ name: String, unit: String) -> String {
        """
        at the start, in \(unit) | data.gesture_params.\(name)_start
        at the end | data.gesture_params.\(name)_end
        difference | data.gesture_params.\(name)_value
        """
    }

    private static func gesture(_ title: String, _ parameters: String) -> Section {
        let target = """
            class of the element | data.target_info.class
            custom name | data.target_info.id
            accessibility identifier | data.target_info.accessibility_id
            type of the gesture | data.gesture_params.type

            """
        return Section("Gesture of a recognizer: \(title)", event: "gesture", target + parameters + "\n" + owner)
    }

    private static let revenue = [
        Section(
            "Revenue",
            event: "revenue_purchase",
            "data of the app, by its name | data.additional_properties.product"
        )
    ]
}
