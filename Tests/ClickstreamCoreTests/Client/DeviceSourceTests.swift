import ClickstreamReplay
import ClickstreamSimulation
import TestSupport
import Testing

@testable import ClickstreamCore

@Suite("Device properties that change while a process runs")
struct DeviceSourceTests {
    private static let minute: Int64 = 60_000

    private let phone = Phone()

    private static func device(in name: String) throws -> VirtualDevice {
        let device = ClickstreamClient.Device(
            platform: "Linux",
            osVersion: "6.1",
            app: ClickstreamClient.Device.App(version: "1.0")
        )
        return VirtualDevice(device, zone: try #require(ZoneOffset(name)))
    }

    private static func field(_ name: String, of event: RecordedEvent) throws -> JSONValue {
        try #require(try JSONReader.parse(event.json)[name])
    }

    /// The offsets from GMT of all events so far, in minutes.
    private func offsets(of name: String? = nil) throws -> [Int64] {
        try phone.log.events.filter { name == nil || $0.name == name }.map {
            try #require(try Self.field("zone_offset", of: $0).integer) / Self.minute
        }
    }

    // MARK: Offset from GMT

    @Test(
        "the offset from GMT is that at the time of the event",
        arguments: ZoneChange.all + [ZoneChange("Asia/Kathmandu", at: 1_772_953_200_000, from: 345, to: 345)]
    )
    func change(_ change: ZoneChange) async throws {
        let (before, after) = change.minutes
        phone.time.setWall(to: change.time + -10_000)
        let client = try phone.launch(sends: false, source: Self.device(in: change.zone))
        client.record("tap")
        await phone.time.advance(milliseconds: 9_999)
        client.record("tap")
        await phone.time.advance(milliseconds: 1)
        client.record("tap")
        client.record("order", items: [["id": "a"]])
        client.background()
        #expect(try offsets(of: "tap") == [before, before, after])
        #expect(try offsets(of: "order") + offsets(of: "_app_end") == [after, after])
        // Set back, as by the system's synchronization of the clock.
        phone.time.setWall(to: change.time + -1)
        client.record("late")
        #expect(try offsets(of: "late") == [before])
    }

    @Test("the offset from GMT is read once per quarter of an hour")
    func readings() async throws {
        let device = try Self.device(in: "Europe/Berlin")
        let client = try phone.launch(sends: false, source: device)
        let readings = device.zoneReadings
        for _ in 0..<100 { client.record("tap") }
        await phone.time.advance(milliseconds: 15 * Self.minute - 1)
        client.record("tap")
        #expect(device.zoneReadings == readings)
        await phone.time.advance(milliseconds: 1)
        for _ in 0..<100 { client.record("tap") }
        #expect(device.zoneReadings == readings + 3)
    }

    @Test("a change of the offset that is not at a quarter of an hour is seen by the first event after it")
    func oddChange() {
        let change: Int64 = 1_772_953_205_000
        let steps: [(time: Int64, minutes: Int)] = [
            (change - 3_600_000, -300), (change - 1, -300), (change, -240), (change + 1, -240), (change - 1, -300),
            (change + 3_600_000, -240), (-1, -300), (0, -300), (.min, -300), (.max, -240),
        ]
        var zone = LocalZone(SteppingZone(change: change))
        var offset: Int?
        for step in steps {
            let time = Timestamp(milliseconds: step.time)
            if !zone.isKnown(at: time) { offset = zone.read(at: time) }
            #expect(offset == step.minutes * 60_000, "at \(step.time)")
        }
    }

    @Test("a journey is noticed by the next foreground, or in the next quarter of an hour", arguments: [true, false])
    func journey(isForeground: Bool) async throws {
        let device = try Self.device(in: "Europe/Berlin")
        let client = try phone.launch(sends: false, source: device)
        client.record("tap")
        device.move(to: try #require(ZoneOffset("Asia/Tokyo")))
        if isForeground {
            client.background()
            client.foreground()
        } else {
            await phone.time.advance(milliseconds: 15 * Self.minute)
        }
        client.record("tap")
        #expect(try offsets(of: "tap") == [60, 540])
    }

    @Test("a configured offset and one of the app stay", arguments: [true, false])
    func fixedOffset(isConfigured: Bool) async throws {
        let client = try phone.launch(sends: false, source: Self.device(in: "Asia/Tokyo")) {
            if isConfigured { $0.device.zoneOffset = 7_200_000 }
        }
        if !isConfigured { client.updateDevice { $0.zoneOffset = 7_200_000 } }
        client.record("tap")
        await phone.time.advance(milliseconds: 60 * Self.minute)
        client.background()
        client.foreground()
        client.record("tap")
        #expect(try offsets(of: "tap") == [120, 120])
    }

    @Test("another app of the process and a new installation have the offset at the time of the event")
    func relaunch() async throws {
        phone.time.setWall(to: Timestamp(CivilTime(year: 2026, month: 3, day: 8, hour: 6)))
        let client = try phone.launch(sends: false, source: Self.device(in: "America/New_York"))
        client.configure { $0.appID = "other" }
        client.record("tap")
        await phone.time.advance(milliseconds: 30 * Self.minute)
        client.eraseAll()
        client.record("tap")
        await phone.time.advance(milliseconds: 30 * Self.minute)
        client.record("tap")
        #expect(try offsets(of: "tap") == [-300, -300, -240])
    }

    @Test("a crash has the offset at its time")
    func crash() async throws {
        phone.time.setWall(to: Timestamp(CivilTime(year: 2026, month: 3, day: 8, hour: 6)))
        let device = try Self.device(in: "America/New_York")
        let client = try phone.launch(sends: false, source: device) { $0.tracksExceptions = true }
        await phone.time.advance(milliseconds: 60 * Self.minute)
        client.crash(message: "m", stack: "s")
        try phone.launch(sends: false, source: device) { $0.tracksExceptions = true }.kill()
        #expect(try offsets(of: "_app_exception") == [-240])
    }

    // MARK: Foreground

    private static let changes:
        [(field: String, value: String, change: @Sendable (inout ClickstreamClient.Device) -> Void)] = [
            ("os_version", "6.2", { $0.osVersion = "6.2" }), ("locale", "nl_NL", { $0.locale = "nl_NL" }),
            ("system_language", "nl", { $0.language = "nl" }), ("country_code", "NL", { $0.country = "NL" }),
            ("carrier", "c", { $0.carrier = "c" }), ("network_type", "Mobile", { $0.networkType = "Mobile" }),
            ("screen_width", "7", { $0.screenWidth = 7 }), ("screen_height", "8", { $0.screenHeight = 8 }),
        ]

    @Test("are as of the last foreground, its own events included", arguments: changes.indices)
    func foreground(index: Int) throws {
        let change = Self.changes[index]
        let device = try Self.device(in: "UTC")
        let client = try phone.launch(sends: false, source: device)
        client.foreground()
        let isText = !change.field.hasPrefix("screen")
        let text = isText ? "\"\(change.field)\":\"\(change.value)\"" : "\"\(change.field)\":\(change.value)"
        func isCurrent() throws -> Bool { try #require(phone.log.events.last).text.contains(text) }
        device.change(change.change)
        client.record("tap")
        // A repeated call changes nothing.
        client.foreground()
        client.record("tap")
        #expect(try !isCurrent())
        client.background()
        #expect(try !isCurrent())
        client.foreground()
        #expect(phone.log.events.last?.name == "_app_start")
        #expect(try isCurrent())
        client.record("tap")
        #expect(try isCurrent())
    }

    @Test("stay at the foreground if the app or the configuration set them, and follow the device otherwise")
    func setProperties() throws {
        let device = try Self.device(in: "UTC")
        device.change { $0.networkType = "WIFI" }
        let client = try phone.launch(sends: false, source: device) {
            $0.device.locale = "de_AT"
        } device: {
            $0 = device.device()
        }
        client.updateDevice {
            $0.carrier = "c"
            $0.deviceID = "d"
        }
        for network in ["Mobile", "UNKNOWN"] {
            device.change {
                $0.networkType = network
                $0.locale = "nl_NL"
                $0.carrier = "another"
                $0.deviceID = "another"
                $0.model = "another"
                $0.app.version = "2.0"
            }
            client.background()
            client.foreground()
            let event = try #require(phone.log.events.last)
            let fields = ["locale", "carrier", "network_type", "device_id", "model", "app_version"]
            let values = try fields.map { try #require(try Self.field($0, of: event).string) }
            #expect(values == ["de_AT", "c", network, "d", "", "1.0"])
        }
    }

    @Test("do not change without a source")
    func noSource() async throws {
        let client = try phone.launch(sends: false, device: { $0.zoneOffset = 3_600_000 })
        await phone.time.advance(milliseconds: 200 * 1_440 * Self.minute)
        client.background()
        client.foreground()
        client.record("tap")
        #expect(try Set(offsets()) == [60])
    }
}

/// Zone that is an hour further to the east from a time on.
private struct SteppingZone: DeviceSource {
    /// Milliseconds since 1970.
    let change: Int64

    func device() -> ClickstreamClient.Device { ClickstreamClient.Device(platform: "Linux") }

    func zoneOffset(at time: Timestamp) -> Int { time.milliseconds < change ? -18_000_000 : -14_400_000 }
}
