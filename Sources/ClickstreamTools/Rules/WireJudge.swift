package import ClickstreamCore

/// One thing that is wrong with an event in wire form: by the table, by the server's rules, or told by the event itself.
package struct WireFinding: Sendable, Hashable {
    /// A number of the table such as `2003`, or a server rule's text such as `etl_future`.
    package var code: String
    /// Warnings never make an event bad.
    package var severity: Violation.Severity
    package var subject: Violation.Subject
    /// The field, attribute or item that it is about; cut and cleaned like a violation's.
    package var name: String
    /// One sentence with names and lengths; what an SDK itself reported is repeated, cut to the
    /// length of a message.
    package var message: String

    package init(
        code: String,
        severity: Violation.Severity,
        subject: Violation.Subject,
        name: String,
        message: String
    ) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.name = name
        self.message = message
    }

    package init(_ violation: Violation) {
        self.init(
            code: violation.code.description,
            severity: violation.severity,
            subject: violation.subject,
            name: violation.name,
            message: violation.message
        )
    }
}

extension Sequence<WireFinding> {
    /// Whether there is an error among them, which makes the event bad.
    package var makeEventBad: Bool {
        contains { $0.severity == .error }
    }
}

/// Judges an event as it stands in a request: by the SDK's own table and by what the server's processing demands.
///
/// Pure and deterministic; reads any JSON. Findings come in this order: the event's fields, its name, its attributes,
/// its items, its user, and what the SDK that wrote it reported by itself. Of very many the first
/// ``Rules/mostFindings`` are told one by one and the other errors by their number.
package struct WireJudge: Sendable {
    /// How much of an event there is.
    package enum Form: Sendable, Hashable {
        /// An element of a request's array: id, app id and timestamp have to be there.
        case complete
        /// Name, attributes, items and user alone, as people write them for `validate`; user attributes may be bare values.
        case partial
    }

    private let form: Form
    /// When the server got it; without it no time is judged.
    private let receivedAt: Timestamp?
    private let reportsSuggestions: Bool
    private var findings: [WireFinding] = []
    /// The errors past ``Rules/mostFindings``: the first of them, and how many they are.
    private var firstUnlisted: WireFinding?
    private var unlistedCount = 0

    private init(form: Form, receivedAt: Timestamp?, reportsSuggestions: Bool) {
        self.form = form
        self.receivedAt = receivedAt
        self.reportsSuggestions = reportsSuggestions
    }

    /// Everything that is wrong with `event`, in a fixed order; empty when nothing is.
    package static func judge(
        _ event: JSONValue,
        form: Form = .complete,
        receivedAt: Timestamp?,
        reportsSuggestions: Bool = false
    ) -> [WireFinding] {
        var judge = WireJudge(form: form, receivedAt: receivedAt, reportsSuggestions: reportsSuggestions)
        judge.judgeEvent(event)
        return judge.findings
    }

    /// Complete when a field is there that only the wire form has.
    package static func form(of event: JSONValue) -> Form {
        let names = ["event_id", "app_id", "timestamp", "unique_id"]
        return names.contains { event[$0] != nil } ? .complete : .partial
    }

    // MARK: - The event

    /// What the walk over an event's fields finds.
    private struct Fields {
        var eventID: JSONValue?
        var appID: JSONValue?
        var timestamp: JSONValue?
        var eventType: JSONValue?
        var eventName: JSONValue?
        var attributes: JSONValue?
        var items: JSONValue?
        var user: JSONValue?
    }

    private mutating func judgeEvent(_ event: JSONValue) {
        guard let members = event.members else {
            report(.notAnObject, .event, "event", "the event is \(event.kindDescription), not an object")
            return
        }
        var fields = Fields()
        for member in members {
            // The length first: most names are none of these, and numbers compare faster than texts.
            switch (member.name.utf8.count, member.name) {
            case (8, "event_id"): fields.eventID = member.value
            case (6, "app_id"): fields.appID = member.value
            case (9, "timestamp"): fields.timestamp = member.value
            case (10, "event_type"): fields.eventType = member.value
            case (10, "event_name"): fields.eventName = member.value
            case (10, "attributes"): fields.attributes = member.value
            case (5, "items"): fields.items = member.value
            case (4, "user"): fields.user = member.value
            case (13, "screen_height"), (12, "screen_width"), (11, "zone_offset"),
                (24, "event_previous_timestamp"), (14, "viewport_width"), (15, "viewport_height"):
                if !member.value.isNull { requireInteger(member.value, .event, member.name) }
            default: break
            }
        }
        if form == .complete {
            requirePresence(fields.eventID, .missingEventID, "event_id")
            requirePresence(fields.appID, .missingAppID, "app_id")
        }
        let name = judgeName(fields.eventType ?? fields.eventName)
        judgeTime(fields.timestamp, name: name)

        let attributes = object(fields.attributes, "attributes")
        judgeAttributes(attributes, of: name)
        judgeItems(fields.items)
        judgeUser(object(fields.user, "user"))
        tellUnlisted()
        repeatReport(in: attributes, of: name)
    }

    private mutating func requirePresence(_ value: JSONValue?, _ rule: ServerRule, _ name: String) {
        if let value, !value.isNull, value.string?.isEmpty != true { return }
        report(rule, .event, name, "the event has no \"\(name)\"")
    }

    /// The event's name, when there is one.
    private mutating func judgeName(_ value: JSONValue?) -> String? {
        guard let name = value?.string, !name.isEmpty else {
            report(.missingEventType, .event, "event_type", "the event has no \"event_type\" that is a text")
            return nil
        }
        if let violation = Validator.checkEventName(name) {
            findings.append(WireFinding(violation))
        } else if reportsSuggestions {
            collect { Validator.suggestions(forEventName: name, into: &$0) }
        }
        return name
    }

    private mutating func judgeTime(_ value: JSONValue?, name: String?) {
        guard let value, !value.isNull else {
            if form == .complete { report(.missingTimestamp, .event, "timestamp", "the event has no \"timestamp\"") }
            return
        }
        guard requireInteger(value, .event, "timestamp"), let milliseconds = value.integer, let receivedAt else {
            return
        }
        if let name, ServerRule.timeless.contains(name) { return }
        let age = receivedAt.milliseconds.subtractingReportingOverflow(milliseconds)
        if milliseconds > receivedAt.milliseconds {
            report(.future, .event, "timestamp", "the event happened after it was received")
        } else if age.overflow || age.partialValue > ServerRule.freshness {
            let hours = ServerRule.freshness / 3_600_000
            report(.stale, .event, "timestamp", "the event was received more than \(hours) hours after it happened")
        }
    }

    // MARK: - Attributes

    private mutating func judgeAttributes(_ members: [JSONMember], of event: String?) {
        let rules = Rules.attributes
        let isException = event == EventName.appException
        var count = 0
        for member in members {
            let name = member.name
            let isReserved = Characters.areReserved(name)
            if isReserved, Validator.isErrorAttribute(name) { continue }
            if isException, isExceptionText(name) {
                count += 1
                continue
            }
            let value = Self.attributeValue(member.value)
            guard judge(name, value, rules) else { continue }
            guard takes(name, value, rules, after: &count) else { continue }
            if isReserved, member.value.integer == nil, rules.wholeNumbers[name] != nil {
                judgeIntegerAttribute(member.value, name)
            }
        }
        if event == EventName.screenView {
            let name = members.last { $0.name == AttributeName.screenName }?.value
            let value = name.flatMap { $0.isNull ? nil : Self.attributeValue($0) }
            if let violation = Validator.checkScreenName(value) { add(WireFinding(violation)) }
        }
    }

    /// The texts of a crash may be longer than other attributes; the server cuts them.
    private func isExceptionText(_ name: String) -> Bool {
        name == AttributeName.exceptionStack || name == AttributeName.exceptionMessage
    }

    /// A text of digits will do here; the server turns it into a number.
    private mutating func judgeIntegerAttribute(_ value: JSONValue, _ name: String) {
        if value.isNull || value.string.flatMap(Int64.init) != nil { return }
        requireInteger(value, .attribute, name)
    }

    /// Whether a name with its value keeps the rules; reports the first that it breaks.
    private mutating func judge(_ name: String, _ value: AttributeValue, _ rules: AttributeRules) -> Bool {
        if Validator.isAccepted(name, value, rules) { return true }
        guard Validator.isBroken(name, value, rules) else { return true }
        if firstUnlisted != nil {
            unlistedCount += 1
        } else if let violation = Validator.violation(name, value, rules) {
            add(WireFinding(violation))
        }
        return false
    }

    /// Whether there is room for one more that keeps the rules; counts it, or reports that there are too many.
    private mutating func takes(
        _ name: String,
        _ value: AttributeValue,
        _ rules: AttributeRules,
        after count: inout Int
    ) -> Bool {
        guard count < rules.most else {
            add(WireFinding(rules.count.brokenByCount(of: name, rules)))
            return false
        }
        count += 1
        let place = count
        if reportsSuggestions {
            collect {
                Validator.suggest(name, value, rules, into: &$0)
                Validator.suggest(place, name, rules, into: &$0)
            }
        }
        return true
    }

    /// What the rules see of a JSON value; objects, arrays and `null` have neither length nor range.
    private static func attributeValue(_ value: JSONValue) -> AttributeValue {
        switch value.kind {
        case .string(let text): .string(text)
        case .number(let number): number.integer.map { .integer($0) } ?? .double(number.double)
        case .boolean(let truth): .boolean(truth)
        case .null, .array, .object: .boolean(false)
        }
    }

    // MARK: - Items

    /// Spellings that the server takes for an item's id and name.
    private static let aliases = ["item_id": ItemName.id, "item_name": ItemName.name]

    private mutating func judgeItems(_ value: JSONValue?) {
        guard let value, !value.isNull else { return }
        guard let items = value.array else {
            report(.notAnArray, .item, "items", "\"items\" is \(value.kindDescription), not an array")
            return
        }
        var count = 0
        for (place, item) in items.enumerated() {
            guard let members = item.members else {
                let name = "items[\(place)]"
                report(.notAnObject, .item, name, "\(name) is \(item.kindDescription), not an object")
                continue
            }
            let attributes = Self.itemAttributes(members)
            let reportsSuggestions = reportsSuggestions
            let isFine = collect { findings in
                var rest = UnlistedFindings()
                defer { rest.finish(into: &findings) }
                return Validator.checkItem(
                    attributes,
                    at: place,
                    reportsSuggestions: reportsSuggestions,
                    &rest,
                    into: &findings
                )
            }
            guard isFine else { continue }
            guard count < Validator.Limits.items else {
                add(WireFinding(Rules.itemsTooMany.brokenByItemCount(at: place)))
                continue
            }
            count += 1
            if reportsSuggestions { collect { Validator.suggest(itemCount: count, at: place, into: &$0) } }
        }
    }

    /// An item's members under the names that the rules know; an alias gives way to the name that it stands for.
    private static func itemAttributes(_ members: [JSONMember]) -> Attributes {
        let names = Set(members.lazy.map(\.name))
        func name(of member: JSONMember) -> String {
            guard let name = aliases[member.name] else { return ItemName.renamed[member.name] ?? member.name }
            return names.contains(name) ? member.name : name
        }
        return Attributes(
            members.lazy.filter { !$0.value.isNull }.map { (name(of: $0), Self.attributeValue($0.value)) }
        )
    }

    // MARK: - The user

    /// Entries that the server reads as objects, whatever else it takes for others.
    private static let named: Set<String> = [
        AttributeName.userID, AttributeName.userName, AttributeName.userAge, AttributeName.userFirstTouch,
    ]

    private mutating func judgeUser(_ members: [JSONMember]) {
        let rules = Rules.userAttributes
        var count = 0
        for member in members {
            let name = member.name
            guard let entry = entryValue(member) else { continue }
            let value = Self.attributeValue(entry)
            guard judge(name, value, rules) else { continue }
            if Characters.areReserved(name) {
                judgeReserved(name, entry)
                if Validator.isUncountedUserAttribute(name) { continue }
            }
            _ = takes(name, value, rules, after: &count)
        }
    }

    /// The value of an entry of `user`, or `nil` when it has none; says so.
    private mutating func entryValue(_ member: JSONMember) -> JSONValue? {
        var phrase: String { "the user attribute \"\(Characters.reported(member.name))\"" }
        guard member.value.members != nil else {
            let isBareAllowed = form == .partial || !Self.named.contains(member.name)
            if isBareAllowed, member.value.array == nil { return member.value }
            report(
                .userEntry,
                .userAttribute,
                member.name,
                "\(phrase) is \(member.value.kindDescription), not an object with a \"value\""
            )
            return nil
        }
        guard let value = member.value["value"] else {
            report(.userEntry, .userAttribute, member.name, "\(phrase) has no \"value\"")
            return nil
        }
        if let time = member.value["set_timestamp"], !time.isNull, time.integer == nil {
            report(
                .userEntry,
                .userAttribute,
                member.name,
                "the \"set_timestamp\" of \(phrase) is \(Self.description(time)), not a whole number"
            )
        }
        return value
    }

    /// The reserved user attributes whose values the server reads in a certain type.
    private mutating func judgeReserved(_ name: String, _ value: JSONValue) {
        switch name {
        case AttributeName.userID:
            if let id = value.string, let violation = Validator.checkUserID(id) { add(WireFinding(violation)) }
        case AttributeName.userAge:
            if value.integer.flatMap(Int32.init(exactly:)) != nil { return }
            report(
                .userAge,
                .userAttribute,
                name,
                "the user attribute \"\(name)\" is \(Self.description(value)), not a whole number"
            )
        case AttributeName.userFirstTouch:
            if !value.isNull { requireInteger(value, .userAttribute, name) }
        default: break
        }
    }

    // MARK: - What the SDK reported by itself

    /// Repeats `_error_code` and `_error_message`, which an SDK puts into the event that it had to mend.
    private mutating func repeatReport(in attributes: [JSONMember], of event: String?) {
        guard let code = attributes.last(where: { $0.name == AttributeName.errorCode })?.value else { return }
        let text: String
        switch code.kind {
        case .number(let number): text = number.text
        case .string(let spelled): text = spelled
        case .null, .boolean, .array, .object: return
        }
        // Zero is how some say that there was none.
        if text.isEmpty || code.double == 0 { return }
        let reported = attributes.last { $0.name == AttributeName.errorMessage }?.value.string
        let message = reported.map { String($0.unicodeScalars.prefix(Rules.longestMessage)) }
        findings.append(
            WireFinding(
                code: Characters.reported(text),
                severity: .error,
                subject: .event,
                name: Characters.reported(event ?? ""),
                message: message ?? "the SDK that wrote the event reported this code"
            )
        )
    }

    // MARK: - Reporting

    private mutating func report(
        _ rule: ServerRule,
        _ subject: Violation.Subject,
        _ name: String,
        _ message: String
    ) {
        add(
            WireFinding(
                code: rule.code,
                severity: rule.severity,
                subject: subject,
                name: Characters.reported(name),
                message: message
            )
        )
    }

    private mutating func add(_ finding: WireFinding) {
        if findings.count < Rules.mostFindings {
            findings.append(finding)
        } else if finding.severity == .error {
            if firstUnlisted == nil { firstUnlisted = finding }
            unlistedCount += 1
        }
    }

    private mutating func tellUnlisted() {
        guard var finding = firstUnlisted else { return }
        if unlistedCount > 1 {
            let message = "\(unlistedCount) more mistakes, the first of them: \(finding.message)"
            finding.message = String(message.unicodeScalars.prefix(Rules.longestMessage))
        }
        findings.append(finding)
    }

    /// The members of a field that has to be an object; none when it is absent.
    private mutating func object(_ value: JSONValue?, _ name: String) -> [JSONMember] {
        guard let value, !value.isNull else { return [] }
        if let members = value.members { return members }
        report(.notAnObject, .event, name, "\"\(name)\" is \(value.kindDescription), not an object")
        return []
    }

    @discardableResult
    private mutating func requireInteger(_ value: JSONValue, _ subject: Violation.Subject, _ name: String) -> Bool {
        if value.integer != nil { return true }
        report(.notAnInteger, subject, name, "\"\(name)\" is \(Self.description(value)), not a whole number")
        return false
    }

    private static func description(_ value: JSONValue) -> String {
        value.number == nil ? value.kindDescription : "a number with a fraction, an exponent or too many digits"
    }

    /// Takes over what a part of the validator finds.
    @discardableResult
    private mutating func collect<Result>(_ check: (inout [Violation]) -> Result) -> Result {
        var violations: [Violation] = []
        let result = check(&violations)
        for violation in violations { add(WireFinding(violation)) }
        return result
    }
}
