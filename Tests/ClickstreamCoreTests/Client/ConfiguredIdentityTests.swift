import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// The key `uniqueId`: identity of a person or device that is known to the app before the store is.
@Suite("Configured unique id")
struct ConfiguredIdentityTests {
    private static let id = "person-0042"

    /// Launches the app with a configured unique id.
    private func launch(_ phone: Phone, as id: String? = ConfiguredIdentityTests.id) throws -> ClickstreamClient {
        try phone.launch { $0.uniqueID = id }
    }

    /// The values of a field of the wire format in all recorded events, in order.
    private func values(_ field: String, _ phone: Phone) throws -> [String?] {
        try phone.log.events.map { try JSONReader.parse($0.json)[field]?.string }
    }

    private func firstTouches(_ phone: Phone) throws -> [Int64?] {
        try phone.log.events.map {
            try JSONReader.parse($0.json)["user"]?["_user_first_touch_timestamp"]?["value"]?.integer
        }
    }

    @Test("is one person over all starts without a store; each is a first open, with its own first touch")
    func containers() async throws {
        for start in 0..<3 as Range<Int64> {
            let phone = Phone(seed: UInt64(start) + 1)
            await phone.time.advance(milliseconds: start * 1_000)
            let client = try launch(phone)
            client.record("tap")
            #expect(phone.log.events.map(\.name) == ["_first_open", "_app_start", "_session_start", "tap"])
            #expect(try values("unique_id", phone) == [Self.id, Self.id, Self.id, Self.id])
            let touch = 1_704_067_200_000 + start * 1_000
            #expect(try firstTouches(phone) == [touch, touch, touch, touch])
            #expect(phone.log.events.allSatisfy { $0.text.contains(#""_session_id":"son-0042-20240101-00000"#) })
            client.kill()
        }
    }

    @Test(
        "replaces another id in the store at a launch, unless a user is logged in",
        arguments: [
            ([nil], true), (["ann"], false), (["ann", nil], true), (["ann", "bob"], false),
            (["ann", "bob", nil], true),
        ] as [([String?], Bool)]
    )
    func stored(logins: [String?], replaces: Bool) async throws {
        let phone = Phone()
        let first = try launch(phone, as: nil)
        first.addUserAttributes(["plan": "gold"])
        for login in logins { first.setUserID(login) }
        first.record("tap")
        let before = try #require(try values("unique_id", phone).last ?? nil)
        first.kill()
        await phone.time.advance(milliseconds: 1_000)
        _ = phone.log.take()
        let second = try launch(phone)
        #expect(phone.log.events.map(\.name) == ["_app_start"])
        #expect(try values("unique_id", phone) == [replaces ? Self.id : before])
        if replaces {
            #expect(try firstTouches(phone) == [1_704_067_201_000])
            #expect(phone.log.events.allSatisfy { !$0.text.contains("gold") })
        }
        second.kill()
        // It is the stored id from now on, also without the key.
        _ = phone.log.take()
        try launch(phone, as: nil).kill()
        #expect(try values("unique_id", phone) == [replaces ? Self.id : before])
    }

    @Test("is kept by the first login; a second user gets another id, and the next launch without a login has it again")
    func logins() throws {
        let phone = Phone()
        let first = try launch(phone)
        _ = phone.log.take()
        for login in ["ann", nil, "bob", "ann", "bob", nil] as [String?] { first.setUserID(login) }
        let ids = try values("unique_id", phone)
        let other = try #require(ids[2])
        #expect(other != Self.id)
        #expect(ids == [Self.id, Self.id, other, Self.id, other, other])
        first.kill()
        _ = phone.log.take()
        let second = try launch(phone)
        for login in ["bob", "ann"] { second.setUserID(login) }
        #expect(try values("unique_id", phone) == [Self.id, other, Self.id])
        second.kill()
    }

    @Test("is not used if the server would cut or ignore it", arguments: ["", String(repeating: "u", count: 256)])
    func unusable(id: String) throws {
        let phone = Phone()
        let client = try launch(phone, as: id)
        #expect(phone.log.all.codes == [.settingInvalid])
        #expect(try values("unique_id", phone).allSatisfy { $0?.utf8.count == 36 })
        client.kill()
    }

    @Test("is that of another app in the same process, too")
    func anotherApp() throws {
        let phone = Phone()
        let client = try launch(phone)
        _ = phone.log.take()
        client.configure { $0.appID = "other" }
        client.record("tap")
        #expect(phone.log.events.map(\.name).contains("_first_open"))
        #expect(try Set(values("unique_id", phone)) == [Self.id])
        client.kill()
    }

    @Test("of the latest launch holds for all processes of the store, like a login")
    func severalProcesses() throws {
        let phone = Phone()
        let first = try launch(phone, as: "person-0001")
        let second = try launch(phone)
        _ = phone.log.take()
        first.addUserAttributes(["plan": "gold"])
        second.record("tap")
        #expect(try values("unique_id", phone) == [Self.id, Self.id])
        first.kill()
        second.kill()
    }

    @Test("is that of a process that is stopped during its launch while another saves the users")
    func stoppedInLaunch() throws {
        let phone = Phone()
        try launch(phone, as: nil).kill()
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Phone.endpoint)
        configuration.uniqueID = Self.id
        var others: [ClickstreamClient] = []
        try phone.launchStopped(configuration) {
            let other = try launch(phone, as: nil)
            other.addUserAttributes(["plan": "gold"])
            others.append(other)
            _ = phone.log.take()
        }
        for other in others { other.addUserAttributes(["plan": "silver"]) }
        #expect(phone.log.events.map(\.name) == ["_app_start", "_profile_set"])
        #expect(try Set(values("unique_id", phone)) == [Self.id])
        for other in others { other.kill() }
    }

    @Test("is used by a program that records from outside, and not stored by one that only delivers")
    func outside() async throws {
        for records in [true, false] {
            let phone = Phone()
            try launch(phone, as: "person-0001").kill()
            var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: Phone.endpoint)
            configuration.sendInterval = .zero
            configuration.uniqueID = Self.id
            let world = ClickstreamClient.World(
                configuration: configuration,
                device: ClickstreamClient.Device(platform: "Linux"),
                storage: "/data",
                dependencies: ClickstreamClient.Dependencies(
                    time: phone.time,
                    ids: phone.ids,
                    files: phone.disk,
                    transport: phone.server
                )
            )
            let client = try ClickstreamClient(in: world, as: records ? .recording() : .delivery)
            _ = await client.flush()
            client.terminate()
            _ = phone.log.take()
            try launch(phone, as: nil).kill()
            #expect(try Set(values("unique_id", phone)) == [records ? Self.id : "person-0001"])
        }
    }
}
