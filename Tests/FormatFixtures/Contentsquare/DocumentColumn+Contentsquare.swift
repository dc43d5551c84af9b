extension DocumentColumn {
    static let contentsquare = DocumentColumn(heading: "contentsquare, `ea`", shared + lifecycle + touches + reported)

    private static let shared = [
        Section(
            "Fields of every event",
            """
            name; `ea` is a number | ea
            identifier, equal in all formats except for screens | euid
            time in ms since 1970 | t
            monotonic time in ms | upt
            number of the session | sn
            screen; `url` contains its class and its name | url
            number of screens before in the session | scn
            connection: -1 offline, 0 unknown, 1 WIFI, 4 mobile | c
            carrier; on a mobile network only | ci
            orientation: 0 portrait, 1 landscape | o
            version of the library | vo.sv
            build number of the library | vo.sb
            version of the app | vo.av
            variant of the app | vo.af
            build number of the app | vo.ab
            """
        ),
        Section(
            "Header of a batch",
            """
            project | pid
            identifier of the user | uid
            4 phone, 5 tablet: the smaller side has 600 logical pixels or more | dt
            manufacturer, if it is available | dma
            model, if it is available | dmo
            version of the system | os
            locale | l
            time zone | tz
            time of sending | now
            name of the app | to.an
            type of the library | to.st
            variant of the library | to.sf
            width of the screen in pixels | r.w
            height of the screen in pixels | r.h
            pixels per logical pixel | r.d
            """
        ),
    ]

    private static let lifecycle = [
        action("App start", 0), action("App show", 1), action("App hide", 2),
        action(
            "Page view",
            4,
            """
            class of the page | st
            milliseconds since the last touch gesture, click or screen | sl
            """
        ),
        action(
            "Screen with custom variables",
            4,
            """
            name | st
            milliseconds since the last touch gesture, click or screen | sl
            variable, by its index and name | cv.2.name_1
            """
        ),
    ]

    private static let target = """
        path to the target, or its accessibility identifier | tvp
        identifier of the target | tvid
        """

    private static let swipe =
        target + "\n" + """
            direction: `up` 1, `down` 2, `left` 3, `right` 4, `complex` 5 | fd
            greatest distance from the start in logical pixels | tvd
            logical pixels per second | tvv
            """

    private static let touches = [
        action("Touch: tap", 6, target + "\nresponsive: the element or an ancestor handles the press | ur"),
        action("Touch: long press", 8, target), action("Touch: drag", 9, swipe), action("Touch: flick", 10, swipe),
    ]

    private static let reported = [
        action(
            "Transaction",
            16,
            """
            value | tr.vl
            currency | tr.cu
            identifier | tr.id
            """
        ),
        action("Dynamic variable: text", 18, variable), action("Dynamic variable: integer", 19, variable),
    ]

    private static let variable = """
        key | k
        value | v
        """

    /// Section of an event action.
    private static func action(_ title: String, _ number: Int, _ lines: String = "") -> Section {
        Section(title, event: "\(number)", "event action | ea\n" + lines)
    }
}
