import ClickstreamCore
import ClickstreamJudges

extension JudgedEvent {
    /// Reads the queryable fields and validates the event. Any JSON value is an event, possibly a bad one.
    /// - Parameter maxListed: maximum number of findings to list.
    init(_ value: JSONValue, receivedAt: Timestamp, maxListed: Int = Rules.maxFindings) {
        self.init()
        let verdict = WireJudge.verdict(on: value, receivedAt: receivedAt, maxListed: maxListed)
        findings = verdict.findings
        unlisted = verdict.unlisted
        isBad = verdict.isBad
        for member in value.members ?? [] {
            switch member.name {
            case FieldName.eventID: id = member.value.text
            case FieldName.timestamp: timestamp = member.value.integer
            case FieldName.appID: appID = member.value.text
            case FieldName.eventType, FieldName.eventName: name = member.value.text ?? name
            case FieldName.uniqueID, FieldName.userPseudoID: uniqueID = member.value.text ?? uniqueID
            case FieldName.deviceID: deviceID = member.value.text
            case FieldName.platform: platform = member.value.text
            case FieldName.appVersion: appVersion = member.value.text
            case FieldName.user: userID = member.value["_user_id"]?["value"]?.text
            case FieldName.attributes: readAttributes(member.value.members ?? [])
            default: break
            }
        }
        if name?.text == EventName.clickstreamError || name?.text == EventName.appException { reportsError = true }
    }

    private mutating func readAttributes(_ members: [JSONMember]) {
        for member in members {
            switch member.name {
            case AttributeName.sessionID: sessionID = member.value.text
            case AttributeName.sessionNumber: sessionNumber = member.value.integer
            case AttributeName.sessionStart: sessionStart = member.value.integer
            case AttributeName.screenName: screenName = member.value.text
            case AttributeName.screenUniqueID: screenUniqueID = member.value.text
            case AttributeName.engagementTime: engagement = member.value.integer
            case AttributeName.errorCode: reportsError = true
            default: break
            }
        }
    }
}

extension JSONValue {
    /// Text of a string or a number, as the pipeline stores it in a text column. `nil` for an empty text.
    fileprivate var text: JudgedEvent.Text? {
        guard let string else { return number.map { JudgedEvent.Text(text: $0.text, offset: offset) } }
        if string.isEmpty { return nil }
        return JudgedEvent.Text(text: string.withoutNUL, offset: offset + 1)
    }
}

extension String {
    /// The text with a replacement character for each NUL, which would end it in SQLite.
    var withoutNUL: String {
        guard utf8.contains(0) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}
