/// Users of the device: the current user, and the stored profile of every user who has logged in.
package struct KnownUsers: Sendable, Equatable {
    /// The user of events recorded now.
    package private(set) var current: User
    /// The profiles by user id, as of each user's last login.
    package internal(set) var byID: [UserID: User]
    /// The part of a file that the profiles were read from, or saved to; the default value without one.
    package internal(set) var position = Position()
    /// The ids of the profiles that have changed since.
    var changed: Set<UserID> = []
    /// True if that part is damaged, so that all profiles have to be written again.
    var isDamaged = false

    /// Part of a file with profiles, from its beginning.
    package struct Position: Sendable, Equatable {
        /// The number in the name of the file; 0 before the first one.
        package internal(set) var file = 0
        var bytes = 0
        var lines = 0
        /// The CRC-32C of the bytes. With the other numbers it identifies the content.
        var checksum: UInt32 = 0
    }

    package init(current: User, byID: [UserID: User] = [:]) {
        self.current = current
        self.byID = byID
    }

    /// Result of a login or logout.
    package enum Outcome: Sendable, Equatable {
        /// A logout without a logged-in user: nothing to record.
        case unchanged
        /// The profile must be recorded.
        case profile
    }

    /// Logs in `id`, or logs out the current user with `nil`.
    ///
    /// The device's first login keeps the anonymous user's id, first touch and attributes; a known user's profile is
    /// restored; any other user starts with an empty profile.
    /// - Parameter newID: returns a unique id for a new user; called only if needed.
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

    /// Gives the anonymous user the configured unique id; has no effect while a user is logged in.
    ///
    /// A user with another unique id is another user, without attributes. The first touch is that of the known user with the
    /// id, if there is one.
    /// - Returns: true if the user is new.
    @discardableResult
    package mutating func identify(as uniqueID: String, at time: Timestamp) -> Bool {
        guard current.login == nil, !Characters.areSame(current.uniqueID, uniqueID) else { return false }
        let known = byID.values.first { Characters.areSame($0.uniqueID, uniqueID) }
        current = known?.anonymous ?? User(uniqueID: uniqueID, firstTouch: time)
        return known == nil
    }

    /// Returns the user `id` without a login: the stored profile, or else the current user's identity with that id;
    /// attributes are kept only if no user is logged in.
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

    /// Corrects the first touch of the users with these unique ids, who were added on a wrong clock.
    package mutating func shiftFirstTouch(of uniqueIDs: Set<String>, by milliseconds: Int64) {
        if uniqueIDs.contains(current.uniqueID) { current.firstTouch = current.firstTouch + milliseconds }
        for (id, user) in byID where uniqueIDs.contains(user.uniqueID) {
            byID[id]?.firstTouch = user.firstTouch + milliseconds
            changed.insert(id)
        }
    }

    private mutating func remember() {
        guard let login = current.login else { return }
        let id = UserID(login.id)
        guard byID[id] != current else { return }
        byID[id] = current
        changed.insert(id)
    }

    /// True if the current users and the profiles are equal, wherever they are stored.
    package static func == (one: KnownUsers, other: KnownUsers) -> Bool {
        one.current == other.current && one.byID == other.byID
    }
}

/// User id as a dictionary key: two ids are equal if their scalars are, as on the server.
///
/// A `String` would treat "\u{E9}" and "e\u{301}" as equal, which are two users to the server.
package struct UserID: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: UserID, other: UserID) -> Bool { Characters.areSame(one.text, other.text) }
}
