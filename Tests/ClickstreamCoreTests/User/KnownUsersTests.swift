import ClickstreamCore
import Testing

@Suite("KnownUsers")
struct KnownUsersTests {
    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private func fresh() -> KnownUsers {
        KnownUsers(current: User(uniqueID: "anonymous", firstTouch: time(1)))
    }

    private func noNewID() -> String {
        Issue.record("no new unique id is needed here")
        return ""
    }

    @Test("an id without a login is a known user, or the current one, and changes nothing")
    func taken() {
        var users = fresh()
        users.set(["city": "Shanghai"], at: time(2))
        let holder = User(
            uniqueID: "anonymous",
            login: User.Login(id: "carl", set: time(3)),
            firstTouch: time(1),
            attributes: [User.Attribute(name: "city", value: "Shanghai", set: time(2))]
        )
        #expect(users.taken(for: "carl", at: time(3)) == holder)
        #expect(users.current.login == nil && users.byID.isEmpty)
        #expect(users.logIn("carl", at: time(3), newID: noNewID) == .profile)
        #expect(users.taken(for: "carl", at: time(9)) == holder)
        let other = User(uniqueID: "anonymous", login: User.Login(id: "anna", set: time(4)), firstTouch: time(1))
        #expect(users.taken(for: "anna", at: time(4)) == other)
        #expect(users.logIn("anna", at: time(5), newID: { "second" }) == .profile)
        #expect(users.taken(for: "carl", at: time(9)) == holder)
    }

    @Test("the device's first login keeps the unique id, the first touch and the attributes")
    func firstLogin() {
        var users = fresh()
        users.set(["city": "Shanghai"], at: time(2))
        #expect(users.logIn("carl", at: time(3), newID: noNewID) == .profile)
        #expect(
            users.current
                == User(
                    uniqueID: "anonymous",
                    login: User.Login(id: "carl", set: time(3)),
                    firstTouch: time(1),
                    attributes: [User.Attribute(name: "city", value: "Shanghai", set: time(2))]
                )
        )
    }

    @Test("the same user again records the unchanged profile")
    func again() {
        var users = fresh()
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        let before = users
        #expect(users.logIn("carl", at: time(9), newID: noNewID) == .profile)
        #expect(users == before)
    }

    @Test("a logout keeps the unique id and the attributes; without a login it has no effect")
    func logout() {
        var users = fresh()
        #expect(users.logIn(nil, at: time(2), newID: noNewID) == .unchanged)
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        users.set(["city": "Shanghai"], at: time(4))
        #expect(users.logIn(nil, at: time(5), newID: noNewID) == .profile)
        #expect(users.current.login == nil)
        #expect(users.current.uniqueID == "anonymous")
        #expect(users.current.attributes.map(\.name) == ["city"])
    }

    @Test("a new user starts afresh; a known one is restored as of the last login")
    func switching() {
        var users = fresh()
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        users.set(["city": "Shanghai"], at: time(4))
        #expect(users.logIn("dana", at: time(5), newID: { "second" }) == .profile)
        #expect(
            users.current == User(uniqueID: "second", login: User.Login(id: "dana", set: time(5)), firstTouch: time(5))
        )
        users.set(["city": "Berlin"], at: time(6))
        _ = users.logIn("carl", at: time(7), newID: noNewID)
        #expect(users.current.uniqueID == "anonymous")
        #expect(users.current.firstTouch == time(1))
        #expect(users.current.attributes == [User.Attribute(name: "city", value: "Shanghai", set: time(4))])
        _ = users.logIn("dana", at: time(8), newID: noNewID)
        #expect(users.current.attributes == [User.Attribute(name: "city", value: "Berlin", set: time(6))])
    }

    @Test("attributes set after a logout do not change the known user")
    func afterLogout() {
        var users = fresh()
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        users.set(["city": "Shanghai"], at: time(4))
        _ = users.logIn(nil, at: time(5), newID: noNewID)
        users.set(["city": "Paris"], at: time(6))
        _ = users.logIn("carl", at: time(7), newID: noNewID)
        #expect(users.current.attributes == [User.Attribute(name: "city", value: "Shanghai", set: time(4))])
    }

    @Test("a configured id is the anonymous user's; another than the stored one is another user")
    func identified() {
        var users = fresh()
        users.set(["city": "Shanghai"], at: time(2))
        let stored = users
        users.identify(as: "anonymous", at: time(3))
        #expect(users == stored)
        users.identify(as: "kiosk", at: time(3))
        #expect(users == KnownUsers(current: User(uniqueID: "kiosk", firstTouch: time(3))))
        #expect(users.logIn("carl", at: time(4), newID: noNewID) == .profile)
        #expect(users.current.uniqueID == "kiosk" && users.current.firstTouch == time(3))
    }

    @Test("a configured id does not change the user who is logged in")
    func identifiedWhileLoggedIn() {
        var users = fresh()
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        let loggedIn = users
        users.identify(as: "kiosk", at: time(4))
        #expect(users == loggedIn)
    }

    @Test("a configured id after a logout keeps known users; the first touch is that of the user who has the id")
    func identifiedAfterLogout() {
        var users = fresh()
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        _ = users.logIn("dana", at: time(5), newID: { "second" })
        users.set(["city": "Berlin"], at: time(6))
        _ = users.logIn(nil, at: time(7), newID: noNewID)
        let known = users.byID
        users.identify(as: "anonymous", at: time(8))
        #expect(users == KnownUsers(current: User(uniqueID: "anonymous", firstTouch: time(1)), byID: known))
        _ = users.logIn("dana", at: time(9), newID: noNewID)
        #expect(users.current.uniqueID == "second")
        #expect(users.current.attributes.map(\.name) == ["city"])
    }

    @Test("a new user after a logout is a new user, not the device's first")
    func newAfterLogout() {
        var users = fresh()
        _ = users.logIn("carl", at: time(3), newID: noNewID)
        _ = users.logIn(nil, at: time(4), newID: noNewID)
        _ = users.logIn("dana", at: time(5), newID: { "second" })
        #expect(users.current.uniqueID == "second")
        #expect(users.current.attributes == [])
    }
}
