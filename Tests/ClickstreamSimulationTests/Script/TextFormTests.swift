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
        ] as [(String, DurationText.ParseError)]
    )
    func noDuration(text: String, error: DurationText.ParseError) {
        #expect(throws: error) { try DurationText.milliseconds(text) }
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
        ] as [(String, DateText.ParseError)]
    )
    func noDate(text: String, error: DateText.ParseError) {
        #expect(throws: error) { try DateText.timestamp(text) }
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
        #expect(Suggestion.nearest(to: word, among: Verb.all.map(\.word)) == meant)
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
        var device = ClickstreamClient.Device(
            platform: "Linux",
            model: "host",
            app: ClickstreamClient.Device.App(package: "h", title: "Host", version: "0")
        )
        facts.apply(to: &device)
        var configuration = ClickstreamClient.Configuration(appID: "")
        for entry in facts.configuration { entry.apply(to: &configuration) }
        let expected = ClickstreamClient.Device(
            platform: "iOS",
            model: "host",
            screenWidth: 20,
            app: ClickstreamClient.Device.App(package: "p", title: "Host", version: "2")
        )
        #expect(device == expected)
        #expect(configuration == ClickstreamClient.Configuration(appID: "b"))
    }

    @Test("writes every configuration key to its property, and to no other", arguments: ConfigurationKey.allNames)
    func configuration(name: String) throws {
        let key = try #require(ConfigurationKey.named(name))
        let defaults = ClickstreamClient.Configuration(appID: "")
        let value: ConfigurationKey.Value =
            switch key.form {
            case .boolean(let path): .boolean(!defaults[keyPath: path])
            case .text, .optionalText: .text("x")
            case .milliseconds, .optionalMilliseconds, .count, .optionalCount, .zoneOffset: .integer(7)
            case .attributes: .attributes(["g": 1])
            case .word(let words, _, _): .text(try #require(words.last))
            case .sampling: .attributes(["tap": 0.5])
            }
        var configuration = defaults
        ConfigurationEntry(name, value).apply(to: &configuration)
        #expect(key.value(in: defaults) != value)
        #expect(key.value(in: configuration) == value)
        for other in ConfigurationKey.all where other.name != key.name {
            #expect(other.value(in: configuration) == other.value(in: defaults), "\(other.name)")
        }
    }
}
