/// Persistent state of a client's store besides the events: identity, sessions, versions.
package struct StoredState: Sendable, Equatable {
    package var deviceID: String
    package var users: KnownUsers
    /// The highest session number assigned so far.
    package var lastNumber: Int
    /// The session of each running process, and the most recent session of an ended one.
    package var sessions: [StoredSession]
    package var versions: LaunchMachine.Versions?
    /// The highest partition number assigned so far, by format; empty without a format that numbers its partitions.
    package var partitions: [String: Int] = [:]
    /// The decisions on consent.
    package var consent = Consent()
    /// Run folders and files to be removed after a withdrawal of consent, in the form of ``WithdrawalList``. Saved before the
    /// removal begins, so that the next opening completes it; a folder of another running process stays until that process has emptied it.
    package var withdrawn: [String] = []

    /// The state as one JSON object.
    ///
    /// Costs time per known user; users are written without intermediate JSON values.
    package var json: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024 + 256 * users.byID.count)
        JSONWriter.append(raw: #"{"device_id":"#, to: &bytes)
        JSONWriter.append(deviceID, to: &bytes)
        JSONWriter.append(name: "user", to: &bytes)
        Self.write(users.current, into: &bytes)
        JSONWriter.append(raw: #","known_users":{"#, to: &bytes)
        var isFirst = true
        for (id, user) in users.byID.orderedByText(\.key.text) {
            JSONWriter.append(name: id.text, isFirst: isFirst, to: &bytes)
            Self.write(user, into: &bytes)
            isFirst = false
        }
        JSONWriter.append(raw: #"},"last_number":"#, to: &bytes)
        JSONWriter.append(Int64(lastNumber), to: &bytes)
        JSONWriter.append(name: "sessions", to: &bytes)
        JSONValue(.array(sessions.map { JSONValue($0.json) })).write(into: &bytes)
        if let versions {
            JSONWriter.append(name: "app_version", to: &bytes)
            JSONWriter.append(versions.app, to: &bytes)
            JSONWriter.append(name: "os_version", to: &bytes)
            JSONWriter.append(versions.system, to: &bytes)
        }
        if !partitions.isEmpty {
            let members = partitions.orderedByText { $0.key }.map { format, number in
                JSONMember(format, .number(JSONNumber(integer: Int64(number))))
            }
            JSONWriter.append(name: "partitions", to: &bytes)
            JSONValue(.object(members)).write(into: &bytes)
        }
        if !consent.isUntouched {
            JSONWriter.append(name: "consent", to: &bytes)
            consent.json.write(into: &bytes)
        }
        if !withdrawn.isEmpty {
            JSONWriter.append(name: "withdrawn", to: &bytes)
            JSONValue(.array(withdrawn.map { JSONValue(.string($0)) })).write(into: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
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

    /// The range of valid session and sequence numbers.
    static let possibleNumbers: ClosedRange<Int64> = 0...1 << 53

    /// Decodes the JSON; returns `nil` if it is not a valid state.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.parse(bytes),  // text that is not JSON is not a valid state
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
        for member in value["partitions"]?.members ?? [] {
            guard let number = member.value.integer, Self.possibleNumbers ~= number else { return nil }
            partitions[member.name] = Int(number)
        }
        if let stored = value["consent"] {
            guard let consent = Consent(stored) else { return nil }
            self.consent = consent
        }
        withdrawn = value["withdrawn"]?.array?.compactMap(\.string) ?? []
    }

    private static func write(_ user: User, into bytes: inout [UInt8]) {
        JSONWriter.append(raw: #"{"unique_id":"#, to: &bytes)
        JSONWriter.append(user.uniqueID, to: &bytes)
        JSONWriter.append(raw: #","first_touch":"#, to: &bytes)
        JSONWriter.append(user.firstTouch.milliseconds, to: &bytes)
        if let login = user.login {
            JSONWriter.append(raw: #","id":"#, to: &bytes)
            JSONWriter.append(login.id, to: &bytes)
            JSONWriter.append(raw: #","login":"#, to: &bytes)
            JSONWriter.append(login.set.milliseconds, to: &bytes)
        }
        JSONWriter.append(raw: #","attributes":["#, to: &bytes)
        for (place, attribute) in user.attributes.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(raw: #"{"name":"#, to: &bytes)
            JSONWriter.append(attribute.name, to: &bytes)
            JSONWriter.append(raw: #","type":"#, to: &bytes)
            JSONWriter.append(attribute.value.typeName, to: &bytes)
            JSONWriter.append(raw: #","value":"#, to: &bytes)
            JSONWriter.append(attribute.value.text, to: &bytes)
            JSONWriter.append(raw: #","set":"#, to: &bytes)
            JSONWriter.append(attribute.set.milliseconds, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
        JSONWriter.append(raw: "]}", to: &bytes)
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
    /// The stored name of the value's type.
    fileprivate var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .double: "double"
        case .boolean: "boolean"
        case .decimal: "decimal"
        }
    }

    /// The stored text of the value, without loss of precision.
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
