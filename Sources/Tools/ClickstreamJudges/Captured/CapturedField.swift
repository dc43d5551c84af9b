import ClickstreamCore

/// Field of an object in a captured event, with the check of its value.
struct CapturedField: Sendable {
    var name: String
    var isRequired: Bool
    var check: Check

    /// Check of a value. Null is the same as a missing field.
    indirect enum Check: Sendable {
        /// A text, possibly empty.
        case text
        case nonEmptyText
        case id(IDForm)
        case word([String])
        case boolean
        case isTrue
        case integer(ClosedRange<Int64>)
        /// One of some integers.
        case number([Int64])
        case double(ClosedRange<Double>)
        /// Milliseconds since 1970.
        case time
        /// As ``time``, at most the receiver's.
        case eventTime
        case object(CapturedObject)
        /// An object whose members are data of the app.
        case data
        /// An object whose values are upper-case UUIDs.
        case ids
        case list(Check, maxCount: Int)
        /// An ISO 8601 date with milliseconds and `Z`, at most the receiver's.
        case date
        /// A text or null, which differs from a missing field.
        case textOrNull
        /// A check that one format alone has.
        case custom(@Sendable (inout CapturedJudge, JSONValue) -> Void)
    }

    /// Spelling of a UUID.
    enum IDForm: Sendable {
        case upperCase
        case anyCase
    }

    static func required(_ name: String, _ check: Check) -> CapturedField {
        CapturedField(name: name, isRequired: true, check: check)
    }

    static func optional(_ name: String, _ check: Check) -> CapturedField {
        CapturedField(name: name, isRequired: false, check: check)
    }
}

/// Fields of an object, and the treatment of others.
struct CapturedObject: Sendable {
    var fields: [CapturedField]
    /// Names of fields of similar objects, which this one must not have.
    var foreign: Set<String> = []
    /// True if further members are data of the app.
    var isOpen = false
    /// Check of further members, which are data of the app; `nil` for none.
    var others: CapturedField.Check?

    init(
        _ fields: [CapturedField],
        foreign: Set<String> = [],
        isOpen: Bool = false,
        others: CapturedField.Check? = nil
    ) {
        self.fields = fields
        self.foreign = foreign.subtracting(fields.map(\.name))
        self.isOpen = isOpen
        self.others = others
    }
}
