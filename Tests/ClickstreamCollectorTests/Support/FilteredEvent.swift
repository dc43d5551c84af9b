import ClickstreamCore

@testable import ClickstreamCollector

/// Stored event with the values that an ``EventFilter`` compares: the reference for the SQL of the store.
struct FilteredEvent {
    let event: CollectedEvent
    private let name: String?
    private let session: String?
    private let users: [String]
    private let app: String?
    private let device: String?
    private let platform: String?
    private let version: String?
    private let screen: String?

    /// - Parameter texts: texts of the event by the names of the filters; `unique` is its unique id.
    init(_ event: CollectedEvent, texts: [String: String]) {
        self.event = event
        name = texts["name"]
        session = texts["session"]
        users = [texts["user"], texts["unique"]].compactMap(\.self)
        app = texts["app"]
        device = texts["device"]
        platform = texts["platform"]
        version = texts["version"]
        screen = texts["screen"]
    }

    /// Reads the values from the JSON text of the event.
    init(_ event: CollectedEvent) throws {
        self.event = event
        let members = try JSONReader.parse(Array(event.json.utf8)).members ?? []
        let attributes = members.filter { $0.name == FieldName.attributes }.flatMap { $0.value.members ?? [] }
        let user = members.last { $0.name == FieldName.user }?.value[path: [AttributeName.userID, "value"]]
        let uniqueID = Self.text(of: [FieldName.uniqueID, FieldName.userPseudoID], in: members)
        name = Self.text(of: [FieldName.eventType, FieldName.eventName], in: members)
        session = Self.text(of: AttributeName.sessionID, in: attributes)
        users = [user.flatMap { Self.text($0) }, uniqueID].compactMap { $0 }
        app = Self.text(of: FieldName.appID, in: members)
        device = Self.text(of: FieldName.deviceID, in: members)
        platform = Self.text(of: FieldName.platform, in: members)
        version = Self.text(of: FieldName.appVersion, in: members)
        screen = Self.text(of: AttributeName.screenName, in: attributes)
    }

    /// Text of the last member of a name; `nil` if that one has none.
    private static func text(of name: String, in members: [JSONMember]) -> String? {
        members.last { $0.name == name }.flatMap { text($0.value) }
    }

    /// The last text among the members of several names, which are one field of the server.
    private static func text(of names: [String], in members: [JSONMember]) -> String? {
        members.filter { names.contains($0.name) }.compactMap { text($0.value) }.last
    }

    /// A string, or a number in its own spelling. An empty string is none, and NUL is replaced.
    private static func text(_ value: JSONValue) -> String? {
        if let number = value.number { return number.text }
        guard let string = value.string, !string.isEmpty else { return nil }
        return String(String.UnicodeScalarView(string.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }

    func matches(_ filter: EventFilter) -> Bool {
        let texts = [
            (filter.name, name), (filter.session, session), (filter.app, app), (filter.device, device),
            (filter.platform, platform), (filter.version, version), (filter.screen, screen),
        ]
        for (wanted, text) in texts {
            if let wanted, !(text.map { Characters.areSame($0, wanted) } ?? false) { return false }
        }
        if let user = filter.user, !users.contains(where: { Characters.areSame($0, user) }) { return false }
        if let status = filter.status, status != event.status { return false }
        if let code = filter.code, !event.violations.contains(where: { $0.code == code }) { return false }
        if let since = filter.since, event.receivedAt < since { return false }
        if let until = filter.until, event.receivedAt >= until { return false }
        return true
    }
}
