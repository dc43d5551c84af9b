import ClickstreamCapture
import ClickstreamCore

/// Tables of the fields of document 002.
enum ContentsquareFields {
    /// The header of a batch: everything but `pl`.
    static let header = CapturedObject([
        .required("pid", .integer(0...count)), .required("uid", .nonEmptyText), .required("dt", .number([4, 5])),
        .optional("dma", .nonEmptyText), .optional("dmo", .nonEmptyText), .required("os", .text),
        .required("l", .text), .required("tz", .text), .required("now", .time),
        .required(
            "to",
            .object(
                CapturedObject([
                    .required("an", .text), .required("st", .nonEmptyText), .required("sf", .word(flavors)),
                ])
            )
        ),
        .required(
            "r",
            .object(
                CapturedObject([
                    .required("w", .integer(0...count)), .required("h", .integer(0...count)),
                    .required("d", .double(0.75...10)),
                ])
            )
        ),
    ])

    private static let count = Int64(Int32.max)
    private static let flavors = ["release", "debug", "god"]

    /// The fields that all events have.
    private static let common: [CapturedField] = [
        .required("upt", .integer(0...Int64.max)), .required("euid", .id(.anyCase)), .required("url", .url),
        .required("scn", .integer(0...count)), .required("c", .number([-1, 0, 1, 2, 3, 4])), .optional("ci", .text),
        .required("o", .number([0, 1])),
        .required(
            "vo",
            .object(
                CapturedObject([
                    .required("sv", .text), .required("sb", .integer(0...count)), .required("av", .text),
                    .required("af", .word(flavors)), .required("ab", .integer(0...count)),
                ])
            )
        ),
        .required("sn", .integer(1...count)), .required("t", .eventTime), .required("ea", .number(codes)),
    ]

    /// An event action: its name at the collector, and its own fields.
    struct Action: Sendable {
        var name: String
        var fields: CapturedObject
    }

    /// The action with a code; `nil` for an unknown one.
    static func action(_ code: Int64) -> Action? { actions[code] }

    /// The fields of an event with an unknown action.
    static let unknown = CapturedObject(common, isOpen: true)

    private static let actions: [Int64: Action] = {
        let all = Set(own.flatMap { $0.fields.map(\.name) })
        return Dictionary(
            uniqueKeysWithValues: own.map { code, name, fields in
                (code, Action(name: name, fields: CapturedObject(common + fields, foreign: all)))
            }
        )
    }()

    private static let codes = own.map(\.code)

    private static let own: [(code: Int64, name: String, fields: [CapturedField])] = [
        (0, "app_start", []), (1, "app_show", []), (2, "app_hide", []),
        (
            4, "screenview",
            [.required("st", .text), .required("sl", .integer(0...Int64.max)), .optional("cv", .variables)]
        ),
        (6, "tap", target + [.required("ur", .boolean)]), (8, "long_press", target), (9, "drag", target + swipe),
        (10, "flick", target + swipe), (16, "transaction", [.required("tr", .object(transaction))]),
        (18, "dynamic_variable", [.required("k", .nonEmptyText), .required("v", .text)]),
        (19, "dynamic_variable", [.required("k", .nonEmptyText), .required("v", .integer(.min ... .max))]),
    ]

    private static let target: [CapturedField] = [.required("tvp", .nonEmptyText), .required("tvid", .text)]

    private static let swipe: [CapturedField] = [
        .required("fd", .integer(1...5)), .required("tvd", .integer(0...count)), .required("tvv", .integer(0...count)),
    ]

    private static let transaction = CapturedObject([
        .required("vl", .double(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)),
        .required("cu", .currency), .optional("id", .text),
    ])

    /// The largest number of custom variables.
    static let maxVariables = CustomVariables.limit
    /// The distance above which a gesture is a drag or a flick.
    static let swipeDistance = Int64(TouchMachine.swipeDistance)
    /// The velocity from which it is a flick.
    static let flickVelocity = Int64(TouchMachine.flickVelocity)
}
