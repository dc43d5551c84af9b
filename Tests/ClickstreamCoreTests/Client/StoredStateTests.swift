import Testing

@testable import ClickstreamCore

@Suite("StoredState")
struct StoredStateTests {
    private static func state() -> StoredState {
        func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
        var users = KnownUsers(
            current: User(
                uniqueID: "U-1",
                firstTouch: time(5),
                attributes: [
                    User.Attribute(name: "text", value: .string("a \"b\"\n\u{1F600}"), set: time(6)),
                    User.Attribute(name: "whole", value: .integer(.min), set: time(7)),
                    User.Attribute(name: "ratio", value: .double(0.1 + 0.2), set: time(8)),
                    User.Attribute(name: "minus", value: .double(-0.0), set: time(8)),
                    User.Attribute(name: "yes", value: .boolean(true), set: time(9)),
                    User.Attribute(name: "no", value: .boolean(false), set: time(9)),
                    User.Attribute(
                        name: "price",
                        value: .decimal(DecimalNumber(text: "12.50", isFinite: true)),
                        set: time(9)
                    ),
                ]
            )
        )
        _ = users.logIn("ann", at: time(10)) { "U-2" }
        return StoredState(
            deviceID: "D",
            users: users.stored(at: KnownUsers.Position(file: 1, bytes: 400, lines: 2, checksum: .max)),
            lastNumber: 7,
            sessions: [
                StoredSession(
                    run: 1,
                    session: SessionMachine.Stored(id: "s", number: 3, start: time(12), lastActive: time(13)),
                    queueActive: time(14),
                    lastView: time(15),
                    debt: StoredSession.Debt(
                        sequence: 9,
                        events: ["_app_update", "_app_start", "_screen_view"],
                        versions: LaunchMachine.Versions(app: "0.9", system: "6"),
                        lastView: time(11)
                    )
                ),
                StoredSession(
                    run: 2,
                    session: SessionMachine.Stored(id: "t", number: 4, start: time(1), lastActive: time(2)),
                    debt: StoredSession.Debt(sequence: 1, events: [])
                ),
            ],
            versions: LaunchMachine.Versions(app: "1.0", system: "")
        )
    }

    @Test("has the text of earlier versions, with the position of the known users instead of these")
    func text() throws {
        var users = KnownUsers(
            current: User(
                uniqueID: "U-1",
                firstTouch: Timestamp(milliseconds: 5),
                attributes: [
                    User.Attribute(name: "a \"b\"", value: .double(1), set: Timestamp(milliseconds: -6)),
                    User.Attribute(name: "no", value: .boolean(false), set: Timestamp(milliseconds: 9)),
                ]
            )
        )
        _ = users.logIn("eve", at: Timestamp(milliseconds: 10)) { "" }
        _ = users.logIn("bob", at: Timestamp(milliseconds: 11)) { "U-2" }
        let state = StoredState(
            deviceID: "D",
            users: users.stored(at: KnownUsers.Position(file: 2, bytes: 300, lines: 3, checksum: 7)),
            lastNumber: 7,
            sessions: [
                StoredSession(
                    run: 2,
                    session: SessionMachine.Stored(
                        id: "t",
                        number: 4,
                        start: Timestamp(milliseconds: 1),
                        lastActive: Timestamp(milliseconds: 2)
                    )
                )
            ],
            versions: LaunchMachine.Versions(app: "1.0", system: "")
        )
        let bob = #"{"unique_id":"U-2","first_touch":11,"id":"bob","login":11,"attributes":[]}"#
        let eve =
            #"{"unique_id":"U-1","first_touch":5,"id":"eve","login":10,"attributes":["#
            + #"{"name":"a \"b\"","type":"double","value":"3ff0000000000000","set":-6},"#
            + #"{"name":"no","type":"boolean","value":"false","set":9}]}"#
        func text(_ known: String) -> String {
            #"{"device_id":"D","user":\#(bob),\#(known),"last_number":7,"#
                + #""sessions":[{"run":2,"id":"t","number":4,"start":1,"last_active":2}],"app_version":"1.0","#
                + #""os_version":""}"#
        }
        let position = #""users":{"file":2,"bytes":300,"lines":3,"checksum":7}"#
        #expect(String(decoding: state.json, as: UTF8.self) == text(position))
        let earlier = text(#""known_users":{"bob":\#(bob),"eve":\#(eve)}"#)
        let read = try #require(StoredState(json: Array(earlier.utf8)))
        #expect(read.users == users)
        #expect(read.users.position == KnownUsers.Position())
        #expect(StoredState(json: Array(earlier.replacing(#""id":"eve","#, with: "").utf8)) == nil)
    }

    @Test("is decoded as encoded, values exact")
    func roundTrip() {
        let state = Self.state()
        #expect(StoredState(json: state.json) == state)
        #expect(StoredState(json: state.json)?.users.position == state.users.position)
        let bare = StoredState(
            deviceID: "",
            users: KnownUsers(current: User(uniqueID: "U", firstTouch: Timestamp(milliseconds: -1)))
        )
        #expect(StoredState(json: bare.json) == bare)
        var numbered = bare
        numbered.partitions = [FormatName(rawValue: "b"): 1, FormatName(rawValue: "audit"): 12]
        #expect(StoredState(json: numbered.json) == numbered)
        #expect(String(decoding: numbered.json, as: UTF8.self).hasSuffix(#","partitions":{"audit":12,"b":1}}"#))
    }

    @Test(
        "is rejected without an essential part",
        arguments: [
            ("\"device_id\"", "\"device\""), ("\"unique_id\":\"U-1\"", "\"unique_id\":2"),
            ("\"first_touch\":5", "\"first_touch\":\"5\""), ("\"number\":3", "\"number\":3.5"),
            ("\"start\":12", "\"began\":12"), ("\"type\":\"string\"", "\"type\":\"text\""),
            ("\"last_number\"", "\"number\""), ("\"run\":2", "\"run\":null"), ("\"events\":[]", "\"events\":1"),
            ("\"value\":\"-9223372036854775808\"", "\"value\":\"x\""), ("\"type\":\"integer\"", "\"kind\":\"integer\""),
            ("\"type\":\"double\",\"value\":\"", "\"type\":\"double\",\"value\":\"zz"),
            ("{\"device_id\"", "\"device_id\""), ("\"file\":1", "\"file\":-1"), ("\"lines\":2", "\"lines\":401"),
            ("\"bytes\":400", "\"bytes\":67108865"), ("\"checksum\":4294967295", "\"checksum\":4294967296"),
        ]
    )
    func senseless(part: String, change: String) {
        let text = String(decoding: Self.state().json, as: UTF8.self)
        #expect(text.contains(part))
        #expect(StoredState(json: Array(text.replacing(part, with: change).utf8)) == nil)
    }

    @Test(
        "uses the queue's last activity if it is newer than the state's",
        arguments: [(nil, 13), (14, 13), (20, 20), (3, 3)] as [(Int64?, Int64)]
    )
    func activity(queue: Int64?, expected: Int64) {
        var session = Self.state().sessions[0]
        session.settle(lastActive: queue.map(Timestamp.init(milliseconds:)), nextSequence: 100)
        #expect(session.session.lastActive == Timestamp(milliseconds: expected))
        #expect(session.debt == nil)
        #expect(session.lastView == Timestamp(milliseconds: 15))
    }

    @Test(
        "contains the events missing in the queue, and finds an unrecorded update again",
        arguments: [
            (9, ["_app_update", "_app_start", "_screen_view"], "0.9"), (10, ["_app_start", "_screen_view"], "1.0"),
            (11, ["_screen_view"], "1.0"), (1, ["_app_update", "_app_start", "_screen_view"], "0.9"),
        ]
    )
    func debt(nextSequence: Int, events: [String], version: String) {
        let state = Self.state()
        var session = state.sessions[0]
        session.settle(lastActive: nil, nextSequence: nextSequence)
        #expect(session.debt?.events == events)
        #expect(session.lastView == Timestamp(milliseconds: 11))
        #expect(session.debt?.versionsBefore(state.versions) == LaunchMachine.Versions(app: version, system: ""))
    }
}
