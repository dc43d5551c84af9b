import ClickstreamCore

/// Event as the published pipeline reads it: first by a schema of columns, then by a parser that sees each name once.
struct PipelineEvent {
    private typealias Exit = PipelineJudge.Exit

    private let element: JSONValue
    /// Members with the last value of each name, at the position of its first one; what the parser sees.
    private let members: [JSONMember]

    init(_ element: JSONValue) {
        self.element = element
        members = Self.collapsed(element).members ?? []
    }

    /// The value, with the last value of each name in its objects at the position of the first.
    private static func collapsed(_ value: JSONValue) -> JSONValue {
        switch value.kind {
        case .array(let elements): return JSONValue(.array(elements.map(collapsed)), offset: value.offset)
        case .object(let members):
            var positions: [ExactText: Int] = [:]
            var last: [JSONMember] = []
            for member in members {
                var member = member
                member.value = collapsed(member.value)
                if let position = positions[ExactText(member.name)] {
                    last[position].value = member.value
                } else {
                    positions[ExactText(member.name)] = last.count
                    last.append(member)
                }
            }
            return JSONValue(.object(last), offset: value.offset)
        case .null, .boolean, .number, .string: return value
        }
    }

    // MARK: - Fields

    /// The event as the parser sees it.
    var seen: JSONValue { JSONValue(.object(members)) }

    private func position(of name: String) -> Int? { members.firstIndex { $0.name == name } }

    private subscript(name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name == name })?.value, !value.isNull else { return nil }
        return value
    }

    /// A text, or the JSON of any other value, as in a column.
    private func text(_ name: String) -> String? { self[name].map { $0.string ?? $0.description } }

    var id: String? { text(FieldName.eventID) }
    /// Hash of the app and of the id as far as its column keeps it, in whole characters.
    var keyHash: Int {
        var hasher = Hasher()
        var bytes = 0
        for scalar in (id ?? "").unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > ServerField.usualColumnBytes { break }
            hasher.combine(scalar.value)
        }
        hasher.combine(appID.map { ExactText($0) })
        return hasher.finalize()
    }
    var appID: String? { self[FieldName.appID].flatMap { $0.isNested ? nil : $0.string ?? $0.description } }
    var timestamp: Int64? { self[FieldName.timestamp]?.integer }
    /// True for the events that the pipeline does not drop by their time.
    var isTimeless: Bool { self[FieldName.eventType]?.string.map(ServerRule.timeless.contains) ?? false }

    /// The member with the name of the event: of the two that it may have, the later one.
    private var nameMember: JSONMember? {
        members.last { $0.name == FieldName.eventType || $0.name == FieldName.eventName }
    }
    var name: String? { nameMember.flatMap { $0.value.isNull ? nil : $0.value.string ?? $0.value.description } }

    /// True for an event that has a row in the table of users.
    var hasUser: Bool {
        members.last { $0.name == FieldName.uniqueID || $0.name == FieldName.userPseudoID }.map { !$0.value.isNull }
            ?? false
    }

    // MARK: - Steps

    /// The schema: columns of integers, and the three fields that identify an event.
    func checkSchema() throws(PipelineJudge.Exit) {
        guard let all = element.members else {
            throw Exit(
                .corruptData,
                ServerRule.notAnObject.code,
                "the event is \(element.kindDescription), not an object"
            )
        }
        for member in all {
            guard let field = ServerField.event[member.name],
                field.reading == .integer || field.reading == .plainNumber,
                let rule = field.reading.rule(brokenBy: member.value)
            else { continue }
            throw Self.exit(.corruptData, rule, member)
        }
        let required: [(String, ServerRule)] = [
            (FieldName.eventID, .missingEventID), (FieldName.appID, .missingAppID),
            (FieldName.timestamp, .missingTimestamp),
        ]
        for (name, rule) in required where self[name] == nil {
            throw Exit(.corruptData, rule.code, "the event has no \"\(name)\"")
        }
    }

    /// The parser.
    func parse(hasURI: Bool) throws(PipelineJudge.Exit) {
        try check(members, in: ServerField.event)
        let attributes = try object(FieldName.attributes)
        try check(attributes, in: ServerField.attributes)
        try checkUser(try object(FieldName.user))
        let misread =
            try checkItems()
            ?? attributes.first { member in
                guard let reading = ServerField.attributes[member.name]?.reading else { return false }
                return member.value.isNested && (reading == .scalar || reading == .digits)
            }.map { (FieldName.attributes, $0.name) }
        let unread = misread.flatMap { position(of: $0.0) } ?? members.count
        func isRead(_ name: String) -> Bool { position(of: name).map { $0 < unread } ?? false }
        if let (container, field) = misread, ![FieldName.eventType, FieldName.eventName].contains(where: isRead) {
            throw Exit(.skipped, LineRule.misread.code, Self.misreading(field, in: container, "event_type"))
        }
        if name?.isEmpty ?? true {
            throw Exit(.skipped, ServerRule.missingEventType.code, "the event has no name")
        }
        if let (container, field) = misread, !isRead(FieldName.timestamp) {
            throw Exit(.corruptEvent, LineRule.misread.code, Self.misreading(field, in: container, "timestamp"))
        }
        if !hasURI { throw Exit(.corruptEvent, LineRule.noURI.code, "the request has no uri") }
    }

    private static func misreading(_ field: String, in container: String, _ lost: String) -> String {
        "\"\(field)\" in \"\(container)\" is an array or object, and \"\(lost)\" is behind it"
    }

    /// The times that the batch job cannot write.
    /// - Parameter shift: milliseconds by which the job moves the times of the event.
    func checkTimes(movedBy shift: Int64) throws(PipelineJudge.Exit) {
        guard let time = timestamp.map({ $0 &+ shift }) else { return }
        if time.multipliedReportingOverflow(by: 1_000).overflow || time < ServerRule.earliestEvent && isTimeless {
            throw Exit(.jobFails, ServerRule.timeRange.code, "the batch job cannot write the time of the event")
        }
        guard hasUser, let entry = self[FieldName.user]?[AttributeName.userFirstTouch],
            let touch = entry["value"].flatMap(ServerField.Reading.truncated).map({ $0 &+ shift })
        else { return }
        let day: Int64 = 86_400_000
        let days = touch / day - (touch % day < 0 ? 1 : 0)
        let isInUsers = name.map(Self.userEvents.contains) ?? false
        if Int32(exactly: days) == nil || isInUsers && touch < ServerRule.earliestFirstTouch {
            throw Exit(.jobFails, ServerRule.timeRange.code, "the batch job cannot write the first touch of the user")
        }
    }

    /// The events from which the table of users takes the first touch.
    private static let userEvents: Set<String> = ServerRule.timeless.subtracting([EventName.profileSet])
        .union([EventName.sessionStart, EventName.screenView])

    // MARK: - Parts

    private static func exit(_ fate: PipelineVerdict.Fate, _ rule: ServerRule, _ member: JSONMember) -> Exit {
        let name = Characters.reported(member.name)
        return Exit(fate, rule.code, "\"\(name)\" is \(WireJudge.mismatch(member.value, rule))")
    }

    /// Checks fields that the parser cannot leave out.
    private func check(_ members: [JSONMember], in fields: [String: ServerField]) throws(PipelineJudge.Exit) {
        for member in members {
            guard let reading = fields[member.name]?.reading, reading != .scalar, reading != .digits,
                let rule = reading.rule(brokenBy: member.value)
            else { continue }
            throw Self.exit(.corruptEvent, rule, member)
        }
    }

    /// The members of an object, each name once; none for an absent one.
    private func object(_ name: String) throws(PipelineJudge.Exit) -> [JSONMember] {
        guard let value = self[name] else { return [] }
        guard let members = value.members else {
            throw Exit(
                .corruptEvent,
                ServerRule.notAnObject.code,
                "\"\(name)\" is \(value.kindDescription), not an object"
            )
        }
        return members
    }

    /// Checks the items. Returns the first field in one after which the parser misreads the event.
    private func checkItems() throws(PipelineJudge.Exit) -> (container: String, field: String)? {
        guard let value = self[FieldName.items] else { return nil }
        guard let items = value.array else {
            throw Exit(.corruptEvent, ServerRule.notAnArray.code, "\"items\" is \(value.kindDescription), not an array")
        }
        var misread: String?
        for (index, item) in items.enumerated() {
            guard let members = item.members else {
                let kind = item.kindDescription
                throw Exit(.corruptEvent, ServerRule.notAnObject.code, "items[\(index)] is \(kind), not an object")
            }
            for member in members {
                guard let reading = ServerField.item[member.name]?.reading else { continue }
                if reading == .scalar {
                    // After an empty array or an object only the rest of the item is lost.
                    if let elements = member.value.array, !elements.isEmpty { misread = misread ?? member.name }
                } else if let rule = reading.rule(brokenBy: member.value) {
                    throw Self.exit(.corruptEvent, rule, member)
                }
            }
        }
        return misread.map { (FieldName.items, $0) }
    }

    /// Checks the four named entries.
    private func checkUser(_ entries: [JSONMember]) throws(PipelineJudge.Exit) {
        for entry in entries where !entry.value.isNull {
            guard let field = ServerField.user[entry.name] else { continue }
            guard let members = entry.value.members else {
                throw Self.flaw(of: entry, "not an object")
            }
            for member in members where member.name != "value" {
                guard member.name == ServerField.setTimestamp.name else {
                    throw Self.flaw(
                        of: entry,
                        "an object with the unknown member \"\(Characters.reported(member.name))\""
                    )
                }
                if ServerField.setTimestamp.reading.rule(brokenBy: member.value) != nil {
                    throw Self.flaw(of: entry, "an object whose \"set_timestamp\" is not an integer")
                }
            }
            let value = members.first { $0.name == "value" }?.value ?? JSONValue(.null)
            if let rule = field.reading.rule(brokenBy: value) {
                throw Self.exit(.corruptEvent, rule, JSONMember(entry.name, value))
            }
        }
    }

    private static func flaw(of entry: JSONMember, _ flaw: String) -> Exit {
        Exit(.corruptEvent, ServerRule.userEntry.code, "the user attribute \"\(entry.name)\" is \(flaw)")
    }
}
