package import ClickstreamCore

/// Check of the server's processing besides the table: made by the collector and, except for the time of arrival, by
/// `validate`.
///
/// Source: the published pipeline's cleaner and parser. The SDK never writes such an event; another program may.
package struct ServerRule: Sendable, Hashable {
    /// A text, where the SDK's codes are numbers.
    package let code: String
    package let severity: Violation.Severity
    package let title: String
    package let meaning: String
    package let fix: String

    /// The programs that make the check; the time of arrival exists only at a receiver.
    var checkers: String {
        self == .future || self == .stale
            ? "the server's processing and the local collector"
            : "the server's processing, the local collector and validate"
    }
}

extension ServerRule {
    package static let all: [ServerRule] = [
        notAnObject, notAnArray, missingEventID, missingAppID, missingTimestamp, missingEventType, notAText,
        notAScalar, notAnInteger, notANumber, timeUnit, timeRange, future, stale, userEntry, userAge,
        cut,
    ]

    package static let notAnObject = ServerRule(
        code: "etl_not_an_object",
        severity: .error,
        title: "Not an object",
        meaning: "An event, its attributes, its user and each of its items must be JSON objects. The server drops "
            + "anything else.",
        fix: "Send an array of objects; see the sample event in the manual."
    )

    package static let notAnArray = ServerRule(
        code: "etl_not_an_array",
        severity: .error,
        title: "Items not an array",
        meaning: "The items of an event must be a JSON array of objects.",
        fix: "Send an array, even for a single item."
    )

    package static let missingEventID = ServerRule(
        code: "etl_missing_event_id",
        severity: .error,
        title: "Event without event_id",
        meaning:
            "The server stores an event without event_id as corrupt; event_id and timestamp identify an event.",
        fix: "Give each event a unique id, and keep it when the event is sent again."
    )

    package static let missingAppID = ServerRule(
        code: "etl_missing_app_id",
        severity: .error,
        title: "Event without app_id",
        meaning: "The server stores an event without app_id as corrupt.",
        fix: "Send the app id assigned by the server's administrator."
    )

    package static let missingTimestamp = ServerRule(
        code: "etl_missing_timestamp",
        severity: .error,
        title: "Event without timestamp",
        meaning: "The server stores an event without timestamp as corrupt.",
        fix: "Send the milliseconds since 1970-01-01T00:00:00Z as an integer."
    )

    package static let missingEventType = ServerRule(
        code: "etl_missing_event_type",
        severity: .error,
        title: "Event without event_type",
        meaning: "The server skips an event without event_type (or event_name), silently. Of the two the later one in "
            + "the event counts, also when it is null or empty.",
        fix: "Send the event's name in event_type, and no event_name."
    )

    package static let notAText = ServerRule(
        code: "etl_not_a_text",
        severity: .error,
        title: "Array or object instead of a string",
        meaning:
            "The server reads this field as a string. With an array or an object it stores the whole event as corrupt.",
        fix: "Send a string; put arrays and objects into custom attributes, which may be any JSON value."
    )

    package static let notAScalar = ServerRule(
        code: "etl_not_a_scalar",
        severity: .error,
        title: "Array or object instead of a single value",
        meaning:
            "The server reads this field as a boolean or a number and leaves out any other value. With an array or an "
            + "object it misreads the fields behind it: the item, or the whole event, is lost.",
        fix: "Send a single value; put arrays and objects into custom attributes, which may be any JSON value."
    )

    package static let notAnInteger = ServerRule(
        code: "etl_not_an_integer",
        severity: .error,
        title: "Not an integer",
        meaning:
            "The server reads this field as an integer. With anything else, including 2556.0, it stores the event as "
            + "corrupt, or loses the value. From _engagement_time_msec and "
            + "_previous_timestamp it cuts a fraction off.",
        fix: "Write the number without a decimal point and without quotation marks."
    )

    package static let notANumber = ServerRule(
        code: "etl_not_a_number",
        severity: .error,
        title: "Not a number",
        meaning: "The server reads this field as a number. With anything else it stores the event as corrupt.",
        fix: "Write the number without quotation marks, or leave the field out."
    )

    package static let timeUnit = ServerRule(
        code: "etl_time_unit",
        severity: .error,
        title: "Time not in milliseconds",
        meaning:
            TimeUnit.meaning + " The set_timestamp of each entry of user is a time too. The server drops the event as "
            + "stale or future, or stores a wrong date. A time of the event or of the first touch whose microseconds "
            + "do not fit into 64 bits can end its whole batch job with an overflow.",
        fix: TimeUnit.fix
    )

    package static let timeRange = ServerRule(
        code: "etl_time_range",
        severity: .error,
        title: "Time before the server's calendar",
        meaning:
            "A _first_open, _first_visit or _profile_set happened before 1900-01-01 (\(earliestEvent)), or a first touch "
            + "of the user before 1582-10-15 (\(earliestFirstTouch)). The server cannot write such a time: its whole "
            + "batch job ends with an error. A first touch can get there with one of these three events in the future, "
            + "such as one in microseconds: the server moves both to the past. An event so early that its age does "
            + "not fit into 64 bits ends the job, too.",
        fix: "Correct the clock or the calculation of the time, and do not send the event again."
    )

    package static let future = ServerRule(
        code: "etl_future",
        severity: .error,
        title: "Event from the future",
        meaning: "The server drops events that are later than its own clock, apart from _first_open, _first_visit and "
            + "_profile_set.",
        fix: "Set the device's clock."
    )

    package static let stale = ServerRule(
        code: "etl_stale",
        severity: .warning,
        title: "Event older than 72 hours",
        meaning: "The server drops events received more than 72 hours after they happened, apart from "
            + "_first_open, _first_visit and _profile_set. The 72 hours are its default.",
        fix: "Send sooner, or have the server's data freshness raised."
    )

    package static let userEntry = ServerRule(
        code: "etl_user_entry",
        severity: .error,
        title: "User attribute of the wrong form",
        meaning:
            "The entries _user_id, _user_name, _user_age and _user_first_touch_timestamp of user must be objects such as "
            + #"{ "value": "carl", "set_timestamp": 1693919966703 }. The server stores the event as corrupt if one is "#
            + "anything else, has a further member, or its set_timestamp is not an integer.",
        fix: "Write the value and the time at which it was set; only custom entries may be bare values."
    )

    package static let userAge = ServerRule(
        code: "etl_user_age",
        severity: .error,
        title: "Age not an integer",
        meaning:
            "_user_age must be an integer of 32 bits. With anything else, or without a value, the server stores the "
            + "whole event as corrupt.",
        fix: "Send the age as an integer, or use another attribute name."
    )

    package static let cut = ServerRule(
        code: "etl_cut",
        severity: .warning,
        title: "Text longer than its column",
        meaning:
            "The text has more bytes of UTF-8 than the server's column, 255 for most. The server keeps the first bytes, "
            + "so that two ids that differ only behind them become one. A character can have up to four bytes.",
        fix: "Send a shorter text; for an id, a UUID or a hash."
    )

    /// The age at which an event counts as stale, in milliseconds.
    package static let freshness: Int64 = 72 * 3_600_000

    /// The earliest time of an event that the server can write: 1900-01-01, in milliseconds since 1970. It drops
    /// earlier events as stale, apart from ``timeless`` ones.
    static let earliestEvent: Int64 = -2_208_988_800_000

    /// The earliest first touch of a user that the server can write: 1582-10-15, in milliseconds since 1970.
    static let earliestFirstTouch: Int64 = -12_219_292_800_000

    /// Events whose time the server does not judge.
    package static let timeless: Set<String> = [EventName.firstOpen, "_first_visit", EventName.profileSet]
}
