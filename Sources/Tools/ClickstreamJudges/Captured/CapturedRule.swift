package import ClickstreamCore

/// Check of an event in the pulse, contentsquare or audit format, made by the collector and by `validate`.
///
/// Sources: documents 002, 003 and 004, and the contracts of automatic capture and of audit scopes. The encoders never write such an event;
/// another program may.
package struct CapturedRule: Sendable, Hashable {
    /// The code without the name of the format, such as `missing_field`.
    package let suffix: String
    /// The code in words, such as `Missing field`.
    package let title: String
    package let severity: Violation.Severity
    /// The formats that have the rule.
    package let forms: [CapturedForm]
    package let meaning: String
    package let fix: String

    /// The code in a format, such as `pulse_missing_field`.
    package func code(_ form: CapturedForm) -> String { "\(form.rawValue)_\(suffix)" }

    /// The rule with a code, and its format; `nil` for an unknown code.
    package static func find(_ code: String) -> (rule: CapturedRule, form: CapturedForm)? {
        byCode[code]
    }

    /// The rules by their codes in each format. Reports look up the code of each finding.
    private static let byCode: [String: (rule: CapturedRule, form: CapturedForm)] = Dictionary(
        all.flatMap { rule in rule.forms.map { (rule.code($0), (rule, $0)) } },
        uniquingKeysWith: { first, _ in first }
    )

    private init(
        _ suffix: String,
        _ severity: Violation.Severity = .error,
        _ forms: [CapturedForm] = CapturedForm.capture,
        meaning: String,
        fix: String
    ) {
        self.suffix = suffix
        let words = suffix.replacing("_", with: " ")
        title = words.prefix(1).uppercased() + words.dropFirst()
        self.severity = severity
        self.forms = forms
        self.meaning = meaning
        self.fix = fix
    }
}

extension CapturedRule {
    package static let all: [CapturedRule] =
        shared + [itemsCount, itemTime, scrollDistance, scrollSpeed, scrollDirection, gestureChange]
        + [batchSize, sessions, gestureClass, gestureThreshold, variableIndex, variable, currency, url]
        + [notAnObjectID, date, payload, row, unchanged, partialRow]

    private static let shared = [
        notAnObject, unknownEvent, missingField, foreignField, unknownField, repeatedField, wrongType, notAnInteger,
        outOfRange, unknownValue, notAnID, empty, tooMany, tooLarge, timeUnit, future, stale,
    ]

    private static let everywhere = CapturedForm.allCases

    // MARK: Several formats

    static let notAnObject = CapturedRule(
        "not_an_object",
        .error,
        everywhere,
        meaning: "The event, or a field that holds an object, is another JSON value.",
        fix: "Send an object with the fields of the document."
    )

    static let unknownEvent = CapturedRule(
        "unknown_event",
        meaning: "`event_type` or `ea` is none of the format's events.",
        fix: "Use an event of the document; other events belong into the clickstream format."
    )

    static let missingField = CapturedRule(
        "missing_field",
        .error,
        everywhere,
        meaning: "A field that the event or the header must have is missing or null.",
        fix: "Send the field."
    )

    static let foreignField = CapturedRule(
        "foreign_field",
        meaning: "The field belongs to other events of the format, such as `scroll_info` in a click.",
        fix: "Leave the field out, or send the event that has it."
    )

    static let unknownField = CapturedRule(
        "unknown_field",
        .warning,
        everywhere,
        meaning: "The format has no such field.",
        fix: "Check the spelling; put data of the app into the fields for it."
    )

    static let repeatedField = CapturedRule(
        "repeated_field",
        .error,
        everywhere,
        meaning: "An object has the field twice. Programs differ in which one they read.",
        fix: "Send each field once."
    )

    static let wrongType = CapturedRule(
        "wrong_type",
        .error,
        everywhere,
        meaning: "The value has another JSON type than the document's.",
        fix: "Send a value of the documented type; write numbers without quotation marks."
    )

    static let notAnInteger = CapturedRule(
        "not_an_integer",
        .error,
        everywhere,
        meaning: "A number of an integer field has a fraction, an exponent or more than 64 bits.",
        fix: "Write an integer, such as 20 instead of 20.0."
    )

    static let outOfRange = CapturedRule(
        "out_of_range",
        .error,
        everywhere,
        meaning: "A number is outside of the range of its field, such as a scroll depth above 100.",
        fix: "Check how the value is computed."
    )

    static let unknownValue = CapturedRule(
        "unknown_value",
        meaning: "A text or number is none of the values that the document lists for its field.",
        fix: "Send one of the documented values."
    )

    static let notAnID = CapturedRule(
        "not_an_id",
        meaning: "An identifier is not a UUID; those of Pulse have upper-case digits.",
        fix: "Send a UUID, such as 307CBBE7-8A92-4856-97AB-8F7CC10E4B22."
    )

    static let empty = CapturedRule(
        "empty",
        .error,
        everywhere,
        meaning: "A text that identifies something, or a list or object of an audit payload, is empty.",
        fix: "Send the text, or leave an optional field out. Omit tables and lists without rows."
    )

    static let tooMany = CapturedRule(
        "too_many",
        meaning: "A list has more entries than the format allows: 3 sources, 10 previous events, 20 custom variables.",
        fix: "Keep the latest sources and events, and the first variables."
    )

    static let tooLarge = CapturedRule(
        "too_large",
        .error,
        everywhere,
        meaning: "The event has more than 65536 values or a list of more, or an audit event more than 100000 rows or "
            + "tables; not all of them were checked.",
        fix: "Send smaller events."
    )

    static let timeUnit = CapturedRule(
        "time_unit",
        meaning: TimeUnit.meaning,
        fix: TimeUnit.fix
    )

    static let future = CapturedRule(
        "future",
        .error,
        everywhere,
        meaning: "The event is later than the clock of the receiver.",
        fix: "Set the device's clock."
    )

    static let stale = CapturedRule(
        "stale",
        .warning,
        meaning: "The event was received more than 72 hours after it happened.",
        fix: "Send sooner."
    )

    // MARK: Pulse

    static let itemsCount = CapturedRule(
        "items_count",
        .error,
        [.pulse],
        meaning: "`items_count` is not the number of `params`.",
        fix: "Count the items of the event."
    )

    static let itemTime = CapturedRule(
        "item_time",
        .warning,
        [.pulse],
        meaning: "An item was seen later than the event, as after a change of the device's clock.",
        fix: "None, if the clock was set back while the item was visible."
    )

    static let scrollDistance = CapturedRule(
        "scroll_distance",
        .error,
        [.pulse],
        meaning: "`distance` is not the difference of `start_position` and `end_position`. "
            + "A difference of 1, from truncation, is accepted.",
        fix: "Send the absolute difference of the positions."
    )

    static let scrollSpeed = CapturedRule(
        "scroll_speed",
        .error,
        [.pulse],
        meaning: "`speed` is not `distance` × 1000 / `duration`, for a distance from `distance` to `distance` + 1.",
        fix: "Send pixels per second, and the duration in milliseconds."
    )

    static let scrollDirection = CapturedRule(
        "scroll_direction",
        .error,
        [.pulse],
        meaning: "`direction` contradicts the positions: `up` and `left` have a growing offset, `down` and `right` a "
            + "shrinking one.",
        fix: "Send the direction in which the content moves."
    )

    static let gestureChange = CapturedRule(
        "gesture_change",
        .error,
        [.pulse],
        meaning: "A value of `gesture_params` is not the difference of its start and end. "
            + "A difference of 1, from truncation, is accepted.",
        fix: "Send end − start for scale and rotation, and its absolute value for moves."
    )

    // MARK: Contentsquare

    static let batchSize = CapturedRule(
        "batch_size",
        .error,
        [.contentsquare],
        meaning: "The event is beyond the largest number of events of a batch: 50 unless `collect --batch-size` "
            + "allows another number.",
        fix: "Send further events in another batch."
    )

    static let sessions = CapturedRule(
        "sessions",
        .error,
        [.contentsquare],
        meaning: "`sn` differs from that of the first event of the batch: a batch has the events of one session.",
        fix: "Send the events of each session in batches of their own."
    )

    static let gestureClass = CapturedRule(
        "gesture_class",
        .error,
        [.contentsquare],
        meaning: "A gesture contradicts its class: a drag has `tvd` above 48 and `tvv` "
            + "below 100, a flick `tvd` above 48 and `tvv` from 100.",
        fix: "Classify the gesture by the thresholds of the document."
    )

    static let gestureThreshold = CapturedRule(
        "gesture_threshold",
        .warning,
        [.contentsquare],
        meaning: "`tvd` is 48. A drag or flick is longer than 48 dp; this one is only if the distance was truncated.",
        fix: "None, if the distance was above 48."
    )

    static let variableIndex = CapturedRule(
        "variable_index",
        .error,
        [.contentsquare],
        meaning: "The index of a custom variable is not an integer, or occurs twice.",
        fix: "Give each variable an index of its own."
    )

    static let variable = CapturedRule(
        "variable",
        .error,
        [.contentsquare],
        meaning: "A custom variable is not an object with one name and one text.",
        fix: #"Send { "2": { "name_1": "value_1" } }."#
    )

    static let currency = CapturedRule(
        "currency",
        .error,
        [.contentsquare],
        meaning: "`cu` is not the number of a currency in ISO 4217.",
        fix: "Send the number, such as 978 for the euro."
    )

    static let url = CapturedRule(
        "url",
        .error,
        [.contentsquare],
        meaning: "`url` does not have the form app-<platform>://<app id>/<path>?title=<screen name>.",
        fix: "Send the screen's class as path and its name as title, percent-encoded."
    )

    // MARK: Audit

    static let notAnObjectID = CapturedRule(
        "not_an_object_id",
        .error,
        [.audit],
        meaning: "`_id` is not an ObjectId: 24 hexadecimal digits.",
        fix: "Send an ObjectId, such as 62b38b3c10846041166f5deb."
    )

    static let date = CapturedRule(
        "date",
        .error,
        [.audit],
        meaning: "`timestamp` is not an ISO 8601 date in UTC with milliseconds and `Z`.",
        fix: "Send a date such as 2024-01-31T10:11:12.345Z."
    )

    static let payload = CapturedRule(
        "payload",
        .error,
        [.audit],
        meaning: "`data` of a read or write event is not the JSON text of a payload.",
        fix: "Send a text with one JSON object, as document 004 describes it."
    )

    static let row = CapturedRule(
        "row",
        .warning,
        [.audit],
        meaning: "A row of a payload is not an object. Only a record type with a representation of its own may have "
            + "such rows.",
        fix: "Send an object with the columns of the row."
    )

    static let unchanged = CapturedRule(
        "unchanged",
        .error,
        [.audit],
        meaning: "A modification changes no column, or a column of `newValue` has the same value in `oldValue`.",
        fix: "Send the changed columns only, and omit rows without changes."
    )

    static let partialRow = CapturedRule(
        "partial_row",
        .warning,
        [.audit],
        meaning: "A changed column is missing in `oldValue`, which has the whole row.",
        fix: "Send the whole row as it was, unless the column was added within the scope."
    )
}
