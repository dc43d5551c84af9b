import ClickstreamCore
import ClickstreamJudges

/// Fast path for events without any finding: extracts the facts in one pass over the bytes, without building values.
///
/// Returns `nil` for anything unusual: a possible violation, an escape in a kept text, items, a duplicate field.
/// Such an event is parsed completely and judged by ``WireJudge``, which has no finding on an event that is accepted
/// here. Limits and reserved names are those of ``Rules`` and ``ServerField``. Requires well-formed JSON; never reads
/// past its end.
struct EventScanner {
    /// Returns the facts of the event at `range`, or `nil` if it has to be parsed completely.
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

    private mutating func event(receivedAt: Timestamp) -> EventFacts? {
        var facts = EventFacts(json: TextRange(range))
        var seen = FieldSet()
        var count = 0
        guard enter(UInt8(ascii: "{")) else { return nil }
        repeat {
            count &+= 1
            guard count <= Self.limits.fields, let name = memberName() else { return nil }
            guard let field = Self.fields[bytes, name] else {
                guard skipScalar() else { return nil }
                continue
            }
            guard seen.insert(field.bit), self.field(field, &facts) else { return nil }
        } while goesOn(UInt8(ascii: "}"))
        guard seen.isComplete, isOrdinary(facts, receivedAt) else { return nil }
        return facts
    }

    /// Reads the value of a field with a rule of its own.
    private mutating func field(_ field: Field, _ facts: inout EventFacts) -> Bool {
        switch field {
        case .eventID: return text(\.id, upTo: Self.limits.column, &facts)
        case .appID:
            return text(\.appID, upTo: Self.limits.column, &facts) && bytes[facts.appID.range.lowerBound] &- 0x21 < 0x5E
        case .timestamp: return number(\.timestamp, &facts)
        case .uniqueID: return text(\.uniqueID, upTo: Self.limits.column, &facts)
        case .eventType: return text(\.name, &facts)
        case .attributes: return attributes(&facts)
        case .user: return user(&facts)
        case .deviceID: return optionalText(\.deviceID, &facts)
        case .platform: return optionalText(\.platform, &facts)
        case .appVersion: return optionalText(\.appVersion, &facts)
        case .integer: return integer() != nil
        case .number: return plainNumber()
        case .time: return time()
        case .unusual: return false
        }
    }

    /// Keeps a text that is not empty, the first under its name.
    @inline(__always)
    private mutating func text(
        _ target: WritableKeyPath<EventFacts, TextRange>,
        upTo longest: Int = .max,
        _ facts: inout EventFacts
    ) -> Bool {
        guard facts[keyPath: target].isNone, let text = nonEmptyString(), text.range.count <= longest else {
            return false
        }
        facts[keyPath: target] = text
        return true
    }

    /// Keeps a text of at most ``Limits/column`` bytes, or a number as it is written. An empty text, a Boolean and `null` are
    /// none.
    private mutating func optionalText(
        _ target: WritableKeyPath<EventFacts, TextRange>,
        _ facts: inout EventFacts
    ) -> Bool {
        if byte() == UInt8(ascii: "\"") {
            guard let text = string(), text.count <= Self.limits.column, !mayHaveMarks(text) else { return false }
            if !text.isEmpty { facts[keyPath: target] = TextRange(text) }
            return true
        }
        let start = position
        let isNumber = byte() == UInt8(ascii: "-") || byte() &- 0x30 < 10
        guard skipScalar() else { return false }
        if isNumber { facts[keyPath: target] = TextRange(start..<position) }
        return true
    }

    /// Keeps an integer, the first under its name.
    @inline(__always)
    private mutating func number(_ target: WritableKeyPath<EventFacts, Int64?>, _ facts: inout EventFacts) -> Bool {
        guard facts[keyPath: target] == nil, let number = integer() else { return false }
        facts[keyPath: target] = number
        return true
    }

    /// Returns true if the event's name and times violate no rule, and the event is not one with rules of its own.
    private func isOrdinary(_ facts: EventFacts, _ receivedAt: Timestamp) -> Bool {
        let name = facts.name.range
        guard name.count <= Self.limits.eventName, isName(name) else { return false }
        if bytes[name.lowerBound] == UInt8(ascii: "_") {
            switch Self.events[bytes, name] {
            case .unusual: return false
            case .screenView: if facts.screenName.isNone { return false }
            case nil: break
            }
        }
        guard let timestamp = facts.timestamp, TimeUnit(of: timestamp) == nil, timestamp <= receivedAt.milliseconds
        else { return false }
        if let start = facts.sessionStart, TimeUnit(of: start) != nil { return false }
        return receivedAt.milliseconds - timestamp <= ServerRule.freshness
    }

    // MARK: - Attributes

    private mutating func attributes(_ facts: inout EventFacts) -> Bool {
        guard enter(UInt8(ascii: "{")) else { return isEmptyObject() }
        let limits = Self.limits.attributes
        var count = 0
        repeat {
            count += 1
            guard count <= limits.maxCount, let name = memberName(), name.count <= limits.name, isName(name) else {
                return false
            }
            if bytes[name.lowerBound] == UInt8(ascii: "_"), let attribute = Self.attributes[bytes, name] {
                guard self.attribute(attribute, &facts) else { return false }
            } else {
                guard attributeValue(limits.value) else { return false }
            }
        } while goesOn(UInt8(ascii: "}"))
        return true
    }

    /// Reads the value of an attribute that the store keeps or the server reads in a certain type.
    private mutating func attribute(_ attribute: Attribute, _ facts: inout EventFacts) -> Bool {
        let longest = Self.limits.column
        switch attribute {
        case .sessionID: return text(\.sessionID, upTo: longest, &facts)
        case .screenName: return text(\.screenName, upTo: longest, &facts)
        case .screenUniqueID: return text(\.screenUniqueID, upTo: longest, &facts)
        case .sessionNumber: return number(\.sessionNumber, &facts)
        case .sessionStart: return number(\.sessionStart, &facts)
        case .engagement: return number(\.engagement, &facts)
        case .scalar: return attributeValue(Self.limits.attributes.value)
        case .column: return attributeValue(longest)
        case .integer: return integer() != nil
        case .number: return plainNumber()
        case .time: return time()
        case .unusual: return false
        }
    }

    /// Reads a text of at most `longest` bytes, a number in plain digits, or a Boolean.
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

    // MARK: - The user

    private mutating func user(_ facts: inout EventFacts) -> Bool {
        guard enter(UInt8(ascii: "{")) else { return isEmptyObject() }
        let limits = Self.limits.user
        var count = 0
        repeat {
            count += 1
            guard count <= limits.maxCount, let name = memberName(), name.count <= limits.name, isName(name)
            else { return false }
            guard enter(UInt8(ascii: "{")), let value = memberName(), isText(value, "value") else { return false }
            if bytes[name.lowerBound] == UInt8(ascii: "_") {
                switch Self.userAttributes[bytes, name] {
                case .userID: guard text(\.userID, upTo: Self.limits.column, &facts) else { return false }
                case .scalar: guard attributeValue(limits.value) else { return false }
                case .time: guard time() else { return false }
                case nil: return false
                }
            } else {
                guard attributeValue(limits.value) else { return false }
            }
            guard goesOn(UInt8(ascii: "}")), let member = memberName(), isText(member, "set_timestamp"),
                time(), !goesOn(UInt8(ascii: "}"))
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

    /// Enters an object that is not empty.
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

    /// Consumes the separator or the end after a value. Returns true if another member follows.
    private mutating func goesOn(_ closing: UInt8) -> Bool {
        skipSpace()
        let isMore = byte() == UInt8(ascii: ",")
        position &+= 1
        if isMore { skipSpace() }
        return isMore
    }

    /// Consumes a name without escapes, and the colon.
    private mutating func memberName() -> Range<Int>? {
        guard byte() == UInt8(ascii: "\""), let name = string() else { return nil }
        skipSpace()
        guard byte() == UInt8(ascii: ":") else { return nil }
        position &+= 1
        skipSpace()
        return name
    }

    private mutating func nonEmptyString() -> TextRange? {
        guard byte() == UInt8(ascii: "\""), let text = string(), !text.isEmpty, !mayHaveMarks(text) else { return nil }
        return TextRange(text)
    }

    /// True for a text that may have long runs of combining marks, which only a complete parse replaces.
    private func mayHaveMarks(_ text: Range<Int>) -> Bool {
        text.count > 60 && bytes[text].contains { $0 >= 0x80 }
    }

    /// Consumes a string. Returns the range between its quotation marks, or `nil` if it contains an escape. Processes
    /// eight bytes at a time.
    @inline(__always)
    private mutating func string() -> Range<Int>? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let start = position &+ 1
        var offset = start
        while offset &+ 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let quotationMark = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let special =
                (((quotationMark &- ones) & ~quotationMark) | ((backslash &- ones) & ~backslash)) & highs
            if special != 0 {
                offset &+= special.trailingZeroBitCount >> 3
                guard bytes[offset] == UInt8(ascii: "\"") else { return nil }
                position = offset &+ 1
                return start..<offset
            }
            offset &+= 8
        }
        while offset < end {
            if bytes[offset] == UInt8(ascii: "\"") {
                position = offset &+ 1
                return start..<offset
            }
            if bytes[offset] == UInt8(ascii: "\\") { return nil }
            offset &+= 1
        }
        return nil
    }

    /// Consumes an integer of at most eighteen digits.
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

    /// Consumes a time in milliseconds since 1970.
    private mutating func time() -> Bool {
        integer().map { TimeUnit(of: $0) == nil } ?? false
    }

    /// Consumes a number without an exponent and with few enough digits to be finite.
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

    /// Consumes a value that is neither an array nor an object, nor a long text.
    private mutating func skipScalar() -> Bool {
        switch byte() {
        case UInt8(ascii: "\""):
            guard let text = string() else { return false }
            return text.count <= Self.limits.column
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

    private func isName(_ range: Range<Int>) -> Bool {
        Characters.areName(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}
