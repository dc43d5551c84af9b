import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Configured device properties")
struct DeviceOverridesTests {
    private let recorder = ClickstreamTestRecorder()

    @Test("replace the machine's in every event, and keep the others")
    func everyEvent() throws {
        let client = try recorder.launch {
            $0.device.appVersion = "2.5"
            $0.device.model = "Kiosk 7"
            $0.device.screenWidth = 1_920
            $0.device.zoneOffset = -3_600_000
            $0.device.deviceID = "kiosk-7"
            $0.device.advertisingID = "a"
        }
        client.record("tap")
        for event in recorder.events {
            #expect(event.json.contains(#""app_version":"2.5""#))
            #expect(event.json.contains(#""model":"Kiosk 7""#))
            #expect(event.json.contains(#""screen_width":1920,"zone_offset":-3600000"#))
            #expect(event.json.contains(#""device_id":"kiosk-7","device_unique_id":"a""#))
            #expect(event.json.contains(#""platform":"Linux""#))
        }
    }

    @Test("record an update when the app's or the system's version changes between launches")
    func update() throws {
        let versions = [("1.0", "1"), ("1.0", "1"), ("1.1", "1"), ("1.1", "2")]
        for (app, system) in versions {
            let client = try recorder.launch {
                $0.device.appVersion = app
                $0.device.osVersion = system
            }
            client.terminate()
        }
        try recorder.expectEvent("_app_update", count: .exactly(1)) { $0["_previous_app_version"] == "1.0" }
        try recorder.expectEvent("_os_update", count: .exactly(1)) { $0["_previous_os_version"] == "1" }
    }

    @Test("are kept when the platform reports another value")
    func platformChange() throws {
        let client = try recorder.launch { $0.device.networkType = "WIFI" }
        client.updateDevice {
            $0.networkType = "Mobile"
            $0.carrier = "carrier"
        }
        client.record("tap")
        let event = try #require(recorder.events(named: "tap").first)
        #expect(event.json.contains(#""network_type":"WIFI""#))
        #expect(event.json.contains(#""carrier":"carrier""#))
    }

    @Test("set every property of the device")
    func all() {
        var overrides = ClickstreamClient.Configuration.DeviceOverrides()
        #expect(recorder.device.with(overrides) == recorder.device)
        (overrides.appPackageName, overrides.appTitle, overrides.appVersion) = ("p", "t", "v")
        (overrides.platform, overrides.osVersion, overrides.make, overrides.brand) = ("P", "V", "m", "b")
        (overrides.model, overrides.locale, overrides.language, overrides.country) = ("o", "l", "g", "c")
        (overrides.carrier, overrides.networkType) = ("r", "n")
        (overrides.screenWidth, overrides.screenHeight, overrides.zoneOffset) = (1, 2, 3)
        (overrides.deviceID, overrides.advertisingID) = ("d", "a")
        let expected = ClickstreamClient.Device(
            platform: "P",
            osVersion: "V",
            make: "m",
            brand: "b",
            model: "o",
            locale: "l",
            language: "g",
            country: "c",
            carrier: "r",
            networkType: "n",
            screenWidth: 1,
            screenHeight: 2,
            zoneOffset: 3,
            deviceID: "d",
            advertisingID: "a",
            app: ClickstreamClient.Device.App(package: "p", title: "t", version: "v")
        )
        #expect(recorder.device.with(overrides) == expected)
    }
}
