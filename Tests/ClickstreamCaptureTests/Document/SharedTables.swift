/// Fields of every event, and of the header of a batch.
enum SharedTables {
    /// Fields of every event. Paths of the clickstream format are those of the whole event.
    static let event = EventTable.rows(
        """
        name; `ea` is a number | event_type | event_type | ea | ≠
        identifier, equal in all formats except for screens | event_id | event_id | euid | ≠
        time in ms since 1970 | timestamp | timestamp | t | ≠
        monotonic time in ms | | | upt
        number of the session | attributes._session_number | | sn
        identifier of the session | attributes._session_id | |
        start of the session | attributes._session_start_timestamp | |
        time since the start of the session | attributes._session_duration | |
        screen; `url` contains its class and its name | attributes._screen_name | | url | ≠
        number of screens before in the session | | | scn
        connection: -1 offline, 0 unknown, 1 WIFI, 4 mobile | network_type | data.connection_type | c | ≠
        carrier; on a mobile network only | carrier | | ci
        orientation: 0 portrait, 1 landscape | | | o
        version of the library | sdk_version | | vo.sv
        build number of the library | | | vo.sb
        version of the app | app_version | | vo.av
        variant of the app | | | vo.af
        build number of the app | | | vo.ab
        true if the app was in the background | | is_background |
        navigation path: identifier of a page instance by custom name or class | | sub_sids.Home |
        false for revenue that the app reports | | data.metadata.auto_generated |
        constant | | data.metadata.event_id_source |
        identifiers of the last ten events of the format in the session, oldest first | | data.previous_events[] |
        class of the last three pages before, oldest first | | data.sources_info[].class |
        their custom names | | data.sources_info[].id |
        their accessibility identifiers | | data.sources_info[].accessibility_id |
        """
    )

    /// The header of a batch in the Contentsquare format, and the fields of events in the clickstream format with the
    /// same value.
    static let header = EventTable.rows(
        """
        project | | | pid
        identifier of the user | unique_id | | uid
        4 phone, 5 tablet: the smaller side has 600 logical pixels or more | | | dt
        manufacturer, if it is available | make | | dma
        model, if it is available | model | | dmo
        version of the system | os_version | | os
        locale | locale | | l
        time zone | | | tz
        time of sending | | | now
        name of the app | app_title | | to.an
        type of the library | | | to.st
        variant of the library | | | to.sf
        width of the screen in pixels | screen_width | | r.w
        height of the screen in pixels | screen_height | | r.h
        pixels per logical pixel | | | r.d
        """
    )

    /// The page of an element.
    static let parent = """
        class of the page | _parent_class | data.parent_info.class |
        custom name of the page | _parent_id | data.parent_info.id |
        accessibility identifier of the page | _parent_accessibility_id | data.parent_info.accessibility_id |
        """

    /// Data of the app.
    static let data = """
        own property, by its name | plan | data.additional_properties.plan |
        own identifier, by its name | sid | data.additional_ids.sid |
        nearest group | _group | data.group |
        nearest section | _section | data.section |
        """

    /// Fields of every event of an element.
    static let element = EventTable.rows(parent + "\n" + data)

    static func isOfElement(_ row: EventTable.Row) -> Bool {
        element.contains { $0.meaning == row.meaning }
    }

    /// True for a field of every event.
    /// - Parameter path: without `attributes.`.
    static func contains(_ path: String, in format: EventTable.Format, of name: String) -> Bool {
        if format == .clickstream, name == "_screen_view", path.hasPrefix("_screen_") { return false }
        if path.hasPrefix("sub_sids.") || path == "_screen_unique_id" || path == "_screen_id" { return true }
        if path == "ea" { return false }
        return event.contains { row in
            let shared = row.paths[format] ?? ""
            return shared == path || shared == "attributes." + path
        }
    }
}
