import ClickstreamCore
import ClickstreamJudges

/// The tables of rules and of the server's fields, compiled for lookups by bytes.
extension EventScanner {
    // MARK: - Limits

    /// Limits of one kind of attributes, in bytes: a text of so many bytes has at most so many characters.
    struct AttributeLimits: Sendable {
        let name: Int
        let value: Int
        let maxCount: Int

        fileprivate init(_ rules: CompiledRules) {
            name = rules.longestName
            value = rules.longestValue
            maxCount = rules.maxCount
        }
    }

    struct Limits: Sendable {
        /// Fields of an event; a complete parse reads no more.
        let fields = JSONReader.Bounds.event.outermost
        let eventName = Rules.eventNames.longestName
        let attributes = AttributeLimits(Rules.attributes)
        let user = AttributeLimits(Rules.userAttributes)
        /// Bytes of a text that the server keeps.
        let column = ServerField.usualColumnBytes
    }

    static let limits = Limits()

    // MARK: - Names

    /// Field of an event with a rule of its own. Every other field may have any scalar value, a text up to
    /// ``Limits/column``.
    enum Field: UInt8, Sendable {
        case eventID, appID, timestamp, eventType, uniqueID, attributes, user, deviceID, platform, appVersion
        case integer, number, time
        /// The event is parsed completely.
        case unusual

        /// The bit in a ``FieldSet``, 0 for a field that may occur more than once.
        var bit: UInt16 {
            self.rawValue <= Field.appVersion.rawValue ? 1 &<< UInt16(rawValue) : 0
        }

        init?(_ field: ServerField) {
            switch field.reading {
            case .text, .scalar:
                guard let columnBytes = field.columnBytes, columnBytes < ServerField.usualColumnBytes else {
                    return nil
                }
                self = .unusual
            case .integer: self = field.isTime ? .time : .integer
            case .number, .plainNumber: self = .number
            case .truncatedInteger, .digits, .age, .requiredDigits: self = .unusual
            }
        }
    }

    /// Set of fields that may occur once.
    struct FieldSet {
        private var bits: UInt16 = 0

        /// Returns false if the field was in the set.
        mutating func insert(_ bit: UInt16) -> Bool {
            guard bits & bit == 0 else { return false }
            bits |= bit
            return true
        }

        /// True if the set contains every field that an event needs.
        var isComplete: Bool {
            let needed = Field.eventID.bit | Field.appID.bit | Field.timestamp.bit | Field.eventType.bit
            return bits & needed == needed
        }
    }

    static let fields: NameTable<Field> = {
        var fields = ServerField.event.compactMapValues { Field($0) }
        fields[FieldName.eventID] = .eventID
        fields[FieldName.appID] = .appID
        fields[FieldName.timestamp] = .timestamp
        fields[FieldName.eventType] = .eventType
        fields[FieldName.uniqueID] = .uniqueID
        fields[FieldName.attributes] = .attributes
        fields[FieldName.user] = .user
        fields[FieldName.deviceID] = .deviceID
        fields[FieldName.platform] = .platform
        fields[FieldName.appVersion] = .appVersion
        for name in [FieldName.items, FieldName.eventName, FieldName.userPseudoID] { fields[name] = .unusual }
        return NameTable(fields)
    }()

    /// Reserved attribute that the store keeps, or that the server reads in a certain type.
    enum Attribute: UInt8, Sendable {
        case sessionID, screenName, screenUniqueID, sessionNumber, sessionStart, engagement
        case scalar, integer, number, time
        /// Text, number or Boolean that the server keeps in a column of ``Limits/column`` bytes.
        case column
        /// The event is parsed completely.
        case unusual

        init(_ field: ServerField) {
            switch field.reading {
            case .text, .scalar: self = field.columnBytes == nil ? .scalar : .column
            case .integer, .truncatedInteger, .digits: self = field.isTime ? .time : .integer
            case .number, .plainNumber: self = .number
            case .age, .requiredDigits: self = .unusual
            }
        }
    }

    static let attributes: NameTable<Attribute> = {
        var attributes = ServerField.attributes.mapValues { Attribute($0) }
        attributes[AttributeName.sessionID] = .sessionID
        attributes[AttributeName.screenName] = .screenName
        attributes[AttributeName.screenUniqueID] = .screenUniqueID
        attributes[AttributeName.sessionNumber] = .sessionNumber
        attributes[AttributeName.sessionStart] = .sessionStart
        attributes[AttributeName.engagementTime] = .engagement
        for name in [AttributeName.errorCode, AttributeName.errorMessage] { attributes[name] = .unusual }
        return NameTable(attributes)
    }()

    /// Reserved user attribute; an event with any other is parsed completely.
    enum UserAttribute: UInt8, Sendable {
        case userID, scalar, time

        init?(_ field: ServerField) {
            switch field.reading {
            case .text: self = .scalar
            case .requiredDigits where field.isTime: self = .time
            case .scalar, .integer, .truncatedInteger, .digits, .requiredDigits, .number, .plainNumber, .age: return nil
            }
        }
    }

    static let userAttributes: NameTable<UserAttribute> = {
        var attributes = ServerField.user.compactMapValues { UserAttribute($0) }
        attributes[AttributeName.userID] = .userID
        return NameTable(attributes)
    }()

    /// Event with rules of its own.
    enum Event: UInt8, Sendable {
        case screenView
        /// The event is parsed completely.
        case unusual
    }

    static let events = NameTable<Event>([
        EventName.screenView: .screenView, EventName.appException: .unusual, EventName.clickstreamError: .unusual,
    ])
}
