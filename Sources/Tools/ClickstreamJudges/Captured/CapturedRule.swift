package import ClickstreamCore

/// Check of an event in a captured format, made by the collector and by `validate`.
///
/// The rules of one format are in its folder. Sources: documents 002, 003 and 004, and the contracts of automatic capture
/// and of audit scopes. The encoders never write such an event; another program may.
package struct CapturedRule: Sendable, Hashable {
    /// The code without the name of the format, such as `missing_field`.
    package let suffix: String
    /// The code in words, such as `Missing field`.
    package let title: String
    package let severity: Violation.Severity
    package let meaning: String
    package let fix: String

    /// The formats that have the rule.
    package var forms: [CapturedFormat] { CapturedFormat.captured.filter { $0.rules.contains(self) } }

    /// The code in a format, such as `pulse_missing_field`.
    package func code(_ form: CapturedFormat) -> String { "\(form.rawValue)_\(suffix)" }

    /// The rule with a code, and its format; `nil` for an unknown code.
    package static func find(_ code: String) -> (rule: CapturedRule, form: CapturedFormat)? {
        byCode[code]
    }

    /// The rules by their codes in each format. Reports look up the code of each finding.
    private static let byCode: [String: (rule: CapturedRule, form: CapturedFormat)] = Dictionary(
        all.flatMap { rule in rule.forms.map { (rule.code($0), (rule, $0)) } },
        uniquingKeysWith: { first, _ in first }
    )

    init(
        _ suffix: String,
        _ severity: Violation.Severity = .error,
        meaning: String,
        fix: String
    ) {
        self.suffix = suffix
        let words = suffix.replacing("_", with: " ")
        title = words.prefix(1).uppercased() + words.dropFirst()
        self.severity = severity
        self.meaning = meaning
        self.fix = fix
    }
}

extension CapturedRule {
    /// The rules of all formats: first those of several, then those of each.
    package static let all: [CapturedRule] = {
        var seen = Set(ofCapture)
        return ofCapture + CapturedFormat.captured.flatMap(\.rules).filter { seen.insert($0).inserted }
    }()

    /// The rules that the formats of automatic capture have in common.
    static let ofCapture = [
        notAnObject, unknownEvent, missingField, foreignField, unknownField, repeatedField, wrongType, notAnInteger,
        outOfRange, unknownValue, notAnID, empty, tooMany, tooLarge, timeUnit, future, stale,
    ]

    /// The rules that do not depend on the content of a format.
    static let ofAnyFormat = [
        notAnObject, missingField, unknownField, repeatedField, wrongType, notAnInteger, outOfRange, empty, tooLarge,
        future,
    ]

    /// The rules of a format with batches, each with the events of one session.
    static let ofBatch = [batchSize, sessions]

    // MARK: Several formats

    static let notAnObject = CapturedRule(
        "not_an_object",
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
        meaning: "The format has no such field.",
        fix: "Check the spelling; put data of the app into the fields for it."
    )

    static let repeatedField = CapturedRule(
        "repeated_field",
        meaning: "An object has the field twice. Programs differ in which one they read.",
        fix: "Send each field once."
    )

    static let wrongType = CapturedRule(
        "wrong_type",
        meaning: "The value has another JSON type than the document's.",
        fix: "Send a value of the documented type; write numbers without quotation marks."
    )

    static let notAnInteger = CapturedRule(
        "not_an_integer",
        meaning: "A number of an integer field has a fraction, an exponent or more than 64 bits.",
        fix: "Write an integer, such as 20 instead of 20.0."
    )

    static let outOfRange = CapturedRule(
        "out_of_range",
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
        meaning: "An identifier is not a UUID, or has lower-case digits where the format has upper-case ones.",
        fix: "Send a UUID, such as 307CBBE7-8A92-4856-97AB-8F7CC10E4B22."
    )

    static let empty = CapturedRule(
        "empty",
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
        meaning: "The event is later than the clock of the receiver.",
        fix: "Set the device's clock."
    )

    static let stale = CapturedRule(
        "stale",
        .warning,
        meaning: "The event was received more than 72 hours after it happened.",
        fix: "Send sooner."
    )

    // MARK: Batches

    static let batchSize = CapturedRule(
        "batch_size",
        meaning: "The event is beyond the largest number of events of a batch: 50 unless `collect --batch-size` "
            + "allows another number.",
        fix: "Send further events in another batch."
    )

    static let sessions = CapturedRule(
        "sessions",
        meaning: "`sn` differs from that of the first event of the batch: a batch has the events of one session.",
        fix: "Send the events of each session in batches of their own."
    )
}
