import ClickstreamJudges

/// Fields of every event, and of the header of a batch.
enum SharedTables {
    /// Fields of every event. Paths of the clickstream format are those of the whole event.
    static let event = EventTable.rows(
        of: "Fields of every event",
        """
        name; `ea` is a number | event_type | ≠
        identifier, equal in all formats except for screens | event_id | ≠
        time in ms since 1970 | timestamp | ≠
        monotonic time in ms
        number of the session | attributes._session_number
        identifier of the session | attributes._session_id
        start of the session | attributes._session_start_timestamp
        time since the start of the session | attributes._session_duration
        screen; `url` contains its class and its name | attributes._screen_name | ≠
        number of screens before in the session
        connection: -1 offline, 0 unknown, 1 WIFI, 4 mobile | network_type | ≠
        carrier; on a mobile network only | carrier
        orientation: 0 portrait, 1 landscape
        version of the library | sdk_version
        build number of the library
        version of the app | app_version
        variant of the app
        build number of the app
        true if the app was in the background
        navigation path: identifier of a page instance by custom name or class
        false for revenue that the app reports
        constant
        identifiers of the last ten events of the format in the session, oldest first
        class of the last three pages before, oldest first
        their custom names
        their accessibility identifiers
        """
    )

    /// The header of a batch, and the fields of events in the clickstream format with the same value.
    static let header = EventTable.rows(
        of: "Header of a batch",
        """
        project
        identifier of the user | unique_id
        4 phone, 5 tablet: the smaller side has 600 logical pixels or more
        manufacturer, if it is available | make
        model, if it is available | model
        version of the system | os_version
        locale | locale
        time zone
        time of sending
        name of the app | app_title
        type of the library
        variant of the library
        width of the screen in pixels | screen_width
        height of the screen in pixels | screen_height
        pixels per logical pixel
        """
    )

    /// The page of an element.
    static let parent = """
        class of the page | _parent_class
        custom name of the page | _parent_id
        accessibility identifier of the page | _parent_accessibility_id
        """

    /// Data of the app.
    static let data = """
        own property, by its name | plan
        own identifier, by its name | sid
        nearest group | _group
        nearest section | _section
        """

    /// Fields of every event of an element.
    static let element = EventTable.rows(of: "Page and data of an element", parent + "\n" + data)

    static func isOfElement(_ row: EventTable.Row) -> Bool {
        element.contains { $0.meaning == row.meaning }
    }

    /// True for a field of every event.
    /// - Parameter path: without `attributes.`.
    static func contains(_ path: String, in format: CapturedFormat, of name: String) -> Bool {
        if format == .clickstream, name == "_screen_view", path.hasPrefix("_screen_") { return false }
        if path.hasPrefix("sub_sids.") || path == "_screen_unique_id" || path == "_screen_id" { return true }
        if path == "ea" { return false }
        return event.contains { row in
            let shared = row.paths[format] ?? ""
            return shared == path || shared == "attributes." + path
        }
    }
}
