#if Tools
import ClickstreamCore
import ClickstreamTools

/// Reads the facts of an event whose every part is as it should be, in one pass over its bytes and without building it.
///
/// Anything out of the ordinary (a rule that might be broken, an escape in a text that is kept, items, a field that
/// stands twice) makes it give up: then the event is read whole and judged by ``WireJudge``, whose verdict on an event
/// that is taken here is always that nothing is wrong. Expects well-formed JSON, and reads nothing past its end.
struct EventScanner {
    /// The facts of the event at `range`, or `nil` when it has to be read whole.
    static func facts(
        of bytes: UnsafeRawBufferPointer,
        in range: Range<Int>,
        receivedAt: Timestamp
    ) -> EventFacts? {
        var scanner = EventScanner(bytes, range)
        return scanner.event(receivedAt: receivedAt)
    }

    private let bytes: UnsafeRawBufferPointer
    private let end: Int
    private let range: Range<Int>
    private var position: Int

    private init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
        end = range.upperBound
        position = range.lowerBound
    }

    // MARK: - The event

    /// Fields that may stand once, by their bit.
    private enum Field {
        static let eventID: UInt32 = 1
        static let appID: UInt32 = 2
        static let timestamp: UInt32 = 4
        static let eventType: UInt32 = 8
        static let uniqueID: UInt32 = 16
        static let attributes: UInt32 = 32
        static let user: UInt32 = 64
        static let needed = eventID | appID | timestamp | eventType
    }

    private mutating func event(receivedAt: Timestamp) -> EventFacts? {
        var facts = EventFacts(json: TextRange(range))
        var seen: UInt32 = 0
        guard enter(UInt8(ascii: "{")) else { return nil }
        repeat {
            guard let name = memberName() else { return nil }
            let field: UInt32
            switch name.count {
            case 8 where isText(name, "event_id"):
                field = Field.eventID
                guard let text = nonEmptyString() else { return nil }
                facts.id = text
            case 6 where isText(name, "app_id"):
                field = Field.appID
                guard let text = nonEmptyString(), bytes[text.range.lowerBound] &- 0x21 < 0x5E else { return nil }
                facts.appID = text
            case 9 where isText(name, "timestamp"):
                field = Field.timestamp
                guard let number = integer() else { return nil }
                facts.timestamp = number
            case 9 where isText(name, "unique_id"):
                field = Field.uniqueID
                guard let text = nonEmptyString() else { return nil }
                facts.uniqueID = text
            case 10 where isText(name, "event_type"):
                field = Field.eventType
                guard let text = nonEmptyString() else { return nil }
                facts.name = text
            case 10 where isText(name, "attributes"):
                field = Field.attributes
                guard attributes(&facts) else { return nil }
            case 4 where isText(name, "user"):
                field = Field.user
                guard user(&facts) else { return nil }
            case 13 where isText(name, "screen_height"), 12 where isText(name, "screen_width"),
                11 where isText(name, "zone_offset"), 24 where isText(name, "event_previous_timestamp"),
                14 where isText(name, "viewport_width"), 15 where isText(name, "viewport_height"):
                field = 0
                guard integer() != nil else { return nil }
            case 11 where isText(name, "event_value"), 18 where isText(name, "event_value_in_usd"):
                field = 0
                guard plainNumber() else { return nil }
            case 5 where isText(name, "items"), 10 where isText(name, "event_name"),
                14 where isText(name, "user_pseudo_id"):
                return nil
            default:
                field = 0
                guard skipScalar() else { return nil }
            }
            guard seen & field == 0 else { return nil }
            seen |= field
        } while goesOn(UInt8(ascii: "}"))
        guard seen & Field.needed == Field.needed, isOrdinary(facts, receivedAt) else { return nil }
        return facts
    }

    /// Whether the event's name and time keep the rules, and it is none of those that have rules of their own.
    private func isOrdinary(_ facts: EventFacts, _ receivedAt: Timestamp) -> Bool {
        let name = facts.name.range
        guard name.count <= Limits.name, isName(name) else { return false }
        if bytes[name.lowerBound] == UInt8(ascii: "_") {
            if isText(name, "_app_exception") || isText(name, "_clickstream_error") { return false }
            if isText(name, "_screen_view"), facts.screenName.isNone { return false }
        }
        guard let timestamp = facts.timestamp, timestamp <= receivedAt.milliseconds else { return false }
        return receivedAt.milliseconds - timestamp <= ServerRule.freshness
    }

    /// The published limits, in bytes: a text of so many bytes has at most so many characters.
    private enum Limits {
        static let name = 50
        static let value = 1_024
        static let userValue = 256
        static let attributes = 500
        static let userAttributes = 100
    }

    // MARK: - Attributes

    private mutating func attributes(_ facts: inout EventFacts) -> Bool {
        guard enter(UInt8(ascii: "{")) else { return isEmptyObject() }
        var count = 0
        repeat {
            count += 1
            guard count <= Limits.attributes, let name = memberName(), name.count <= Limits.name, isName(name) else {
                return false
            }
            if bytes[name.lowerBound] == UInt8(ascii: "_") {
                guard reservedAttribute(name, &facts) else { return false }
            } else {
                guard attributeValue(Limits.value) else { return false }
            }
        } while goesOn(UInt8(ascii: "}"))
        return true
    }

    /// A reserved name: what it says is kept, or what the server wants of it checked.
    private mutating func reservedAttribute(_ name: Range<Int>, _ facts: inout EventFacts) -> Bool {
        func text(_ target: WritableKeyPath<EventFacts, TextRange>, _ facts: inout EventFacts) -> Bool {
            guard facts[keyPath: target].isNone, let text = nonEmptyString(), text.range.count <= Limits.value else {
                return false
            }
            facts[keyPath: target] = text
            return true
        }
        func number(_ target: WritableKeyPath<EventFacts, Int64?>, _ facts: inout EventFacts) -> Bool {
            guard facts[keyPath: target] == nil, let number = integer() else { return false }
            facts[keyPath: target] = number
            return true
        }
        switch name.count {
        case 11 where isText(name, "_session_id"): return text(\.sessionID, &facts)
        case 12 where isText(name, "_screen_name"): return text(\.screenName, &facts)
        case 17 where isText(name, "_screen_unique_id"): return text(\.screenUniqueID, &facts)
        case 15 where isText(name, "_session_number"): return number(\.sessionNumber, &facts)
        case 24 where isText(name, "_session_start_timestamp"): return number(\.sessionStart, &facts)
        case 21 where isText(name, "_engagement_time_msec"): return number(\.engagement, &facts)
        case 17 where isText(name, "_session_duration"), 19 where isText(name, "_previous_timestamp"):
            return integer() != nil
        case 11 where isText(name, "_error_code"), 14 where isText(name, "_error_message"):
            return false
        case _ where Self.texts.contains { isText(name, $0) }:
            return attributeValue(Limits.value)
        default:
            // What the server makes of any other is for the whole judgement to know; a whole number is always right.
            return integer() != nil
        }
    }

    /// A text that is short enough, a number in plain digits, or a truth value.
    private mutating func attributeValue(_ longest: Int) -> Bool {
        switch bytes[position] {
        case UInt8(ascii: "\""):
            guard let text = string() else { return false }
            return text.count <= longest
        case UInt8(ascii: "t"):
            position += 4
        case UInt8(ascii: "f"):
            position += 5
        default:
            return plainNumber()
        }
        return position < end
    }

    /// Reserved names of texts that neither the store nor a rule asks about.
    private static let texts: [StaticString] = [
        "_screen_id", "_previous_screen_name", "_previous_screen_id", "_previous_screen_unique_id", "_entrances",
        "_is_first_time", "_traffic_source_source", "_traffic_source_medium", "_traffic_source_campaign",
        "_previous_app_version", "_previous_os_version", "_app_install_channel", "_currency", "_value",
    ]

    // MARK: - The user

    private mutating func user(_ facts: inout EventFacts) -> Bool {
        guard enter(UInt8(ascii: "{")) else { return isEmptyObject() }
        var count = 0
        repeat {
            count += 1
            guard count <= Limits.userAttributes, let name = memberName(), name.count <= Limits.name, isName(name)
            else { return false }
            guard enter(UInt8(ascii: "{")), let value = memberName(), isText(value, "value") else { return false }
            if bytes[name.lowerBound] == UInt8(ascii: "_") {
                switch name.count {
                case 8 where isText(name, "_user_id"):
                    guard facts.userID.isNone, let id = nonEmptyString(), id.range.count <= Limits.userValue else {
                        return false
                    }
                    facts.userID = id
                case 27 where isText(name, "_user_first_touch_timestamp"):
                    guard let time = integer(), ServerRule.times.contains(time) else { return false }
                case 10 where isText(name, "_user_name"):
                    guard attributeValue(Limits.userValue) else { return false }
                default:
                    return false
                }
            } else {
                guard attributeValue(Limits.userValue) else { return false }
            }
            guard goesOn(UInt8(ascii: "}")), let time = memberName(), isText(time, "set_timestamp"),
                integer() != nil, !goesOn(UInt8(ascii: "}"))
            else { return false }
        } while goesOn(UInt8(ascii: "}"))
        return true
    }

    // MARK: - Tokens

    private func byte() -> UInt8 {
        position < end ? bytes[position] : 0
    }

    private mutating func skipSpace() {
        while position < end, bytes[position] <= 0x20 { position &+= 1 }
    }

    /// Passes the opening of an object that is not empty.
    private mutating func enter(_ opening: UInt8) -> Bool {
        guard byte() == opening else { return false }
        var next = position &+ 1
        while next < end, bytes[next] <= 0x20 { next &+= 1 }
        guard next < end, bytes[next] == UInt8(ascii: "\"") else { return false }
        position = next
        return true
    }

    private mutating func isEmptyObject() -> Bool {
        guard byte() == UInt8(ascii: "{") else { return false }
        position &+= 1
        skipSpace()
        guard byte() == UInt8(ascii: "}") else { return false }
        position &+= 1
        return true
    }

    /// Passes what follows a value: whether another member does, at which it then stands.
    private mutating func goesOn(_ closing: UInt8) -> Bool {
        skipSpace()
        let isMore = byte() == UInt8(ascii: ",")
        position &+= 1
        if isMore { skipSpace() }
        return isMore
    }

    /// A name without escapes, and the colon behind it.
    private mutating func memberName() -> Range<Int>? {
        guard byte() == UInt8(ascii: "\""), let name = string() else { return nil }
        skipSpace()
        guard byte() == UInt8(ascii: ":") else { return nil }
        position &+= 1
        skipSpace()
        return name
    }

    private mutating func nonEmptyString() -> TextRange? {
        guard byte() == UInt8(ascii: "\""), let text = string(), !text.isEmpty else { return nil }
        // A long text may have rows of combining marks, which only a built event gets rid of.
        if text.count > 60, bytes[text].contains(where: { $0 >= 0x80 }) { return nil }
        return TextRange(text)
    }

    /// What stands between quotation marks, when there is no escape in it. Looks at eight bytes at a time.
    @inline(__always)
    private mutating func string() -> Range<Int>? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let start = position &+ 1
        var place = start
        while place &+ 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quotationMark = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let special =
                (((quotationMark &- ones) & ~quotationMark) | ((backslash &- ones) & ~backslash)) & highs
            if special != 0 {
                place &+= special.trailingZeroBitCount >> 3
                guard bytes[place] == UInt8(ascii: "\"") else { return nil }
                position = place &+ 1
                return start..<place
            }
            place &+= 8
        }
        while place < end {
            if bytes[place] == UInt8(ascii: "\"") {
                position = place &+ 1
                return start..<place
            }
            if bytes[place] == UInt8(ascii: "\\") { return nil }
            place &+= 1
        }
        return nil
    }

    /// A whole number of at most eighteen digits.
    private mutating func integer() -> Int64? {
        let isNegative = byte() == UInt8(ascii: "-")
        if isNegative { position &+= 1 }
        let start = position
        var value: Int64 = 0
        while position < end, bytes[position] &- 0x30 < 10 {
            value = value &* 10 &+ Int64(bytes[position] &- 0x30)
            position &+= 1
        }
        guard position > start, position - start <= 18, position < end else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return nil
        default: return isNegative ? -value : value
        }
    }

    /// A number without an exponent and of few enough digits to be finite.
    private mutating func plainNumber() -> Bool {
        let start = position
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): position &+= 1
            case UInt8(ascii: "e"), UInt8(ascii: "E"): return false
            default: return position > start && position - start <= 40
            }
        }
        return false
    }

    /// A value that is neither array nor object and has no rule.
    private mutating func skipScalar() -> Bool {
        switch byte() {
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "t"), UInt8(ascii: "n"): position &+= 4
        case UInt8(ascii: "f"): position &+= 5
        default: return plainNumber()
        }
        return position < end
    }

    @inline(__always)
    private func isText(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let expected = text.utf8Start
        for index in 0..<range.count where bytes[range.lowerBound &+ index] != expected[index] { return false }
        return true
    }

    /// Letters, digits and underscores, no digit first.
    private func isName(_ range: Range<Int>) -> Bool {
        guard let first = range.first, bytes[first] &- 0x30 >= 10 else { return false }
        for index in range {
            let byte = bytes[index]
            let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26
            guard isLetter || byte &- 0x30 < 10 || byte == UInt8(ascii: "_") else { return false }
        }
        return true
    }
}
#endif
