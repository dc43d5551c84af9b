package import ClickstreamCore

/// Checks an event of a request by the SDK's own table and by the requirements of the server's processing.
///
/// Pure and deterministic; reads any JSON. Findings come in this order: the event's fields, its name, its attributes,
/// its items, its user, and the mistakes that the SDK reported in the event. The first ``Rules/maxFindings`` are
/// listed, the other errors are reported as a count.
package struct WireJudge: Sendable {
    /// Completeness of an event.
    package enum Form: Sendable, Hashable {
        /// An element of a request's array: id, app id and timestamp are required.
        case complete
        /// Only name, attributes, items and user, as written by a person for `validate`; user attributes may be bare
        /// values.
        case partial
    }

    let form: Form
    /// The time of arrival at the server; `nil` to check only the unit of times.
    private let receivedAt: Timestamp?
    let reportsSuggestions: Bool
    /// Milliseconds by which the server moves the times of the event; see ``judgeTime(_:isTimeless:)``.
    private(set) var timeShift: Int64 = 0
    /// The maximum number of listed findings.
    private let maxListed: Int
    private var findings: [WireFinding] = []
    /// The first error past ``maxListed``.
    private(set) var firstUnlisted: WireFinding?
    /// The number of errors past ``maxListed``.
    private var unlistedCount = 0
    /// True if ``firstUnlisted`` is the only unlisted error, and therefore listed.
    private var isFirstListed = false
    /// The number of warnings past ``maxListed``.
    private var unlistedWarnings = 0

    private init(form: Form, receivedAt: Timestamp?, reportsSuggestions: Bool, maxListed: Int = Rules.maxFindings) {
        self.form = form
        self.receivedAt = receivedAt
        self.reportsSuggestions = reportsSuggestions
        self.maxListed = min(max(0, maxListed), Rules.maxFindings)
    }

    /// Findings on an event, with the number of unlisted ones.
    package struct Verdict: Sendable, Hashable {
        /// The listed findings, followed by one that counts further errors.
        package var findings: [WireFinding]
        /// The number of unlisted findings.
        package var unlisted: Int
        /// True if there is an error, listed or not.
        package var isBad: Bool
    }

    /// Equivalent of ``judge(_:form:receivedAt:reportsSuggestions:)`` for an event of a request, with a limit.
    /// - Parameter maxListed: the maximum number of listed findings, at most ``Rules/maxFindings``. With 0, one
    ///   finding counts all errors.
    package static func verdict(
        on event: JSONValue,
        receivedAt: Timestamp?,
        reportsSuggestions: Bool = false,
        maxListed: Int = Rules.maxFindings
    ) -> Verdict {
        var judge = WireJudge(
            form: .complete,
            receivedAt: receivedAt,
            reportsSuggestions: reportsSuggestions,
            maxListed: maxListed
        )
        judge.judgeEvent(event)
        return Verdict(
            findings: judge.findings,
            unlisted: judge.unlistedCount + judge.unlistedWarnings - (judge.isFirstListed ? 1 : 0),
            isBad: judge.unlistedCount > 0 || judge.findings.makeEventBad
        )
    }

    /// The number of further findings that can be listed.
    var remaining: Int { max(0, maxListed - findings.count) }

    /// Returns the findings on `event`, in a fixed order.
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

    /// Returns `complete` if the event has a field that only the wire form has.
    package static func form(of event: JSONValue) -> Form {
        FieldName.wireOnly.contains { event[$0] != nil } ? .complete : .partial
    }

    // MARK: - The event

    /// Fields of an event with rules besides their type.
    private struct Fields {
        var eventID: JSONValue?
        var appID: JSONValue?
        var timestamp: JSONValue?
        var eventType: JSONValue?
        /// The later one of `event_type` and `event_name`, which are one field of the server.
        var name: JSONMember?
        var attributes: JSONValue?
        var items: JSONValue?
        var user: JSONValue?
        /// Fields that a later one of the same name replaces. The server parses each of them and keeps the last.
        var replaced: [JSONMember] = []

        mutating func set(_ field: WritableKeyPath<Fields, JSONValue?>, _ member: JSONMember) {
            if let value = self[keyPath: field] { replaced.append(JSONMember(member.name, value)) }
            self[keyPath: field] = member.value
        }

        mutating func setName(_ member: JSONMember) {
            if let name { replaced.append(name) }
            name = member
        }
    }

    private mutating func judgeEvent(_ event: JSONValue) {
        guard let members = event.members else {
            report(.notAnObject, .event, "event", "the event is \(event.kindDescription), not an object")
            return
        }
        var fields = Fields()
        var broken: [Int] = []
        for (index, member) in members.enumerated() {
            // The length first: most names are different, and numbers compare faster than texts.
            switch (member.name.utf8.count, member.name) {
            case (8, FieldName.eventID): fields.set(\.eventID, member)
            case (6, FieldName.appID): fields.set(\.appID, member)
            case (9, FieldName.timestamp): fields.set(\.timestamp, member)
            case (10, FieldName.eventType):
                fields.eventType = member.value
                fields.setName(member)
            case (10, FieldName.eventName): fields.setName(member)
            case (10, FieldName.attributes): fields.set(\.attributes, member)
            case (5, FieldName.items): fields.set(\.items, member)
            case (4, FieldName.user): fields.set(\.user, member)
            default: if isBroken(member) { broken.append(index) }
            }
        }
        if !broken.isEmpty { judgeFields(members, at: broken) }
        if form == .complete {
            requirePresence(fields.eventID, .missingEventID, FieldName.eventID, orEmpty: true)
            requirePresence(fields.appID, .missingAppID, FieldName.appID, orEmpty: false)
        }
        let name = judgeName(fields.name)
        judgeTime(fields.timestamp, isTimeless: fields.eventType?.string.map(ServerRule.timeless.contains) ?? false)

        let attributes = object(fields.attributes, FieldName.attributes)
        judgeAttributes(attributes, of: name)
        judgeItems(fields.items)
        judgeUser(object(fields.user, FieldName.user))
        for member in fields.replaced { judgeReplaced(member) }
        reportUnlisted()
        repeatReport(in: attributes, of: name)
    }

    /// Checks a field with rules of its own that a later one replaces: only for values with which the server loses the
    /// event while it parses them.
    private mutating func judgeReplaced(_ member: JSONMember) {
        let value = member.value
        switch member.name {
        case FieldName.attributes: judgeAttributes(object(value, member.name), of: nil, areReplaced: true)
        case FieldName.items: judgeItems(value, areReplaced: true)
        case FieldName.user: judgeUser(object(value, member.name), areReplaced: true)
        default:
            let reading: ServerField.Reading = member.name == FieldName.timestamp ? .integer : .text
            if let rule = reading.rule(brokenBy: value) { report(rule, value, .event, member.name) }
        }
    }

    private mutating func requirePresence(
        _ value: JSONValue?,
        _ rule: ServerRule,
        _ name: String,
        orEmpty: Bool
    ) {
        guard let value, !value.isNull, orEmpty || value.string?.allSatisfy(\.isWhitespace) != true else {
            return report(rule, .event, name, "the event has no \"\(name)\"")
        }
        if let rule = ServerField.Reading.text.rule(brokenBy: value) { report(rule, value, .event, name) }
        warn(ifCut: value, after: ServerField.usualColumnBytes, .event, name)
    }

    /// Checks the event's name and returns it. The server accepts a number or a Boolean in its own spelling; the
    /// rules of names apply only to strings.
    private mutating func judgeName(_ member: JSONMember?) -> String? {
        if let member, let rule = ServerField.Reading.text.rule(brokenBy: member.value) {
            report(rule, member.value, .event, member.name)
            return nil
        }
        if let member, let spelling = member.value.number?.text ?? member.value.boolean?.description {
            warn(ifCut: member.value, after: ServerField.usualColumnBytes, .event, member.name)
            return spelling
        }
        guard let name = member?.value.string, !name.isEmpty else {
            let field = member?.name ?? FieldName.eventType
            report(.missingEventType, .event, field, "the event has no \"\(field)\" that is a string")
            return nil
        }
        if let violation = Validator.checkEventName(name) {
            add(WireFinding(violation))
        } else if reportsSuggestions, !ServerField.webEvents.contains(name) {
            collect { Validator.suggestions(forEventName: name, into: &$0) }
        }
        return name
    }

    /// Checks the event's time. A time in another unit is neither future nor stale.
    ///
    /// The server stores a timeless event of the future with the time of arrival, and moves its other times as far.
    private mutating func judgeTime(_ value: JSONValue?, isTimeless: Bool) {
        guard let value, !value.isNull else {
            if form == .complete {
                report(.missingTimestamp, .event, FieldName.timestamp, "the event has no \"timestamp\"")
            }
            return
        }
        guard let milliseconds = value.integer else { return report(.notAnInteger, value, .event, FieldName.timestamp) }
        if isTimeless, let receivedAt, milliseconds > receivedAt.milliseconds {
            timeShift = receivedAt.milliseconds &- milliseconds
        }
        guard TimeUnit(of: milliseconds) == nil else {
            report(.timeUnit, value, .event, FieldName.timestamp)
            // The server subtracts without a check, so that an overflowing age is below every limit.
            let age = (receivedAt?.milliseconds ?? 0).subtractingReportingOverflow(milliseconds)
            if isTimeless ? milliseconds < ServerRule.earliestEvent : age.overflow {
                let message = "the event is before 1900-01-01, which ends the server's batch job"
                report(.timeRange, .event, FieldName.timestamp, message)
            }
            return
        }
        guard let receivedAt, !isTimeless else { return }
        if milliseconds > receivedAt.milliseconds {
            report(.future, .event, FieldName.timestamp, "the event happened after it was received")
        } else if receivedAt.milliseconds - milliseconds > ServerRule.freshness {
            let hours = ServerRule.freshness / 3_600_000
            report(
                .stale,
                .event,
                FieldName.timestamp,
                "the event was received more than \(hours) hours after it happened"
            )
        }
    }

    // MARK: - Mistakes that the SDK reported

    /// Reports `_error_code` and `_error_message`, with which an SDK marks an event that violated its rules.
    private mutating func repeatReport(in attributes: [JSONMember], of event: String?) {
        guard let code = attributes.last(where: { $0.name == AttributeName.errorCode })?.value else { return }
        let text: String
        switch code.kind {
        case .number(let number): text = number.text
        case .string(let spelled): text = spelled
        case .null, .boolean, .array, .object: return
        }
        // Some SDKs write 0 for no error.
        if text.isEmpty || code.double == 0 { return }
        if maxListed == 0, !findings.isEmpty {
            unlistedCount += 1
            return
        }
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

    /// Reports a value of the wrong type under `name`.
    mutating func report(
        _ rule: ServerRule,
        _ value: JSONValue,
        _ subject: Violation.Subject,
        _ name: String,
        item: Int? = nil
    ) {
        if remaining == 0, firstUnlisted != nil { return count(rule.severity) }
        let location = item.map { "items[\($0)]: " } ?? ""
        let phrase = rule == .userAge ? "the user attribute \"\(name)\"" : "\"\(Characters.reported(name))\""
        report(rule, subject, name, "\(location)\(phrase) is \(Self.mismatch(value, rule))")
    }

    /// Returns the end of a sentence on a value that violates the rule of its type.
    static func mismatch(_ value: JSONValue, _ rule: ServerRule) -> String {
        switch rule {
        case .notAText: "\(value.kindDescription), not a string"
        case .notAScalar: "\(value.kindDescription), not a single value"
        case .notANumber: "\(value.kindDescription), not a number"
        case .timeUnit: (ServerField.Reading.truncated(value).flatMap(TimeUnit.init(of:)) ?? .unknown).mismatch
        default: "\(description(value)), not an integer"
        }
    }

    static func description(_ value: JSONValue) -> String {
        value.number == nil ? value.kindDescription : "a number with a fraction, an exponent or too many digits"
    }

    mutating func report(
        _ rule: ServerRule,
        _ subject: Violation.Subject,
        _ name: String,
        _ message: @autoclosure () -> String
    ) {
        if remaining == 0, firstUnlisted != nil { return count(rule.severity) }
        add(
            WireFinding(
                code: rule.code,
                severity: rule.severity,
                subject: subject,
                name: Characters.reported(name),
                message: message()
            )
        )
    }

    mutating func add(_ finding: WireFinding) {
        if remaining > 0 { return findings.append(finding) }
        if finding.severity == .error, firstUnlisted == nil { firstUnlisted = finding }
        count(finding.severity)
    }

    /// Counts a finding that is not listed.
    private mutating func count(_ severity: Violation.Severity) {
        if severity == .error { unlistedCount += 1 } else { unlistedWarnings += 1 }
    }

    /// Counts an error beyond ``maxListed`` without a message: ``firstUnlisted`` is set.
    mutating func addUnlisted() {
        unlistedCount += 1
    }

    /// Adds the violations that a part of the validator did not list.
    mutating func add(_ rest: UnlistedFindings) {
        guard let first = rest.first else { return }
        if firstUnlisted == nil { firstUnlisted = WireFinding(first) }
        unlistedCount += rest.count
    }

    private mutating func reportUnlisted() {
        guard var finding = firstUnlisted else { return }
        isFirstListed = unlistedCount == 1
        if !isFirstListed {
            let more = findings.isEmpty ? "" : "more "
            let message = "\(unlistedCount) \(more)mistakes, the first of them: \(finding.message)"
            finding.message = String(message.unicodeScalars.prefix(Rules.longestMessage))
        }
        findings.append(finding)
    }

    /// Returns the members of a field that must be an object; empty if it is absent.
    private mutating func object(_ value: JSONValue?, _ name: String) -> [JSONMember] {
        guard let value, !value.isNull else { return [] }
        if let members = value.members { return members }
        report(.notAnObject, .event, name, "\"\(name)\" is \(value.kindDescription), not an object")
        return []
    }

    /// Adds the findings of a part of the validator.
    @discardableResult
    mutating func collect<Result>(_ check: (inout [Violation]) -> Result) -> Result {
        var violations: [Violation] = []
        let result = check(&violations)
        for violation in violations { add(WireFinding(violation)) }
        return result
    }
}
