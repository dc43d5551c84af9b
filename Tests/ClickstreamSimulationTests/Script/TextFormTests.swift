import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamReplay

@Suite("Durations, dates, zones and suggestions")
struct TextFormTests {
    @Test(
        "parses durations",
        arguments: [
            ("250ms", 250), ("2s", 2_000), ("31m", 1_860_000), ("1h30m", 5_400_000), ("3d", 259_200_000), ("0s", 0),
            ("1.5s", 1_500), ("0.001s", 1), ("1d2h3m4s5ms", 93_784_005), ("0.000005d", 432), ("1.50s", 1_500),
            ("2.0ms", 2), ("36500d", 3_153_600_000_000), ("1s1s", 2_000),
        ] as [(String, Int64)]
    )
    func duration(text: String, milliseconds: Int64) throws {
        #expect(try DurationText.milliseconds(text) == milliseconds)
    }

    @Test(
        "rejects invalid durations",
        arguments: [
            ("", .empty), ("5", .noUnit(number: "5")), ("1h5", .noUnit(number: "5")), ("5 s", .unknownUnit(" s")),
            ("5S", .unknownUnit("S")), ("s", .noNumber), ("-5s", .noNumber), ("1.s", .noNumber), (".5s", .noNumber),
            ("0.5ms", .finerThanMilliseconds), ("1.0005s", .finerThanMilliseconds),
            ("0.0000000000001d", .finerThanMilliseconds), ("36501d", .tooLong), ("36500d1ms", .tooLong),
            ("99999999999999999999ms", .tooLong), ("1h\u{E9}", .unknownUnit("h\u{E9}")),
        ] as [(String, DurationText.Mistake)]
    )
    func noDuration(text: String, mistake: DurationText.Mistake) {
        #expect(throws: mistake) { try DurationText.milliseconds(text) }
    }

    @Test(
        "parses dates",
        arguments: [
            ("2023-09-05T13:19:26.703Z", 1_693_919_966_703), ("2023-09-05T21:19:26.703+08:00", 1_693_919_966_703),
            ("2023-09-05 13:19:26,703", 1_693_919_966_703), ("2023-09-05T09:19:26.7034567-0400", 1_693_919_966_703),
            ("2023-09-05t13:19:26z", 1_693_919_966_000), ("2023-09-05T13:19", 1_693_919_940_000),
            ("2023-09-05T13:19:26.7+00", 1_693_919_966_700), ("2024-02-29", 1_709_164_800_000),
            ("1970-01-01T00:00:00Z", 0), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)]
    )
    func date(text: String, milliseconds: Int64) throws {
        #expect(try DateText.timestamp(text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(
        "rejects invalid dates",
        arguments: [
            ("", .form), ("2023", .form), ("05.09.2023", .form), ("2023-9-5", .form), ("2023-09-05T", .form),
            ("2023-09-05T13", .form), ("2023-09-05T13:19:26.Z", .form), ("2023-09-05T13:19Zulu", .form),
            ("2023-09-05 13:19 CET", .form), ("2023-02-29", .noSuchDate), ("2023-13-01", .noSuchDate),
            ("2023-00-10", .noSuchDate), ("2023-04-31", .noSuchDate), ("2023-04-30T24:00", .noSuchDate),
            ("2023-04-30T23:60", .noSuchDate), ("2023-04-30T23:59:60Z", .noSuchDate), ("1969-12-31", .noSuchDate),
            ("2023-04-30T00:00+99:00", .noSuchDate),
        ] as [(String, DateText.Mistake)]
    )
    func noDate(text: String, mistake: DateText.Mistake) {
        #expect(throws: mistake) { try DateText.timestamp(text) }
    }

    @Test(
        "returns a zone's offset from GMT, daylight saving time included",
        arguments: [
            ("UTC", "2024-07-01", 0), ("Asia/Shanghai", "2024-01-01", 28_800_000),
            ("Europe/Berlin", "2024-01-01", 3_600_000), ("Europe/Berlin", "2024-07-01", 7_200_000),
            ("Europe/Berlin", "2024-03-31T00:59:59.999Z", 3_600_000), ("Europe/Berlin", "2024-03-31T01:00Z", 7_200_000),
            ("America/St_Johns", "2024-01-01", -12_600_000), ("Asia/Kathmandu", "2024-01-01", 20_700_000),
            ("Etc/GMT+8", "2024-01-01", -28_800_000),
        ]
    )
    func zone(name: String, date: String, offset: Int) throws {
        let zone = try #require(ZoneOffset(name))
        #expect(zone.milliseconds(at: try DateText.timestamp(date)) == offset)
    }

    @Test(
        "accepts no zones by other names",
        arguments: ["", "Asia/Shanghia", "PST", "CST", "GMT+8", "UTC-3", "+08:00", "Local"]
    )
    func noZone(name: String) {
        #expect(ZoneOffset(name) == nil)
    }

    @Test(
        "finds the most similar word",
        arguments: [
            ("lanch", "launch"), ("Launch", "launch"), ("backgruond", "background"), ("delete-global", "delete_global"),
            ("userid", "user_id"), ("recrod", "record"), ("waits", "wait"), ("event", nil), ("", nil), ("x", nil),
        ]
    )
    func spelling(word: String, meant: String?) {
        #expect(Suggestion.nearest(to: word, among: StepWord.allCases.map(\.rawValue)) == meant)
    }

    @Test("merges properties, key by key")
    func facts() {
        var first = LaunchFacts(
            app: AppFacts(package: "p", version: "1"),
            configuration: [ConfigurationEntry("appId", .text("a"))]
        )
        first.device.platform = "iOS"
        first.device.screenWidth = 10
        var second = LaunchFacts(app: AppFacts(version: "2"), configuration: [ConfigurationEntry("appId", .text("b"))])
        second.device.screenWidth = 20
        let facts = first.overlaid(with: second)
        var device = Device(
            platform: "Linux",
            model: "host",
            app: Device.App(package: "h", title: "Host", version: "0")
        )
        facts.apply(to: &device)
        var configuration = Configuration(appID: "")
        for entry in facts.configuration { entry.apply(to: &configuration) }
        let expected = Device(
            platform: "iOS",
            model: "host",
            screenWidth: 20,
            app: Device.App(package: "p", title: "Host", version: "2")
        )
        #expect(device == expected)
        #expect(configuration == Configuration(appID: "b"))
    }

    /// Every property of the device, as set by its key below.
    private static let device: Configuration.DeviceOverrides = {
        var device = Configuration.DeviceOverrides()
        device.appVersion = "2.0"
        device.appTitle = "Shop"
        device.appPackageName = "com.shop"
        device.platform = "Kiosk OS"
        device.osVersion = "9"
        device.make = "make"
        device.brand = "brand"
        device.model = "model"
        device.locale = "de_DE"
        device.language = "de"
        device.country = "DE"
        device.carrier = "carrier"
        device.networkType = "WIFI"
        device.screenWidth = 1920
        device.screenHeight = 1080
        device.zoneOffset = -3_600_000
        device.deviceID = "d1"
        device.advertisingID = "a1"
        return device
    }()

    @Test("writes every configuration key to its property")
    func configuration() {
        let entries: [ConfigurationEntry] = [
            ConfigurationEntry("appId", .text("a")), ConfigurationEntry("endpoint", .text("e")),
            ConfigurationEntry("isCompressEvents", .boolean(false)),
            ConfigurationEntry("autoFlushEventsInterval", .integer(1)),
            ConfigurationEntry("sendEventsInterval", .integer(2)),
            ConfigurationEntry("isTrackAppExceptionEvents", .boolean(true)),
            ConfigurationEntry("isTrackScreenViewEvents", .boolean(false)),
            ConfigurationEntry("isTrackUserEngagementEvents", .boolean(false)),
            ConfigurationEntry("isLogEvents", .boolean(true)),
            ConfigurationEntry("sessionTimeoutDuration", .integer(3)), ConfigurationEntry("authCookie", .text("c")),
            ConfigurationEntry("globalAttributes", .attributes(["g": 1])),
            ConfigurationEntry("userAttributesInEveryEvent", .boolean(false)),
            ConfigurationEntry("storageDirectory", .text("/s")),
            ConfigurationEntry("maxStoreBytes", .integer(4)), ConfigurationEntry("maxStoreEvents", .integer(5)),
            ConfigurationEntry("maxEventAge", .integer(6)), ConfigurationEntry("durability", .text("power")),
            ConfigurationEntry("maxBatchBytes", .integer(7)), ConfigurationEntry("connectTimeout", .integer(8)),
            ConfigurationEntry("requestTimeout", .integer(9)), ConfigurationEntry("endsOnSignals", .boolean(true)),
            ConfigurationEntry("consent", .text("drop")), ConfigurationEntry("maxHeldEvents", .integer(10)),
            ConfigurationEntry("sampling", .attributes(["tap": 0.5])),
            ConfigurationEntry("appVersion", .text("2.0")), ConfigurationEntry("appTitle", .text("Shop")),
            ConfigurationEntry("appPackageName", .text("com.shop")),
            ConfigurationEntry("platform", .text("Kiosk OS")), ConfigurationEntry("osVersion", .text("9")),
            ConfigurationEntry("deviceMake", .text("make")), ConfigurationEntry("deviceBrand", .text("brand")),
            ConfigurationEntry("deviceModel", .text("model")), ConfigurationEntry("locale", .text("de_DE")),
            ConfigurationEntry("systemLanguage", .text("de")), ConfigurationEntry("countryCode", .text("DE")),
            ConfigurationEntry("carrier", .text("carrier")), ConfigurationEntry("networkType", .text("WIFI")),
            ConfigurationEntry("screenWidth", .integer(1920)), ConfigurationEntry("screenHeight", .integer(1080)),
            ConfigurationEntry("zoneOffset", .integer(-3_600_000)), ConfigurationEntry("deviceId", .text("d1")),
            ConfigurationEntry("uniqueId", .text("u1")), ConfigurationEntry("advertisingId", .text("a1")),
        ]
        #expect(entries.map(\.key) == ConfigurationKey.allNames)
        var configuration = Configuration(appID: "")
        for entry in entries { entry.apply(to: &configuration) }
        var expected = Configuration(appID: "a", endpoint: "e")
        expected.compressesEvents = false
        expected.sendInterval = 2
        expected.tracksExceptions = true
        expected.tracksScreenViews = false
        expected.tracksUserEngagement = false
        expected.logsEvents = true
        expected.sessionTimeout = 3
        expected.authCookie = "c"
        expected.globalAttributes = ["g": 1]
        expected.sendsUserAttributesInEveryEvent = false
        expected.storageFolder = "/s"
        expected.maxStoreBytes = 4
        expected.maxStoreEvents = 5
        expected.maxEventAge = 6
        expected.durability = .power
        expected.maxBatchBytes = 7
        expected.connectTimeout = 8
        expected.requestTimeout = 9
        expected.endsOnSignals = true
        expected.consent = .drop
        expected.maxHeldEvents = 10
        expected.sampling = ["tap": 0.5]
        expected.device = Self.device
        expected.uniqueID = "u1"
        #expect(configuration == expected)
    }
}
