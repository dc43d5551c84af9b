/// What a client's store remembers between processes, beside the events: identity, sessions, versions.
package struct StoredState: Sendable, Equatable {
    package var deviceID: String
    package var users: KnownUsers
    /// The greatest number that was given to a session.
    package var lastNumber: Int
    /// The session of each process that lives, and of the last that did.
    package var sessions: [StoredSession]
    package var versions: LaunchMachine.Versions?

    /// The state's text: one JSON object.
    package var json: [UInt8] {
        var members: [JSONMember] = [
            JSONMember("device_id", .string(deviceID)),
            JSONMember("user", Self.json(users.current)),
            JSONMember(
                "known_users",
                .object(
                    users.byID.sorted { $0.key.text < $1.key.text }.map { JSONMember($0.key.text, Self.json($0.value)) }
                )
            ),
        ]
        members.append(JSONMember("last_number", .number(JSONNumber(integer: Int64(lastNumber)))))
        members.append(JSONMember("sessions", .array(sessions.map { JSONValue($0.json) })))
        if let versions {
            members.append(JSONMember("app_version", .string(versions.app)))
            members.append(JSONMember("os_version", .string(versions.system)))
        }
        var bytes: [UInt8] = []
        JSONValue(.object(members)).write(into: &bytes)
        return bytes
    }

    package init(
        deviceID: String,
        users: KnownUsers,
        lastNumber: Int = 0,
        sessions: [StoredSession] = [],
        versions: LaunchMachine.Versions? = nil
    ) {
        self.deviceID = deviceID
        self.users = users
        self.lastNumber = lastNumber
        self.sessions = sessions
        self.versions = versions
    }

    /// The numbers that sessions and records can have got.
    static let possibleNumbers: ClosedRange<Int64> = 0...1 << 53

    /// Reads the text back; `nil` when it is not such a text.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.parse(bytes),  // a text that is no JSON is a state that cannot be used
            let deviceID = value["device_id"]?.string,
            let current = value["user"].flatMap(Self.user)
        else { return nil }
        var known: [UserID: User] = [:]
        for member in value["known_users"]?.members ?? [] {
            guard let user = Self.user(member.value) else { return nil }
            known[UserID(member.name)] = user
        }
        guard let last = value["last_number"]?.integer, Self.possibleNumbers ~= last,
            let entries = value["sessions"]?.array
        else { return nil }
        var sessions: [StoredSession] = []
        for entry in entries {
            guard let session = StoredSession(entry) else { return nil }
            sessions.append(session)
        }
        var versions: LaunchMachine.Versions?
        if let app = value["app_version"]?.string, let system = value["os_version"]?.string {
            versions = LaunchMachine.Versions(app: app, system: system)
        }
        self.init(
            deviceID: deviceID,
            users: KnownUsers(current: current, byID: known),
            lastNumber: Int(last),
            sessions: sessions,
            versions: versions
        )
    }

    private static func json(_ user: User) -> JSONValue.Kind {
        var members: [JSONMember] = [
            JSONMember("unique_id", .string(user.uniqueID)),
            JSONMember("first_touch", .number(JSONNumber(integer: user.firstTouch.milliseconds))),
        ]
        if let login = user.login {
            members.append(JSONMember("id", .string(login.id)))
            members.append(JSONMember("login", .number(JSONNumber(integer: login.set.milliseconds))))
        }
        let attributes = user.attributes.map { attribute in
            JSONValue(
                .object([
                    JSONMember("name", .string(attribute.name)),
                    JSONMember("type", .string(attribute.value.typeName)),
                    JSONMember("value", .string(attribute.value.text)),
                    JSONMember("set", .number(JSONNumber(integer: attribute.set.milliseconds))),
                ])
            )
        }
        members.append(JSONMember("attributes", .array(attributes)))
        return .object(members)
    }

    private static func user(_ value: JSONValue) -> User? {
        guard let uniqueID = value["unique_id"]?.string, let touch = value["first_touch"]?.integer else { return nil }
        var user = User(uniqueID: uniqueID, firstTouch: Timestamp(milliseconds: touch))
        if let id = value["id"]?.string, let set = value["login"]?.integer {
            user.login = User.Login(id: id, set: Timestamp(milliseconds: set))
        }
        for entry in value["attributes"]?.array ?? [] {
            guard let name = entry["name"]?.string, let type = entry["type"]?.string, let text = entry["value"]?.string,
                let set = entry["set"]?.integer, let attribute = AttributeValue(type: type, text: text)
            else { return nil }
            user.attributes.append(User.Attribute(name: name, value: attribute, set: Timestamp(milliseconds: set)))
        }
        return user
    }
}

extension AttributeValue {
    /// How the store names the type of a value.
    fileprivate var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .double: "double"
        case .boolean: "boolean"
        case .decimal: "decimal"
        }
    }

    /// The value as the store keeps it: exact.
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): String(number.bitPattern, radix: 16)
        case .boolean(let flag): flag ? "true" : "false"
        case .decimal(let number): number.text
        }
    }

    fileprivate init?(type: String, text: String) {
        switch type {
        case "string":
            self = .string(text)
        case "integer":
            guard let number = Int64(text) else { return nil }
            self = .integer(number)
        case "double":
            guard let bits = UInt64(text, radix: 16) else { return nil }
            self = .double(Double(bitPattern: bits))
        case "boolean":
            self = .boolean(text == "true")
        case "decimal":
            self = .decimal(DecimalNumber(text: text, isFinite: true))
        default:
            return nil
        }
    }
}
