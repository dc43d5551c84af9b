import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Recording from another program")
struct OutsideRecordingTests {
    /// Client that records to the store of the phone's app without being the app.
    private func outsider(
        _ phone: Phone,
        configure: (inout ClickstreamClient.Configuration) -> Void = { _ in }
    ) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "shop")
        configure(&configuration)
        let log = phone.log
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "7.0",
                app: ClickstreamClient.Device.App(version: "2.0")
            ),
            storage: "/data",
            dependencies: ClickstreamClient.Dependencies(time: phone.time, ids: phone.ids, files: phone.disk),
            observe: { log.add($0) }
        )
        return try ClickstreamClient(in: world, as: .recording())
    }

    private func record(
        _ client: ClickstreamClient,
        _ name: String,
        _ attributes: Attributes = [:],
        as id: String? = nil
    ) {
        client.perform { $0.record(name, attributes, [], as: id, at: $1) }
    }

    @Test("records the event and no lifecycle events, whatever else is called")
    func alone() throws {
        let phone = Phone()
        let client = try outsider(phone) { $0.globalAttributes = ["channel": "cli", "bad name": 1] }
        #expect(phone.log.take().outline == ["session 1 new", "rejected 2002"])
        client.foreground()
        record(client, "tap")
        client.background()
        client.foreground()
        client.terminate()
        #expect(phone.records().map(\.event.name) == ["tap"])
        #expect(phone.records().map { $0.event["channel"] } == [.string("cli")])
    }

    @Test(
        "continues the stored session within the timeout, and starts the next one after it",
        arguments: [(999, [1, 1]), (1_000, [1, 2])] as [(Int64, [Int64?])]
    )
    func sessions(pause: Int64, numbers: [Int64?]) async throws {
        for isOneProcess in [true, false] {
            let phone = Phone()
            var client = try outsider(phone) { $0.sessionTimeout = .seconds(1) }
            await phone.time.advance(milliseconds: 400)
            record(client, "first")
            await phone.time.advance(milliseconds: pause)
            if !isOneProcess {
                client.terminate()
                client = try outsider(phone) { $0.sessionTimeout = .seconds(1) }
            }
            record(client, "second")
            client.terminate()
            #expect(phone.records().map(\.event.session) == numbers, "one process: \(isOneProcess)")
        }
    }

    @Test("counts as activity of the session that the app continues, and keeps its versions")
    func app() async throws {
        let phone = Phone()
        let first = try phone.launch { $0.sessionTimeout = .seconds(1) }
        first.terminate()
        await phone.time.advance(milliseconds: 600)
        let client = try outsider(phone) { $0.sessionTimeout = .seconds(1) }
        record(client, "from_outside")
        client.terminate()
        await phone.time.advance(milliseconds: 600)
        let second = try phone.launch { $0.sessionTimeout = .seconds(1) }
        second.record("tap")
        let events = phone.records().map(\.event)
        #expect(
            events.map(\.name) == [
                "_first_open", "_app_start", "_session_start", "_app_end", "from_outside", "_app_start", "tap",
            ]
        )
        #expect(Set(events.map(\.session)) == [1])
    }

    @Test("a launch after it is the app's first")
    func firstOpen() throws {
        let phone = Phone()
        let client = try outsider(phone)
        record(client, "tap")
        client.terminate()
        _ = try phone.launch()
        #expect(phone.log.events.map(\.name) == ["tap", "_first_open", "_app_start"])
    }

    @Test("sets the user of one event, and stores no user")
    func user() throws {
        let phone = Phone()
        let app = try phone.launch()
        app.setUserID("anna")
        app.addUserAttributes(["plan": "gold"])
        app.kill()
        let client = try outsider(phone)
        _ = phone.log.take()
        for id in [nil, "carl", "anna", nil] { record(client, "tap", as: id) }
        client.terminate()
        let users = phone.log.take().events.map { event in
            // What cannot be read is no user, and no test expects that.
            (try? JSONReader.parse(event.json)).map { json in
                "\(json["user"]?["_user_id"]?["value"]?.string ?? "nobody") \(json["user"]?["plan"] == nil)"
            }
        }
        #expect(users == ["anna false", "carl true", "anna false", "anna false"])
        let state = try #require(phone.disk[Phone.path("state")])
        #expect(!String(decoding: state, as: UTF8.self).contains("carl"))
    }

    @Test("rejects an invalid user id, like a login")
    func badUser() throws {
        let phone = Phone()
        let client = try outsider(phone)
        record(client, "tap", as: "")
        #expect(phone.records().map(\.event.name) == ["_clickstream_error"])
        #expect(phone.records().map { $0.event["_error_code"] } == [.number(JSONNumber(integer: 3_003))])
    }

    @Test("records each screen view independently")
    func screens() async throws {
        let phone = Phone()
        let client = try outsider(phone)
        for _ in 0..<2 {
            record(client, "_screen_view", ["_screen_name": "Home"])
            await phone.time.advance(milliseconds: 5_000)
        }
        record(client, "tap")
        let events = phone.records().map(\.event)
        #expect(events.map(\.name) == ["_screen_view", "_screen_view", "tap"])
        #expect(
            events.map { $0["_entrances"] }
                == [.number(JSONNumber(integer: 1)), .number(JSONNumber(integer: 0)), nil]
        )
        #expect(events.map { $0["_screen_name"] } == [.string("Home"), .string("Home"), nil])
    }

    @Test("works concurrently with a running process of the app, in its own run folder")
    func beside() throws {
        let phone = Phone()
        let app = try phone.launch()
        let client = try outsider(phone)
        record(client, "from_outside")
        app.record("tap")
        record(client, "again")
        client.terminate()
        app.record("tap")
        #expect(Set(phone.disk.paths.filter { $0.hasSuffix(".events") }).count == 2)
        #expect(
            phone.records().map(\.event.name).filter { !$0.hasPrefix("_") }.sorted() == [
                "again", "from_outside", "tap", "tap",
            ]
        )
    }

    @Test("continues its own session concurrently with a running process of the app, with unique numbers")
    func sessionBeside() async throws {
        let phone = Phone()
        let app = try phone.launch { $0.sessionTimeout = .seconds(1) }
        for name in ["first", "second"] {
            let client = try outsider(phone) { $0.sessionTimeout = .seconds(1) }
            record(client, name)
            client.terminate()
            await phone.time.advance(milliseconds: 500)
        }
        app.background()
        await phone.time.advance(milliseconds: 2_000)
        app.foreground()
        app.record("third")
        let numbers = phone.records().map(\.event).filter { !$0.name.hasPrefix("_") }.map {
            "\($0.name) \($0.session ?? 0)"
        }
        #expect(numbers.sorted() == ["first 2", "second 2", "third 3"])
    }

    @Test("reads the shared state when a session may have ended, and not for every event")
    func cost() async throws {
        let phone = Phone()
        let client = try outsider(phone) { $0.sessionTimeout = .seconds(1) }
        record(client, "first")
        let before = phone.disk.operations
        for _ in 0..<10 { record(client, "next") }
        #expect(phone.disk.operations - before == 10)
    }
}
