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
    package var partitions: [FormatName: Int] = [:]
    /// The decisions on consent.
    package var consent = Consent()
    /// Run folders and files to be removed after a withdrawal of consent, in the form of ``WithdrawalList``. Saved before the
    /// removal begins, so that the next opening completes it; a folder of another running process stays until that process has emptied it.
    package var withdrawn: [String] = []

    /// The state as one JSON object, with the position of the known users in their file instead of their profiles.
    package var json: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        JSONWriter.append(raw: #"{"device_id":"#, to: &bytes)
        JSONWriter.append(deviceID, to: &bytes)
        JSONWriter.append(name: "user", to: &bytes)
        users.current.writeStored(into: &bytes)
        if users.position != KnownUsers.Position() {
            JSONWriter.append(name: "users", to: &bytes)
            JSONValue(users.position.json).write(into: &bytes)
        }
        JSONWriter.append(name: "last_number", to: &bytes)
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
            let members = partitions.orderedByText { $0.key.rawValue }.map {
                JSONMember.number($0.key.rawValue, $0.value)
            }
            JSONWriter.append(name: "partitions", to: &bytes)
            JSONValue(.object(members)).write(into: &bytes)
        }
        if consent != Consent() {
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
    ///
    /// The profiles of known users are only in a state of an earlier version, as `known_users`.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONReader.parse(bytes),  // text that is not JSON is not a valid state
            let deviceID = value["device_id"]?.string,
            let current = value["user"].flatMap(User.init(stored:))
        else { return nil }
        var users = KnownUsers(current: current)
        for member in value["known_users"]?.members ?? [] {
            guard let user = User(stored: member.value), let login = user.login else { return nil }
            users.byID[UserID(login.id)] = user
        }
        if let stored = value["users"] {
            guard let position = KnownUsers.Position(stored) else { return nil }
            users.position = position
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
            users: users,
            lastNumber: Int(last),
            sessions: sessions,
            versions: versions
        )
        for member in value["partitions"]?.members ?? [] {
            guard let number = member.value.integer, Self.possibleNumbers ~= number else { return nil }
            partitions[FormatName(rawValue: member.name)] = Int(number)
        }
        if let stored = value["consent"] {
            guard let consent = Consent(stored) else { return nil }
            self.consent = consent
        }
        withdrawn = value["withdrawn"]?.array?.compactMap(\.string) ?? []
    }
}
