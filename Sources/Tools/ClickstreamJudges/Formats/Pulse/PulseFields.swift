import ClickstreamCapture
import ClickstreamCore

/// Tables of the fields of document 003.
enum PulseFields {
    /// The event of a type; `nil` for an unknown type.
    static func event(_ type: String) -> CapturedObject? { events[type] }

    /// The fields of an event of an unknown type.
    static let unknown = event(.data)

    private static let events: [String: CapturedObject] = {
        var events: [String: CapturedObject] = [
            "page_load": event(data([.required("element", .object(page(isView: false)))])),
            "page_view": event(data([.required("element", .object(page(isView: true)))])),
            "click": event(
                data(
                    [.required("element", .object(element(Capture.ElementType.allCases.filter { $0.click != nil })))]
                        + [parent]
                )
            ),
            "scroll": event(
                data([
                    .required("element", .object(element([.scrollView]))), parent,
                    .required("scroll_info", .object(scroll)),
                ])
            ),
            "gesture": event(
                data([
                    .optional("element", .object(element(Capture.ElementType.allCases))), parent,
                    .required(
                        "gesture_params",
                        .object(CapturedObject([.required("type", .word(gestures))], isOpen: true))
                    ),
                    .optional("target_info", .object(reference)),
                ])
            ),
            "items_impression": event(
                data(
                    [
                        .required(
                            "element",
                            .object(element(Capture.ElementType.allCases.filter { $0.impression != nil }))
                        ),
                        .required("items_count", .integer(1...count)),
                        .required("params", .list(.object(item), maxCount: .max)), parent,
                    ],
                    isOpen: true
                )
            ),
        ]
        for type in ["revenue_purchase", "revenue_refund", "revenue_subscription"] {
            events[type] = event(data([parent], isAutomatic: false))
        }
        return events
    }()

    private static let count = Int64(Int32.max)

    private static func event(_ data: CapturedField.Check) -> CapturedObject {
        CapturedObject([
            .required("event_type", .nonEmptyText), .required("event_id", .id(.upperCase)),
            .required("timestamp", .eventTime), .required("is_background", .boolean), .optional("sub_sids", .ids),
            .required("data", data),
        ])
    }

    private static func event(_ data: CapturedObject) -> CapturedObject { event(.object(data)) }

    /// The fields of `data` that only some events have.
    private static let special: Set<String> = [
        "element", "parent_info", "scroll_info", "gesture_params", "target_info", "items_count", "params",
    ]

    private static func data(
        _ own: [CapturedField],
        isAutomatic: Bool = true,
        isOpen: Bool = false
    ) -> CapturedObject {
        CapturedObject(
            [
                .required("metadata", .object(metadata(isAutomatic: isAutomatic))),
                .required("connection_type", .word(connections)),
                .required("previous_events", .list(.id(.upperCase), maxCount: EventHistory.capacity)),
                .required("sources_info", .list(.object(reference), maxCount: 3)),
                .optional("additional_properties", .data), .optional("additional_ids", .data),
                .optional("group", .text), .optional("section", .text),
            ] + own,
            foreign: special,
            isOpen: isOpen
        )
    }

    private static func metadata(isAutomatic: Bool) -> CapturedObject {
        CapturedObject([
            .required("auto_generated", isAutomatic ? .isTrue : .boolean), .required("event_id_source", .word(["sdk"])),
        ])
    }

    private static let connections = [PulseConnection.wifi, .mobile, .none, .unknown].map(\.rawValue)

    private static let parent = CapturedField.optional("parent_info", .object(reference))

    /// A page, or the target of a gesture.
    private static let reference = CapturedObject([
        .required("class", .nonEmptyText), .optional("id", .text), .optional("accessibility_id", .text),
    ])

    private static let elementNames: Set<String> = ["class", "sequence"]

    private static func element(_ types: [Capture.ElementType]) -> CapturedObject {
        CapturedObject(
            [
                .required("type", .word(types.map(\.rawValue))), .optional("value", .text), .optional("id", .text),
                .optional("localized_key", .text), .optional("accessibility_id", .text),
            ],
            foreign: elementNames
        )
    }

    private static func page(isView: Bool) -> CapturedObject {
        var page = element([.controller])
        page.fields.append(.required("class", .nonEmptyText))
        if isView { page.fields.append(.required("sequence", .integer(1...count))) }
        return CapturedObject(page.fields, foreign: elementNames)
    }

    private static let scroll = CapturedObject([
        .required("distance", .integer(0...Int64.max)), .required("speed", .integer(0...Int64.max)),
        .required("direction", .word(["up", "down", "left", "right"])),
        .required("scroll_depth", .integer(0...100)), .required("start_position", .integer(.min ... .max)),
        .required("end_position", .integer(.min ... .max)), .required("duration", .integer(1...Int64.max)),
    ])

    /// An item has its own data besides these.
    private static let item = CapturedObject(
        [.required("timestamp", .time), .required("view_time", .integer(3...count))],
        isOpen: true
    )

    // MARK: Gestures

    private static let gestures = ["tap", "long_press", "scale", "rotate", "move"]

    /// The members of `gesture_params` by `type`.
    static func gesture(_ type: String) -> CapturedObject? { gestureFields[type] }

    private static let gestureFields: [String: CapturedObject] = {
        let members: [String: [String]] = [
            "tap": tap, "long_press": tap, "scale": ["scale_start", "scale_end", "scale_value"],
            "rotate": ["rotate_start", "rotate_end", "rotate_value"],
            "move": [
                "move_start_x", "move_start_y", "move_end_x", "move_end_y", "move_distance_x", "move_distance_y",
            ],
        ]
        let all = Set(members.values.joined())
        return members.mapValues { names in
            CapturedObject(
                [.required("type", .word(gestures))] + names.map { .optional($0, .integer(range(of: $0))) },
                foreign: all
            )
        }
    }()

    private static let tap = ["tap_x", "tap_y", "taps_count"]

    private static func range(of name: String) -> ClosedRange<Int64> {
        switch name {
        case "taps_count": 1...count
        case "move_distance_x", "move_distance_y": 0...Int64.max
        default: .min ... .max
        }
    }

    /// Start, end and difference of the values of gestures; the difference of moves is absolute.
    static let changes: [(start: String, end: String, change: String, isAbsolute: Bool)] = [
        ("scale_start", "scale_end", "scale_value", false), ("rotate_start", "rotate_end", "rotate_value", false),
        ("move_start_x", "move_end_x", "move_distance_x", true),
        ("move_start_y", "move_end_y", "move_distance_y", true),
    ]
}
