import ClickstreamCore

/// Checks of single values by their field's table.
extension CapturedJudge {
    mutating func check(_ value: JSONValue, _ check: CapturedField.Check) {
        switch check {
        case .text: _ = text(value)
        case .nonEmptyText:
            if text(value)?.isEmpty == true { report(.empty, "is empty") }
        case .id(let form):
            if let id = text(value), !Self.isID(id, form) {
                report(.notAnID, form == .upperCase ? "is not a UUID with upper-case digits" : "is not a UUID")
            }
        case .word(let words):
            if let word = text(value), !words.contains(word) {
                report(
                    .unknownValue,
                    "is \"\(Characters.reported(word))\", not one of \(words.joined(separator: ", "))"
                )
            }
        case .boolean:
            if value.boolean == nil { report(.wrongType, "is \(value.kindDescription), not a boolean") }
        case .isTrue:
            guard let truth = value.boolean else {
                return report(.wrongType, "is \(value.kindDescription), not a boolean")
            }
            if !truth { report(.unknownValue, "is false, which no automatic event has") }
        case .integer(let range):
            if let number = integer(value), !range.contains(number) {
                report(.outOfRange, "is \(number), not in the range from \(range.lowerBound) to \(range.upperBound)")
            }
        case .number(let numbers):
            if let number = integer(value), !numbers.contains(number) {
                report(.unknownValue, "is \(number), not one of \(numbers.map(String.init).joined(separator: ", "))")
            }
        case .double(let range): self.double(value, in: range)
        case .time: _ = time(value)
        case .eventTime: eventTime(value)
        case .object(let table): object(value, table)
        case .data:
            if value.members == nil { report(.notAnObject, "is \(value.kindDescription), not an object") }
        case .ids: ids(value)
        case .list(let check, let maxCount): list(value, check, maxCount: maxCount)
        case .date: date(value)
        case .textOrNull:
            if !value.isNull { _ = text(value) }
        case .custom(let check): check(&self, value)
        }
    }

    // MARK: Scalars

    mutating func text(_ value: JSONValue) -> String? {
        if let text = value.string { return text }
        report(.wrongType, "is \(value.kindDescription), not a string")
        return nil
    }

    mutating func integer(_ value: JSONValue) -> Int64? {
        guard let number = value.number else {
            report(.wrongType, "is \(value.kindDescription), not an integer")
            return nil
        }
        if number.integer == nil { report(.notAnInteger, "is \(WireJudge.description(value)), not an integer") }
        return number.integer
    }

    private mutating func double(_ value: JSONValue, in range: ClosedRange<Double>) {
        guard let number = value.double else {
            return report(.wrongType, "is \(value.kindDescription), not a number")
        }
        if !range.contains(number) {
            report(.outOfRange, "is not in the range from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    /// Returns a time in milliseconds, and reports any other value.
    private mutating func time(_ value: JSONValue) -> Int64? {
        guard let time = integer(value) else { return nil }
        guard let unit = TimeUnit(of: time) else { return time }
        report(.timeUnit, "is \(unit.mismatch)")
        return nil
    }

    private mutating func eventTime(_ value: JSONValue) {
        guard let time = time(value), let now = receivedAt?.milliseconds else { return }
        if time > now {
            reportFuture()
        } else if now - time > ServerRule.freshness {
            report(
                .stale,
                "is more than \(ServerRule.freshness / 3_600_000) hours before the time of reception"
            )
        }
    }

    private mutating func reportFuture() { report(.future, "is later than the time of reception") }

    private mutating func date(_ value: JSONValue) {
        guard let text = text(value) else { return }
        guard let time = Timestamp(canonical: text) else {
            return report(.date, "does not have the form 2024-01-31T10:11:12.345Z")
        }
        if let receivedAt, time > receivedAt { reportFuture() }
    }

    /// True for 32 hexadecimal digits in the groups of a UUID.
    private static func isID(_ text: String, _ form: CapturedField.IDForm) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, _), (13, _), (18, _), (23, _):
                if byte != UInt8(ascii: "-") { return false }
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "A")...UInt8(ascii: "F")): continue
            case (_, UInt8(ascii: "a")...UInt8(ascii: "f")):
                if form == .upperCase { return false }
            default: return false
            }
        }
        return true
    }

    // MARK: Containers

    mutating func object(_ value: JSONValue, _ table: CapturedObject) {
        guard let members = value.members else {
            return report(.notAnObject, "is \(value.kindDescription), not an object")
        }
        var seen: UInt64 = 0
        var others: Set<String> = []
        for member in members {
            guard let index = table.fields.firstIndex(where: { $0.name == member.name }) else {
                if let check = table.others {
                    let isNew = others.insert(member.name).inserted
                    if !isNew { report(.repeatedField, member.name, "occurs more than once") }
                    enter(member.name)
                    self.check(member.value, check)
                    leave()
                } else if table.foreign.contains(member.name) {
                    report(.foreignField, member.name, "belongs to other events")
                } else if !table.isOpen {
                    report(.unknownField, member.name, "is no field of the format")
                }
                continue
            }
            if member.value.isNull, !table.fields[index].check.isNullable { continue }
            if seen & 1 << index != 0 { report(.repeatedField, member.name, "occurs more than once") }
            seen |= 1 << index
            enter(table.fields[index].name)
            check(member.value, table.fields[index].check)
            leave()
        }
        for (index, field) in table.fields.enumerated() where field.isRequired && seen & 1 << index == 0 {
            report(.missingField, field.name, "is missing")
        }
    }

    private mutating func list(_ value: JSONValue, _ check: CapturedField.Check, maxCount: Int) {
        guard let elements = value.array else {
            return report(.wrongType, "is \(value.kindDescription), not an array")
        }
        if elements.count > maxCount {
            report(.tooMany, "has \(elements.count) entries, at most \(maxCount) are allowed")
        }
        for (index, element) in elements.enumerated() {
            enter(index)
            self.check(element, check)
            leave()
        }
    }

    private mutating func ids(_ value: JSONValue) {
        guard let members = value.members else {
            return report(.notAnObject, "is \(value.kindDescription), not an object")
        }
        var names: Set<String> = []
        for member in members {
            if !names.insert(member.name).inserted { report(.repeatedField, member.name, "occurs more than once") }
            enter(member.name)
            check(member.value, .id(.upperCase))
            leave()
        }
    }
}

extension CapturedField.Check {
    /// True if null is a value of its own, not the same as a missing field.
    fileprivate var isNullable: Bool {
        if case .textOrNull = self { return true }
        return false
    }
}

extension Timestamp {
    /// Parses the form of ``description``, and no other.
    init?(canonical text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 24 else { return nil }
        func number(_ range: Range<Int>) -> Int {
            bytes[range].reduce(0) { 10 * $0 + Int($1) - Int(UInt8(ascii: "0")) }
        }
        self.init(
            CivilTime(
                year: number(0..<4),
                month: min(max(number(5..<7), 1), 12),
                day: number(8..<10),
                hour: number(11..<13),
                minute: number(14..<16),
                second: number(17..<19),
                millisecond: number(20..<23)
            )
        )
        // Rejects fields out of range, which carry over, and any other character.
        if description != text { return nil }
    }
}
