import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamReplay

@Suite("Script reader")
struct ScriptReaderTests {
    /// Script read from a text.
    static func read(_ text: String, file: String = "test.yaml") throws(DocumentError) -> Script {
        try ScriptReader.read(Array(text.utf8), file: file)
    }

    /// The lines of complaint about a text.
    static func complaints(_ text: String, file: String = "test.yaml") -> [String] {
        do throws(DocumentError) {
            _ = try read(text, file: file)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    /// A script of these steps alone.
    static func steps(_ lines: String) -> String {
        "clickstream: 1\nsteps:\n" + lines
    }

    @Test("parses the documentation's example")
    func example() throws {
        let script = try ScriptReaderTests.read(
            """
            clickstream: 1
            seed: 7
            start: 2023-09-05T13:19:26.703Z
            time_zone: Asia/Shanghai
            config:
              appId: shopping
              sessionTimeoutDuration: 1800000
            app:    { package: com.company.app, title: Shopping, version: "1.0" }
            device: { platform: iOS, os_version: "16.4", make: apple, brand: apple, model: iPhone 14 Pro, locale: en_US,
                      language: en, country: US, carrier: UNKNOWN, network: WIFI, screen_width: 1179, screen_height: 2556,
                      device_id: A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE, advertising_id: "" }
            steps:
              - launch
              - wait: 1500ms
              - screen: { name: HomeView, id: Shop/HomeView, unique_id: "5260751568" }
              - wait: 3s
              - record: button_click
              - record: { name: add_to_cart, attributes: { category: shoes, value: 279.9 }, items: [ { id: "123", price: 99.9 } ] }
              - user_id: carl
              - background
              - wait: 31m
              - foreground
            """
        )
        var device = DeviceFacts()
        device.platform = "iOS"
        device.osVersion = "16.4"
        device.make = "apple"
        device.brand = "apple"
        device.model = "iPhone 14 Pro"
        device.locale = "en_US"
        device.language = "en"
        device.country = "US"
        device.carrier = "UNKNOWN"
        device.networkType = "WIFI"
        device.screenWidth = 1_179
        device.screenHeight = 2_556
        device.deviceID = "A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE"
        device.advertisingID = ""
        let zone = try #require(ZoneOffset("Asia/Shanghai"))
        let expected = Script(
            seed: 7,
            start: Timestamp(milliseconds: 1_693_919_966_703),
            timeZone: zone,
            facts: LaunchFacts(
                app: AppFacts(package: "com.company.app", title: "Shopping", version: "1.0"),
                device: device,
                configuration: [
                    ConfigurationEntry("appId", .text("shopping")),
                    ConfigurationEntry("sessionTimeoutDuration", .integer(1_800_000)),
                ]
            ),
            steps: [
                Step(.launch(LaunchFacts())),
                Step(.wait(1_500)),
                Step(.screen(name: "HomeView", id: "Shop/HomeView", uniqueID: "5260751568")),
                Step(.wait(3_000)),
                Step(.record(name: "button_click", attributes: [:], items: [])),
                Step(
                    .record(
                        name: "add_to_cart",
                        attributes: ["category": "shoes", "value": 279.9],
                        items: [["id": "123", "price": 99.9]]
                    )
                ),
                Step(.userID("carl")),
                Step(.background),
                Step(.wait(31 * 60_000)),
                Step(.foreground),
            ]
        )
        #expect(script == expected)
        #expect(script.steps.map(\.position.line) == Array(13...22))
        #expect(script.steps.allSatisfy { $0.position.column == 5 })
    }

    @Test(
        "supports every step",
        arguments: [
            ("launch", .launch(LaunchFacts())),
            ("launch:", .launch(LaunchFacts())),
            ("launch: {}", .launch(LaunchFacts())),
            (
                "launch: { app: { version: '2' }, device: { screen_width: 1 }, config: { isLogEvents: true } }",
                .launch(
                    LaunchFacts(
                        app: AppFacts(version: "2"),
                        device: {
                            var facts = DeviceFacts()
                            facts.screenWidth = 1
                            return facts
                        }(),
                        configuration: [ConfigurationEntry("isLogEvents", .boolean(true))]
                    )
                )
            ),
            ("foreground", .foreground), ("background", .background), ("background:", .background),
            ("terminate", .terminate), ("kill", .kill), ("enable", .enable), ("disable", .disable), ("flush", .flush),
            ("crash: out of bounds", .crash(message: "out of bounds", stack: "")),
            ("crash: { message: m, stack: s }", .crash(message: "m", stack: "s")),
            ("wait: 1h30m", .wait(5_400_000)),
            ("sleep: 8h", .sleep(28_800_000)),
            ("clock: +2h", .clock(.by(7_200_000))),
            ("clock: -5m", .clock(.by(-300_000))),
            ("clock: 1970-01-01T00:00:01Z", .clock(.to(Timestamp(milliseconds: 1_000)))),
            ("clock: \"1970-01-02\"", .clock(.to(Timestamp(milliseconds: 86_400_000)))),
            ("screen: Home", .screen(name: "Home", id: nil, uniqueID: nil)),
            ("screen: { name: Home, id: h }", .screen(name: "Home", id: "h", uniqueID: nil)),
            ("screen: { name: Home, unique_id: '' }", .screen(name: "Home", id: nil, uniqueID: "")),
            ("record: 1st event", .record(name: "1st event", attributes: [:], items: [])),
            ("record: ''", .record(name: "", attributes: [:], items: [])),
            ("record: { name: _screen_view }", .record(name: "_screen_view", attributes: [:], items: [])),
            ("record: { name: a, items: [ {} ] }", .record(name: "a", attributes: [:], items: [[:]])),
            ("user_id: carl", .userID("carl")), ("user_id: ''", .userID("")), ("user_id: null", .userID(nil)),
            ("user_id:", .userID(nil)), ("user_id: ~", .userID(nil)), ("user_id: 'null'", .userID("null")),
            ("user: { b: 1, a: x }", .addUserAttributes(["b": 1, "a": "x"])),
            ("user: {}", .addUserAttributes([:])),
            ("global: { level: 5.1 }", .addGlobalAttributes(["level": 5.1])),
            ("delete_global: [ level, '7' ]", .deleteGlobalAttributes(["level", "7"])),
            (
                "configure: { sendEventsInterval: 0, globalAttributes: { a: 1 }, durability: power }",
                .configure([
                    ConfigurationEntry("sendEventsInterval", .integer(0)),
                    ConfigurationEntry("globalAttributes", .attributes(["a": 1])),
                    ConfigurationEntry("durability", .text("power")),
                ])
            ),
            (
                "consent: { analytics: granted, personalization: denied }",
                .consent([Step.ConsentStep(.analytics, .granted), Step.ConsentStep(.personalization, .denied)])
            ),
            ("network: offline", .network(.offline)), ("network: online", .network(.online)),
            ("network: WIFI", .network(.wifi)), ("network: Mobile", .network(.mobile)),
            ("network: UNKNOWN", .network(.unknown)),
            (
                "repeat: { times: 3, steps: [ { repeat: { times: 0, steps: [] } }, flush ] }",
                .repeat(times: 3, steps: [Step(.repeat(times: 0, steps: [])), Step(.flush)])
            ),
        ] as [(String, Step.Action)]
    )
    func step(text: String, expected: Step.Action) throws {
        var lines = "  - launch\n"
        if case .launch = expected { lines += "  - kill\n" }
        let script = try ScriptReaderTests.read(ScriptReaderTests.steps(lines + "  - \(text)\n"))
        #expect(script.steps.last?.action == expected)
    }

    @Test(
        "keeps the written type of a value",
        arguments: [
            ("1", 1), ("1.0", 1.0), ("\"1\"", "1"), ("'1.0'", "1.0"), ("true", true), ("TRUE", true), ("False", false),
            ("'true'", "true"), ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"),
            (".inf", .double(.infinity)), ("-.inf", .double(-.infinity)), ("+.Inf", .double(.infinity)),
            ("'.nan'", ".nan"), ("0x1F", 31), ("0o17", 15), ("017", 17), ("+5", 5), ("-0", 0),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("1e3", 1_000.0), ("1.", 1.0), (".5", 0.5), ("-1.5E-2", -0.015),
            ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1.79E308", 1.79e308), ("1_000", "1_000"), ("12:30:45", "12:30:45"), ("2023-09-05", "2023-09-05"),
            ("1.2.3", "1.2.3"), (".", "."), ("+", "+"), ("1e", "1e"), ("0x", "0x"), ("0b1", "0b1"),
            ("nan", "nan"), ("inf", "inf"), ("''", ""), ("!!str 5", "5"), ("!!float 5", 5.0), ("!!int 5", 5),
            ("\"\\u00e9\\n\"", "\u{E9}\n"), ("|-\n          text\n", "text"), (">-\n          1\n", "1"),
        ] as [(String, AttributeValue)]
    )
    func scalar(text: String, expected: AttributeValue) throws {
        let script = try ScriptReaderTests.read(ScriptReaderTests.steps("  - launch\n  - user:\n        a: \(text)\n"))
        #expect(script.steps.last?.action == .addUserAttributes(["a": expected]))
    }

    @Test("parses not-a-number")
    func notANumber() throws {
        let script = try ScriptReaderTests.read(ScriptReaderTests.steps("  - launch\n  - user: { a: .nan, b: .NaN }\n"))
        guard case .addUserAttributes(let attributes)? = script.steps.last?.action else {
            Issue.record("no user attributes")
            return
        }
        #expect(attributes.map(\.name) == ["a", "b"])
        #expect(attributes.allSatisfy { !$0.value.isFinite })
    }

    @Test("leaves names and values that violate the rules to the library")
    func leavesRulesAlone() throws {
        let script = try ScriptReaderTests.read(
            ScriptReaderTests.steps(
                "  - launch\n  - record: { name: a b, attributes: { '': 1, 9x: .inf }, items: [ { b: 1 } ] }\n"
            )
        )
        let expected = Step.Action.record(
            name: "a b",
            attributes: ["": 1, "9x": Double.infinity],
            items: [["b": 1]]
        )
        #expect(script.steps.last?.action == expected)
    }

    @Test("keeps attributes in their written order", arguments: ["yaml", "json"])
    func order(notation: String) throws {
        let names = (0..<60).map { "n\($0 * 37 % 61)" }
        let pairs = names.map { "\"\($0)\": 1" }.joined(separator: ", ")
        let text = "{\"clickstream\": 1, \"steps\": [\"launch\", {\"user\": {\(pairs)}}]}"
        let script = try ScriptReaderTests.read(text, file: "test.\(notation)")
        #expect(script.steps.last?.action == .addUserAttributes(Attributes(names.map { ($0, .integer(1)) })))
    }

    @Test("parses YAML and JSON of the same script as the same value")
    func notations() throws {
        let yaml = """
            clickstream: 1
            seed: 3
            start: 2024-02-29 12:00:00+02:00
            config: { appId: a, globalAttributes: { g: 1 } }
            device: { screen_width: 5 }
            steps:
              - launch: { app: { title: T } }
              - record: { name: r, attributes: { i: 1, d: 1.0, s: "1", b: true, e: 1e2 }, items: [ { id: x } ] }
              - user_id: null
              - delete_global: [ g ]
              - repeat:
                  times: 2
                  steps: [ flush, wait: 5s ]
            """
        let json = """
            {"clickstream": 1, "seed": 3, "start": "2024-02-29T10:00:00Z",
             "config": {"appId": "a", "globalAttributes": {"g": 1}}, "device": {"screen_width": 5},
             "steps": [{"launch": {"app": {"title": "T"}}},
               {"record": {"name": "r", "attributes": {"i": 1, "d": 1.0, "s": "1", "b": true, "e": 1e2},
                           "items": [{"id": "x"}]}},
               {"user_id": null}, {"delete_global": ["g"]},
               {"repeat": {"times": 2, "steps": ["flush", {"wait": "5s"}]}}]}
            """
        let expected = try ScriptReaderTests.read(yaml)
        #expect(try ScriptReaderTests.read(json, file: "test.JSON") == expected)
        #expect(try ScriptReaderTests.read(json, file: "test.yaml") == expected)
    }

    @Test("uses the documented defaults")
    func defaults() throws {
        let script = try ScriptReaderTests.read("clickstream: 1\nsteps: [ launch ]")
        #expect(
            script
                == Script(
                    seed: 1,
                    start: nil,
                    timeZone: .utc,
                    facts: LaunchFacts(),
                    steps: [Step(.launch(LaunchFacts()))]
                )
        )
    }

    @Test("ignores a byte order mark, comments and Windows line ends; follows anchors")
    func spellings() throws {
        let text =
            "\u{FEFF}# day\r\nclickstream: 1 # one\r\nsteps:\r\n- launch\r\n- user: &u { a: 1 }\r\n- global: *u\r\n"
        let script = try ScriptReaderTests.read(text)
        #expect(
            script.steps.map(\.action) == [
                .launch(LaunchFacts()), .addUserAttributes(["a": 1]), .addGlobalAttributes(["a": 1]),
            ]
        )
    }

    @Test("refuses text in UTF-16, with its remedy", arguments: ["day.yaml", "day.json"])
    func utf16(_ file: String) throws {
        let bytes = "\u{FEFF}clickstream: 1\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let error = #expect(throws: DocumentError.self) { try ScriptReader.read(bytes, file: file) }
        #expect(error?.problems.map(\.message) == [TextEncoding.utf16Refusal])
    }

    @Test("reads 20 000 steps in well under a second")
    func long() throws {
        var text = ScriptReaderTests.steps("- launch\n")
        for number in 0..<10_000 {
            text += "- record: { name: tap, attributes: { n: \(number), b: button, v: 1.5 } }\n- wait: 1s\n"
        }
        #expect(try ScriptReaderTests.read(text).steps.count == 20_001)
    }
}
