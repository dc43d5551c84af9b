import ClickstreamCore
import ClickstreamServer

/// A visitor in hand-written form: `{ "device_id", "user_id", "session": { "id", "number", "start" }, "user": { … } }`,
/// and optionally `screen`, `locale`, `platform`, `user_agent` and `ip`.
struct VisitorInput {
    /// Structural mistake.
    struct ParseError: Error {
        var message: String
        var offset: Int
    }

    private static let keys = [
        FieldName.deviceID, "user_id", "session", FieldName.user, "screen", FieldName.locale, FieldName.platform,
        "user_agent", "ip",
    ]
    private static let sessionKeys = ["id", "number", "start"]

    /// Reads a visitor. `null` counts as absent.
    static func read(_ json: JSONValue) throws(ParseError) -> Visitor {
        try check(json, "visitor", keys)
        guard let deviceID = try text(json, FieldName.deviceID) else {
            throw ParseError(message: "the visitor has no \"device_id\"", offset: json.offset)
        }
        guard 1...Rules.longestID ~= deviceID.utf8.count else {
            let message =
                "\"device_id\" has \(deviceID.utf8.count) bytes; it must have 1 to \(Rules.longestID)"
            throw ParseError(message: message, offset: json[FieldName.deviceID]?.offset ?? json.offset)
        }
        var visitor = Visitor(deviceID: deviceID)
        visitor.userID = try text(json, "user_id")
        visitor.locale = try text(json, FieldName.locale)
        visitor.platform = try text(json, FieldName.platform)
        visitor.userAgent = try text(json, "user_agent")
        visitor.ip = try text(json, "ip")
        visitor.screen = try text(json, "screen").map { Visitor.Screen(name: $0) }
        if let session = member(json, "session") { visitor.session = try self.session(session) }
        if let user = member(json, FieldName.user) { visitor.userAttributes = try attributes(user) }
        return visitor
    }

    private static func session(_ json: JSONValue) throws(ParseError) -> Visitor.Session {
        try check(json, "session", sessionKeys)
        guard let id = try text(json, "id"), let number = member(json, "number")?.integer,
            let start = member(json, "start")?.integer, number > 0, start > 0
        else {
            let message = "\"session\" needs \"id\", a string, and \"number\" and \"start\", integers from 1"
            throw ParseError(message: message, offset: json.offset)
        }
        return Visitor.Session(id: id, number: Int(clamping: number), start: Timestamp(milliseconds: start))
    }

    private static func attributes(_ json: JSONValue) throws(ParseError) -> Attributes {
        guard let members = json.members else { throw notAnObject(json, FieldName.user) }
        var pairs: [(String, AttributeValue)] = []
        for member in members {
            let json = member.value["value"] ?? member.value
            if json.isNull { continue }
            guard let value = AttributeValue(json: json) else {
                let name = Characters.reported(member.name)
                let message =
                    "\"\(name)\" in \"user\" is \(json.kindDescription); use a string, a number, true or false"
                throw ParseError(message: message, offset: json.offset)
            }
            pairs.append((member.name, value))
        }
        return Attributes(pairs)
    }

    // MARK: Members

    private static func check(_ json: JSONValue, _ name: String, _ keys: [String]) throws(ParseError) {
        guard let members = json.members else { throw notAnObject(json, name) }
        for member in members where !keys.contains(member.name) {
            let nearest = Suggestion.nearest(to: member.name, among: keys).map { "; did you mean \"\($0)\"?" } ?? ""
            let message = "unknown key \"\(Characters.reported(member.name))\" in \"\(name)\"\(nearest)"
            throw ParseError(message: message, offset: member.nameOffset)
        }
    }

    private static func notAnObject(_ json: JSONValue, _ name: String) -> ParseError {
        ParseError(message: "\"\(name)\" is \(json.kindDescription), not an object", offset: json.offset)
    }

    private static func member(_ json: JSONValue, _ name: String) -> JSONValue? {
        json[name].flatMap { $0.isNull ? nil : $0 }
    }

    private static func text(_ json: JSONValue, _ name: String) throws(ParseError) -> String? {
        guard let value = member(json, name) else { return nil }
        guard let text = value.string else {
            throw ParseError(message: "\"\(name)\" is \(value.kindDescription), not a string", offset: value.offset)
        }
        return text
    }
}
