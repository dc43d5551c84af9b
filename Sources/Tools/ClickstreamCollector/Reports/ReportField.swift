import ClickstreamCore
import ClickstreamJudges

/// Field of events by whose values a report groups them.
package enum ReportField: Sendable, Hashable {
    /// A column of the store.
    case column(Column)
    /// A value in the text of the event: the names of the members that lead to it.
    case member([String])

    package enum Column: String, Sendable, CaseIterable {
        case name, app, device, platform, version, screen, session, user, status
        case uniqueID = "unique_id"
    }

    /// Names of the columns, but for the one whose name is that of a member of events.
    package static let columnNames = Column.allCases.filter { $0 != .uniqueID }.map(\.rawValue)

    /// Members of an event that have a column, which has the same values and takes less time.
    private static let columns: [String: Column] = [
        FieldName.eventType: .name, FieldName.eventName: .name, FieldName.appID: .app, FieldName.deviceID: .device,
        FieldName.appVersion: .version, FieldName.userPseudoID: .uniqueID,
        "\(FieldName.attributes).\(AttributeName.sessionID)": .session,
        "\(FieldName.attributes).\(AttributeName.screenName)": .screen,
    ]

    /// Members of an event itself that can be named.
    private static let members = Set(ServerField.event.keys).union([FieldName.countryCode])

    /// Reads `app`, `attributes.NAME`, `user.NAME` or the name of a member that events in the clickstream format have.
    /// - Returns: `nil` for another text; ``names`` lists the valid ones.
    init?(_ text: String) {
        if let column = Column(rawValue: text) ?? Self.columns[text] {
            self = .column(column)
        } else if let name = Self.name(in: text, after: FieldName.attributes) {
            self = .member([FieldName.attributes, name])
        } else if let name = Self.name(in: text, after: FieldName.user) {
            self = .member([FieldName.user, name, "value"])
        } else if Self.members.contains(text) {
            self = .member([text])
        } else {
            return nil
        }
    }

    /// Name after an object's name and a dot; it may contain further dots.
    private static func name(in text: String, after object: String) -> String? {
        guard text.hasPrefix("\(object).") else { return nil }
        let name = text.dropFirst(object.count + 1)
        return name.isEmpty ? nil : String(name)
    }

    /// Valid texts, for a message.
    static var names: String {
        let named = Column.allCases.map(\.rawValue) + ["attributes.NAME", "user.NAME"]
        return (named + members.subtracting(named).sorted()).joined(separator: ", ")
    }
}
