import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@Suite("The Swift-native surface of the facade")
struct FacadeSwiftSurfaceTests {
    private let recorder = ClickstreamTestRecorder()

    @Test("records items, and events of another user, also before the start")
    func events() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.recordEvent("early", user: "carl")
            ClickstreamAnalytics.recordEvent("early_items", [:], [["id": "1"]])
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("refund", ["value": 5], [["id": "2"]], user: "carl")
            ClickstreamAnalytics.recordEvent("view_cart", [:], [["id": "3"]])
            #expect(ClickstreamAnalytics.userId == nil)
        }
        for name in ["early", "refund"] {
            #expect(recorder.events(named: name).map { $0.user["_user_id"] } == ["carl"])
        }
        #expect(recorder.events(named: "view_cart").first?.user["_user_id"] == nil)
        #expect(recorder.events.flatMap(\.items).map { $0["id"] } == ["1", "2", "3"])
    }

    @Test("takes dictionaries and lists in variables")
    func dictionaries() throws {
        let (texts, numbers, names) = (["b": "2", "a": "1"], ["n": 1, "gone": 2], ["gone"])
        let values: [String: any AttributeValueConvertible] = ["z": true, "y": 1.5]
        let (agent, current): (String?, String?) = ("carl", nil)
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("texts", texts)
            ClickstreamAnalytics.recordEvent("numbers", numbers, [["id": "1"]])
            ClickstreamAnalytics.recordEvent("values", values, user: "carl")
            ClickstreamAnalytics.recordEvent("literal", ["b": 1, "a": 2])
            ClickstreamAnalytics.recordEvent("literal_as", ["b": 1, "a": 2, "b": 3], user: agent)
            ClickstreamAnalytics.recordEvent("literal_own", ["b": 1, "a": 2], user: current)
            ClickstreamAnalytics.addGlobalAttributes(numbers)
            ClickstreamAnalytics.deleteGlobalAttributes(names)
            ClickstreamAnalytics.addUserAttributes(texts)
            ClickstreamAnalytics.recordEvent("later")
        }
        let parts = [
            "texts": #""a":"1","b":"2""#, "numbers": #""gone":2,"n":1"#, "values": #""y":1.5,"z":true"#,
            "literal": #""b":1,"a":2"#, "literal_as": #""b":3,"a":2"#, "literal_own": #""b":1,"a":2"#,
            "later": #""n":1"#,
        ]
        for (name, part) in parts {
            let event = try #require(recorder.events(named: name).first)
            #expect(event.json.contains(part), "\(event.json)")
        }
        #expect(recorder.events(named: "numbers").first?.items == [["id": "1"]])
        for (name, user) in ["values": "carl", "literal_as": "carl", "literal_own": nil] as [String: AttributeValue?] {
            #expect(recorder.events(named: name).first?.user["_user_id"] == user)
        }
        let later = try #require(recorder.events(named: "later").first)
        #expect(later["gone"] == nil && later.user["a"] == "1")
    }

    @Test("sends what is queued when it shuts down with a deadline, and starts again")
    func shutdown() async throws {
        let recorder = recorder
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            #expect(await ClickstreamAnalytics.shutdown(deadline: .seconds(1)) == FlushReport())
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("tap")
            let report = await ClickstreamAnalytics.shutdown(deadline: .seconds(1))
            #expect(report.lastError == nil && report.sent > 0)
            #expect(recorder.delivered.map(\.name).contains("tap"))
            #expect(!ClickstreamAnalytics.isRecording)
            try ClickstreamAnalytics.initSDK()
            #expect(ClickstreamAnalytics.isRecording)
        }
    }

    @Test("reads user, session and switch back")
    func state() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            #expect(!ClickstreamAnalytics.isRecording)
            #expect(ClickstreamAnalytics.currentSession == nil)
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.setUserId("carl")
            #expect(ClickstreamAnalytics.userId == "carl")
            #expect(ClickstreamAnalytics.currentSession?.number == 1)
            #expect(ClickstreamAnalytics.currentSession?.start == Date(timeIntervalSince1970: 1_704_067_200))
            #expect(ClickstreamAnalytics.isRecording)
            ClickstreamAnalytics.disable()
            #expect(!ClickstreamAnalytics.isRecording)
            ClickstreamAnalytics.shutdown()
            #expect(ClickstreamAnalytics.userId == nil)
        }
    }

    @Test("delivers the notices of the launch and of later events as a sequence")
    func notices() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            let notices = ClickstreamAnalytics.notices()
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("tap")
            var names: [String] = []
            for await case .recorded(let name, _, _, _) in notices {
                names.append(name)
                if name == "tap" { break }
            }
            #expect(names == ["_first_open", "_app_start", "_session_start", "tap"])
            #expect(await ClickstreamAnalytics.flush(deadline: .seconds(1)).sent == 4)
        }
    }

    @Test("sets times as durations, in properties and in chained calls")
    func durations() {
        let chained = ClickstreamConfiguration()
            .with(\.flushInterval, .seconds(5)).with(\.sessionTimeout, .seconds(60))
            .with(\.maxEventAge, .seconds(86_400)).with(\.connectTimeout, .milliseconds(1_500))
            .with(\.requestTimeout, .microseconds(1))
        #expect(chained.sendEventsInterval == 5_000 && chained.flushInterval == .seconds(5))
        #expect(chained.sessionTimeoutDuration == 60_000 && chained.sessionTimeout == .seconds(60))
        #expect(chained.maxEventAge == .seconds(86_400) && chained.connectTimeout == .milliseconds(1_500))
        #expect(chained.requestTimeout == .milliseconds(1))
        let least = ClickstreamConfiguration()
        least.flushInterval = .seconds(-1)
        least.sessionTimeout = .seconds(-1)
        least.maxEventAge = nil
        least.connectTimeout = .zero
        #expect(least.sendEventsInterval == 0 && least.sessionTimeoutDuration == 0)
        #expect(least.maxEventAge == nil && least.connectTimeout == .milliseconds(1))
        // Integers of milliseconds keep their meaning.
        #expect(ClickstreamConfiguration().withSendEventsInterval(7).flushInterval == .milliseconds(7))
        let longest = ClickstreamConfiguration()
        (longest.flushInterval, longest.sessionTimeout) = (.seconds(Int64.max), .seconds(Int64.max))
        #expect(longest.sendEventsInterval == .max && longest.sessionTimeoutDuration == .max)
    }

    @Test("sets properties of the app and the device")
    func device() {
        let code = ClickstreamConfiguration().with(\.appVersion, "2").with(\.appTitle, "Shop")
            .with(\.appPackageName, "com.shop").with(\.platform, "Kiosk OS").with(\.osVersion, "9")
            .with(\.deviceMake, "m").with(\.deviceBrand, "b")
            .with(\.deviceModel, "o").with(\.locale, "de_DE").with(\.systemLanguage, "de").with(\.countryCode, "DE")
            .with(\.carrier, "c").with(\.networkType, "WIFI").with(\.screenWidth, -1).with(\.screenHeight, 2)
            .with(\.zoneOffset, 99_000_000).with(\.deviceId, "d").with(\.uniqueId, "u").with(\.advertisingId, "a")
        var expected = ClickstreamClient.Configuration.DeviceOverrides()
        (expected.appVersion, expected.appTitle, expected.appPackageName) = ("2", "Shop", "com.shop")
        (expected.platform, expected.osVersion, expected.make, expected.brand) = ("Kiosk OS", "9", "m", "b")
        (expected.model, expected.locale, expected.language, expected.country) = ("o", "de_DE", "de", "DE")
        (expected.carrier, expected.networkType) = ("c", "WIFI")
        (expected.screenWidth, expected.screenHeight, expected.zoneOffset) = (1, 2, 50_400_000)
        (expected.deviceID, expected.advertisingID) = ("d", "a")
        #expect(code.applied(to: ClickstreamClient.Configuration(appID: "")).device == expected)
        #expect(code.appVersion == "2")
        #expect(code.deviceModel == "o")
        #expect(code.screenWidth == 1)
        #expect(code.deviceId == "d")
        #expect(code.uniqueId == "u")
        #expect(code.applied(to: ClickstreamClient.Configuration(appID: "")).uniqueID == "u")
        #expect(
            code.with(\.appVersion, nil).applied(to: ClickstreamClient.Configuration(appID: "")).device.appVersion
                == nil
        )
    }

    @Test("a client of its own finds this machine, the environment and the files")
    func machine() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("surface-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let notices = Locked<[Notice]>([])
        let client = try ClickstreamClient(
            ClickstreamConfiguration().withAppId("shopping").with(\.storageDirectory, folder).with(\.appVersion, "2.0")
        ) { notice in notices.withLock { $0.append(notice) } }
        client.record("add_to_cart", attributes: ["price": 12.5])
        client.terminate()
        let lines = notices.withLock { $0 }.compactMap { notice -> String? in
            if case .recorded("add_to_cart", _, let line, _) = notice {
                String(decoding: line, as: UTF8.self)
            } else {
                nil
            }
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#""app_version":"2.0""#) == true)
        #expect(FileManager.default.fileExists(atPath: "\(folder)/shopping"))
        #expect(throws: InitError.self) {
            try ClickstreamClient(ClickstreamConfiguration().withAppId("a").withEndpoint("ftp://example.com"))
        }
    }
}
