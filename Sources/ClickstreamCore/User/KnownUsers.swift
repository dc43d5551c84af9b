/// Decides who uses the device: who is logged in now, and what was known of each user who ever was.
package struct KnownUsers: Sendable, Equatable {
    /// The user whom events belong to now.
    package private(set) var current: User
    /// Everybody who was logged in on this device, as they were when they last were, by user id.
    package private(set) var byID: [UserID: User]

    package init(current: User, byID: [UserID: User] = [:]) {
        self.current = current
        self.byID = byID
    }

    /// What a login or logout leads to.
    package enum Outcome: Sendable, Equatable {
        /// Nobody was logged in, and nobody is: nothing to record.
        case unchanged
        /// The profile is to be recorded.
        case profile
    }

    /// Logs `id` in, or, with `nil`, whoever is logged in out.
    ///
    /// The device's first login keeps the anonymous user's id, first touch and attributes; a user known from before gets
    /// theirs back; anybody else starts afresh.
    /// - Parameter newID: called when a unique id for a new user is needed.
    package mutating func logIn(_ id: String?, at time: Timestamp, newID: () -> String) -> Outcome {
        guard !Characters.areSame(id, current.login?.id) else { return id == nil ? .unchanged : .profile }
        let isFirstLogin = byID.isEmpty && current.login == nil
        remember()
        guard let id else {
            current.login = nil
            return .profile
        }
        let login = User.Login(id: id, set: time)
        if let known = byID[UserID(id)] {
            current = known
            current.login = login
        } else if isFirstLogin {
            current.login = login
        } else {
            current = User(uniqueID: newID(), login: login, firstTouch: time)
        }
        remember()
        return .profile
    }

    /// Who `id` is on this device, without a login: as known from before, or else whoever holds the device under that id,
    /// with the attributes that nobody else's login set.
    package func taken(for id: String, at time: Timestamp) -> User {
        if Characters.areSame(current.login?.id, id) { return current }
        if let known = byID[UserID(id)] { return known }
        return User(
            uniqueID: current.uniqueID,
            login: User.Login(id: id, set: time),
            firstTouch: current.firstTouch,
            attributes: current.login == nil ? current.attributes : []
        )
    }

    /// Sets attributes of the current user.
    package mutating func set(_ values: Attributes, at time: Timestamp) {
        current.set(values, at: time)
        remember()
    }

    private mutating func remember() {
        if let login = current.login { byID[UserID(login.id)] = current }
    }
}

/// What the app calls a user, as a key: two ids are the same when their scalars are, as they are to the server.
///
/// A `String` would take "\u{E9}" and "e\u{301}", two users to everybody else, for one.
package struct UserID: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: UserID, other: UserID) -> Bool { Characters.areSame(one.text, other.text) }
}
