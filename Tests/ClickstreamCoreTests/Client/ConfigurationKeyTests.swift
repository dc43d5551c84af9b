import ClickstreamCore
import Testing

/// A value of a configuration key that is not its default, and the change that it makes.
struct KeySetting: Sendable, CustomTestStringConvertible {
    let name: String
    let value: ConfigurationKey.Value
    /// True if the key stays as it was at the launch.
    let isFixed: Bool
    let change: @Sendable (inout ClickstreamClient.Configuration) -> Void

    init(
        _ name: String,
        _ value: ConfigurationKey.Value,
        isFixed: Bool = false,
        _ change: @escaping @Sendable (inout ClickstreamClient.Configuration) -> Void
    ) {
        self.name = name
        self.value = value
        self.isFixed = isFixed
        self.change = change
    }

    var testDescription: String { name }
}

@Suite("Configuration keys")
struct ConfigurationKeyTests {
    typealias Value = ConfigurationKey.Value

    /// A row for each name: a new key has its row here.
    static let settings: [KeySetting] = [
        KeySetting("appId", .text("shop")) { $0.appID = "shop" },
        KeySetting("endpoint", .text("https://a.example/collect")) { $0.endpoint = "https://a.example/collect" },
        KeySetting("isCompressEvents", .boolean(false)) { $0.compressesEvents = false },
        KeySetting("autoFlushEventsInterval", .integer(0)) { $0.sendInterval = .zero },
        KeySetting("sendEventsInterval", .integer(5)) { $0.sendInterval = .milliseconds(5) },
        KeySetting("isTrackAppExceptionEvents", .boolean(true)) { $0.tracksExceptions = true },
        KeySetting("isTrackScreenViewEvents", .boolean(false)) { $0.tracksScreenViews = false },
        KeySetting("isTrackUserEngagementEvents", .boolean(false)) { $0.tracksUserEngagement = false },
        KeySetting("isLogEvents", .boolean(true)) { $0.logsEvents = true },
        KeySetting("sessionTimeoutDuration", .integer(60_000)) { $0.sessionTimeout = .seconds(60) },
        KeySetting("authCookie", .text("a=b")) { $0.authCookie = "a=b" },
        KeySetting("globalAttributes", .attributes(["a": 1, "b": "c"])) { $0.globalAttributes = ["a": 1, "b": "c"] },
        KeySetting("userAttributesInEveryEvent", .boolean(false)) { $0.sendsUserAttributesInEveryEvent = false },
        KeySetting("storageDirectory", .text("/tmp/x"), isFixed: true) { $0.storageFolder = "/tmp/x" },
        KeySetting("maxStoreBytes", .integer(1), isFixed: true) { $0.maxStoreBytes = 1 },
        KeySetting("maxStoreEvents", .integer(7), isFixed: true) { $0.maxStoreEvents = 7 },
        KeySetting("maxEventAge", .integer(86_400_000), isFixed: true) { $0.maxEventAge = .seconds(86_400) },
        KeySetting("durability", .text("power"), isFixed: true) { $0.durability = .power },
        KeySetting("maxBatchBytes", .integer(9)) { $0.maxBatchBytes = 9 },
        KeySetting("connectTimeout", .integer(1)) { $0.connectTimeout = .milliseconds(1) },
        KeySetting("requestTimeout", .integer(2)) { $0.requestTimeout = .milliseconds(2) },
        KeySetting("endsOnSignals", .boolean(true), isFixed: true) { $0.endsOnSignals = true },
        KeySetting("consent", .text("hold"), isFixed: true) { $0.consent = .hold },
        KeySetting("maxHeldEvents", .integer(10)) { $0.maxHeldEvents = 10 },
        KeySetting("sampling", .attributes(["scroll": 0.5])) { $0.sampling = ["scroll": 0.5] },
        KeySetting("appVersion", .text("2.0"), isFixed: true) { $0.device.appVersion = "2.0" },
        KeySetting("appTitle", .text("Shop"), isFixed: true) { $0.device.appTitle = "Shop" },
        KeySetting("appPackageName", .text("com.shop"), isFixed: true) { $0.device.appPackageName = "com.shop" },
        KeySetting("platform", .text("Kiosk OS"), isFixed: true) { $0.device.platform = "Kiosk OS" },
        KeySetting("osVersion", .text("9"), isFixed: true) { $0.device.osVersion = "9" },
        KeySetting("deviceMake", .text("make"), isFixed: true) { $0.device.make = "make" },
        KeySetting("deviceBrand", .text("brand"), isFixed: true) { $0.device.brand = "brand" },
        KeySetting("deviceModel", .text("model"), isFixed: true) { $0.device.model = "model" },
        KeySetting("locale", .text("de_DE"), isFixed: true) { $0.device.locale = "de_DE" },
        KeySetting("systemLanguage", .text("de"), isFixed: true) { $0.device.language = "de" },
        KeySetting("countryCode", .text("DE"), isFixed: true) { $0.device.country = "DE" },
        KeySetting("carrier", .text("carrier"), isFixed: true) { $0.device.carrier = "carrier" },
        KeySetting("networkType", .text("WIFI"), isFixed: true) { $0.device.networkType = "WIFI" },
        KeySetting("screenWidth", .integer(1920), isFixed: true) { $0.device.screenWidth = 1920 },
        KeySetting("screenHeight", .integer(1080), isFixed: true) { $0.device.screenHeight = 1080 },
        KeySetting("zoneOffset", .integer(-3_600_000), isFixed: true) { $0.device.zoneOffset = -3_600_000 },
        KeySetting("deviceId", .text("d1"), isFixed: true) { $0.device.deviceID = "d1" },
        KeySetting("uniqueId", .text("u1"), isFixed: true) { $0.uniqueID = "u1" },
        KeySetting("advertisingId", .text("a1"), isFixed: true) { $0.device.advertisingID = "a1" },
    ]

    @Test("have a row for every name, and each writes and reads its own property")
    func settings() throws {
        #expect(Self.settings.map(\.name) == ConfigurationKey.allNames)
        for setting in Self.settings {
            var configuration = ClickstreamClient.Configuration(appID: "")
            let problem = ConfigurationKey.apply(name: setting.name, value: setting.value, to: &configuration)
            #expect(problem == nil, "\(setting.name)")
            var expected = ClickstreamClient.Configuration(appID: "")
            setting.change(&expected)
            #expect(configuration == expected, "\(setting.name)")
            #expect(configuration != ClickstreamClient.Configuration(appID: ""), "\(setting.name)")
            let key = try #require(ConfigurationKey.named(setting.name))
            #expect(key.value(in: configuration) == setting.value)
            #expect(key.isFixed == setting.isFixed, "\(setting.name)")
        }
    }

    @Test("write every value back, and leave the configuration unchanged")
    func roundTrip() {
        var full = ClickstreamClient.Configuration(appID: "")
        for setting in Self.settings { setting.change(&full) }
        for source in [ClickstreamClient.Configuration(appID: "a"), full] {
            var copy = ClickstreamClient.Configuration(appID: "")
            for key in ConfigurationKey.all { _ = key.apply(key.value(in: source), to: &copy) }
            #expect(copy == source)
        }
    }

    @Test(
        "report the expected form of an invalid value, and change nothing",
        arguments: [
            ("appId", .integer(1), "'appId' must be a string, not 1"),
            ("isCompressEvents", .text("secret"), "'isCompressEvents' must be true or false, not a string"),
            ("isCompressEvents", .integer(1), "'isCompressEvents' must be true or false, not 1"),
            (
                "autoFlushEventsInterval", .integer(-1),
                "'autoFlushEventsInterval' must be an integer of milliseconds, 0 or more, not -1"
            ),
            (
                "sendEventsInterval", .text("10s"),
                "'sendEventsInterval' must be an integer of milliseconds, 0 or more, not a string"
            ),
            ("maxStoreBytes", .integer(0), "'maxStoreBytes' must be an integer, 1 or more, not 0"),
            ("maxStoreEvents", .integer(-5), "'maxStoreEvents' must be an integer, 1 or more, not -5"),
            ("maxEventAge", .integer(-1), "'maxEventAge' must be an integer of milliseconds, 0 or more, not -1"),
            (
                "maxEventAge", .unfit("the number 1.5"),
                "'maxEventAge' must be an integer of milliseconds, 0 or more, not the number 1.5"
            ),
            (
                "zoneOffset", .integer(50_400_001),
                "'zoneOffset' must be an integer of milliseconds, from -43200000 to 50400000, not 50400001"
            ),
            ("screenWidth", .integer(0), "'screenWidth' must be an integer, 1 or more, not 0"),
            ("uniqueId", .integer(7), "'uniqueId' must be a string, not 7"),
            ("uniqueId", .text(" \n"), "'uniqueId' must have 1 to 255 bytes, not 0"),
            (
                "uniqueId", .text(String(repeating: "\u{E9}", count: 128)),
                "'uniqueId' must have 1 to 255 bytes, not 256"
            ),
            ("appVersion", .integer(2), "'appVersion' must be a string, not 2"),
            ("requestTimeout", .integer(0), "'requestTimeout' must be an integer of milliseconds, 1 or more, not 0"),
            ("durability", .boolean(true), "'durability' must be 'process' or 'power', not true"),
            (
                "durability", .text("powr"),
                "'durability' must be 'process' or 'power', not 'powr'; did you mean 'power'?"
            ),
            (
                "globalAttributes", .text("a"),
                "'globalAttributes' must be an object of strings, numbers and booleans, not a string"
            ),
            ("authCookie", .attributes([:]), "'authCookie' must be a string, not an object"),
            ("endpiont", .text("x"), "unknown configuration key 'endpiont'; did you mean 'endpoint'?"),
            ("colour", .text("x"), "unknown configuration key 'colour'"),
        ] as [(String, Value, String)]
    )
    func unfit(name: String, value: Value, message: String) {
        var configuration = ClickstreamClient.Configuration(appID: "")
        let problem = ConfigurationKey.apply(name: name, value: value, to: &configuration)
        #expect(problem?.description == message)
        #expect(problem?.kind != .doubtfulValue)
        #expect(configuration == ClickstreamClient.Configuration(appID: ""))
    }

    @Test(
        "recognize the server's grammar of app ids",
        arguments: [
            ("shopping", true), ("A", true), ("a_1", true), ("a" + String(repeating: "9", count: 126), true),
            ("", false),
            ("1a", false), ("_a", false), ("a-b", false), ("a b", false), ("caf\u{E9}", false), ("a\u{AD}", false),
            ("a" + String(repeating: "9", count: 127), false), ("[", false), ("a@", false),
        ]
    )
    func appIDs(id: String, isGood: Bool) {
        #expect(ConfigurationKey.isServerAppID(id) == isGood)
        var configuration = ClickstreamClient.Configuration(appID: "before")
        let problem = ConfigurationKey.apply(name: "appId", value: .text(id), to: &configuration)
        // Set all the same: another server may accept it.
        #expect(configuration.appID == id)
        #expect((problem == nil) == isGood)
        if !isGood { #expect(problem?.kind == .doubtfulValue) }
    }

    /// Texts in words, in which white space at the ends could be meant.
    private static let freeTexts: Set<String> = ["appTitle", "deviceMake", "deviceBrand", "deviceModel", "carrier"]

    @Test(
        "remove white space at the ends of a text, or refuse it in free text",
        arguments: ConfigurationKey.allNames,
        [" ", "\n", "\r\n", "\t", "\u{A0}", "\u{2028}"]
    )
    func outerWhiteSpace(name: String, space: String) throws {
        let setting = try #require(Self.settings.first { $0.name == name })
        guard case .text(let text) = setting.value else { return }
        for padded in [text + space, space + text, space + text + space] {
            var configuration = ClickstreamClient.Configuration(appID: "")
            let problem = ConfigurationKey.apply(name: name, value: .text(padded), to: &configuration)
            var expected = ClickstreamClient.Configuration(appID: "")
            if Self.freeTexts.contains(name) {
                #expect(
                    problem?.description
                        == "'\(name)' must not begin or end with white space: '\(Characters.escaped(padded))'"
                )
                #expect(problem?.kind == .unfitValue)
            } else {
                #expect(problem == nil)
                setting.change(&expected)
            }
            #expect(configuration == expected)
        }
    }

    @Test(
        "refuse control characters, and name the text with them escaped unless it is a secret",
        arguments: [
            ("appId", "sh\nop", ": 'sh\\u000aop'"), ("endpoint", "http://a\nb/c", ": 'http://a\\u000ab/c'"),
            ("storageDirectory", "/tmp/\u{7F}x", ": '/tmp/\\u007fx'"), ("appVersion", "1\t0", ": '1\\u00090'"),
            ("appTitle", "My\rShop", ": 'My\\u000dShop'"), ("locale", "de\u{0}DE", ": 'de\\u0000DE'"),
            ("platform", "a\u{2029}b", ": 'a\\u2029b'"), ("osVersion", "\u{1B}[1m", ": '\\u001b[1m'"),
            ("deviceId", "d\n1", ""), ("uniqueId", "u\n1", ""), ("advertisingId", "a\u{85}1", ""),
            ("authCookie", "a\r\nb", ""), ("authCookie", "a\u{9B}b", ""), ("authCookie", "a\u{2028}b", ""),
        ]
    )
    func controlCharacters(name: String, text: String, shown: String) {
        var configuration = ClickstreamClient.Configuration(appID: "")
        let problem = ConfigurationKey.apply(name: name, value: .text(text), to: &configuration)
        #expect(
            problem?.description == "'\(name)' must not contain line breaks or other control characters\(shown)"
        )
        #expect(problem?.kind == .unfitValue)
        #expect(configuration == ClickstreamClient.Configuration(appID: ""))
    }

    @Test(
        "escape the names and words that a message quotes",
        arguments: [
            ("app\nId", .text("x"), #"unknown configuration key 'app\u000aId'"#),
            ("durability", .text("po\u{1B}wer"), #"'durability' must be 'process' or 'power', not 'po\u001bwer'"#),
            (
                "sampling", .attributes(["a\nb": 2]),
                #"'sampling' must be rates from 0 to 1, but that of 'a\u000ab' is not"#
            ),
        ] as [(String, Value, String)]
    )
    func escapes(name: String, value: Value, message: String) {
        var configuration = ClickstreamClient.Configuration(appID: "")
        let problem = ConfigurationKey.apply(name: name, value: value, to: &configuration)
        #expect(problem?.description.hasPrefix(message) == true, "\(problem?.description ?? "none")")
    }

    @Test("ignore null", arguments: ConfigurationKey.allNames)
    func null(name: String) {
        var configuration = ClickstreamClient.Configuration(appID: "a")
        #expect(ConfigurationKey.apply(name: name, value: .null, to: &configuration) == nil)
        #expect(configuration == ClickstreamClient.Configuration(appID: "a"))
    }

    @Test(
        "convert JSON by its type",
        arguments: [
            ("true", .boolean(true)), ("7", .integer(7)), ("-7", .integer(-7)), ("1.0", .unfit("the number 1.0")),
            ("1e3", .unfit("the number 1e3")), ("99999999999999999999", .unfit("the number 99999999999999999999")),
            ("\"x\"", .text("x")), ("null", .null), ("[1]", .unfit("an array")),
            (#"{"a":1,"b":2.5,"c":"d","e":true}"#, .attributes(["a": 1, "b": 2.5, "c": "d", "e": true])),
            (#"{"a":[]}"#, .unfit("an object in which 'a' is an array")),
            (#"{"a":null}"#, .unfit("an object in which 'a' is null")),
        ] as [(String, Value)]
    )
    func json(text: String, value: Value) throws {
        #expect(Value(try JSONReader.parse(Array(text.utf8))) == value)
    }
}

@Suite("Configuration layers")
struct ConfigurationLayersTests {
    @Test("name variables in upper snake case")
    func environmentNames() {
        #expect(
            ConfigurationKey.all.flatMap(\.environmentNames) == [
                "CLICKSTREAM_APP_ID", "CLICKSTREAM_ENDPOINT", "CLICKSTREAM_IS_COMPRESS_EVENTS",
                "CLICKSTREAM_AUTO_FLUSH_EVENTS_INTERVAL", "CLICKSTREAM_SEND_EVENTS_INTERVAL",
                "CLICKSTREAM_IS_TRACK_APP_EXCEPTION_EVENTS", "CLICKSTREAM_IS_TRACK_SCREEN_VIEW_EVENTS",
                "CLICKSTREAM_IS_TRACK_USER_ENGAGEMENT_EVENTS", "CLICKSTREAM_IS_LOG_EVENTS",
                "CLICKSTREAM_SESSION_TIMEOUT_DURATION", "CLICKSTREAM_AUTH_COOKIE", "CLICKSTREAM_GLOBAL_ATTRIBUTES",
                "CLICKSTREAM_USER_ATTRIBUTES_IN_EVERY_EVENT", "CLICKSTREAM_STORAGE_DIRECTORY",
                "CLICKSTREAM_MAX_STORE_BYTES", "CLICKSTREAM_MAX_STORE_EVENTS", "CLICKSTREAM_MAX_EVENT_AGE",
                "CLICKSTREAM_DURABILITY", "CLICKSTREAM_MAX_BATCH_BYTES", "CLICKSTREAM_CONNECT_TIMEOUT",
                "CLICKSTREAM_REQUEST_TIMEOUT", "CLICKSTREAM_ENDS_ON_SIGNALS",
                "CLICKSTREAM_CONSENT", "CLICKSTREAM_MAX_HELD_EVENTS", "CLICKSTREAM_SAMPLING",
                "CLICKSTREAM_APP_VERSION", "CLICKSTREAM_APP_TITLE", "CLICKSTREAM_APP_PACKAGE_NAME",
                "CLICKSTREAM_PLATFORM", "CLICKSTREAM_OS_VERSION", "CLICKSTREAM_DEVICE_MAKE",
                "CLICKSTREAM_DEVICE_BRAND", "CLICKSTREAM_DEVICE_MODEL", "CLICKSTREAM_LOCALE",
                "CLICKSTREAM_SYSTEM_LANGUAGE", "CLICKSTREAM_COUNTRY_CODE", "CLICKSTREAM_CARRIER",
                "CLICKSTREAM_NETWORK_TYPE", "CLICKSTREAM_SCREEN_WIDTH", "CLICKSTREAM_SCREEN_HEIGHT",
                "CLICKSTREAM_ZONE_OFFSET", "CLICKSTREAM_DEVICE_ID", "CLICKSTREAM_UNIQUE_ID",
                "CLICKSTREAM_ADVERTISING_ID",
            ]
        )
    }

    @Test("parse variables by the key's type")
    func variables() {
        var layers = ConfigurationLayers()
        let problems = layers.setFromEnvironment([
            "CLICKSTREAM_APP_ID": "7", "CLICKSTREAM_IS_COMPRESS_EVENTS": "FALSE", "CLICKSTREAM_IS_LOG_EVENTS": "1",
            "CLICKSTREAM_SEND_EVENTS_INTERVAL": "250", "CLICKSTREAM_GLOBAL_ATTRIBUTES": #"{"a": 1.5}"#,
            "CLICKSTREAM_DURABILITY": "power", "CLICKSTREAM_ENDPOINT": "", "PATH": "/bin", "CLICKSTREAM_SOMETHING": "x",
        ])
        var expected = ClickstreamClient.Configuration(appID: "7")
        expected.compressesEvents = false
        expected.logsEvents = true
        expected.sendInterval = .milliseconds(250)
        expected.globalAttributes = ["a": 1.5]
        expected.durability = .power
        #expect(layers.configuration == expected)
        #expect(problems.map(\.kind) == [.doubtfulValue])
        #expect(layers.origin(of: "autoFlushEventsInterval") == .environment("CLICKSTREAM_SEND_EVENTS_INTERVAL"))
        #expect(layers.origin(of: "endpoint") == .defaults)
    }

    @Test("ignore white space at the ends of variables, and variables of white space")
    func paddedVariables() {
        var layers = ConfigurationLayers()
        let problems = layers.setFromEnvironment([
            "CLICKSTREAM_APP_ID": "shop\n", "CLICKSTREAM_ENDPOINT": " https://a.example/collect\r\n",
            "CLICKSTREAM_IS_COMPRESS_EVENTS": "false\n", "CLICKSTREAM_SEND_EVENTS_INTERVAL": "\t250\n",
            "CLICKSTREAM_GLOBAL_ATTRIBUTES": "{\"a\": \"b\\n\"}\n", "CLICKSTREAM_DURABILITY": "power\n",
            "CLICKSTREAM_AUTH_COOKIE": "a=b\n", "CLICKSTREAM_STORAGE_DIRECTORY": "/tmp/x\n",
            "CLICKSTREAM_DEVICE_ID": "d1\n", "CLICKSTREAM_APP_VERSION": "\n", "CLICKSTREAM_SCREEN_WIDTH": " \n",
        ])
        var expected = ClickstreamClient.Configuration(appID: "shop", endpoint: "https://a.example/collect")
        expected.compressesEvents = false
        expected.sendInterval = .milliseconds(250)
        expected.globalAttributes = ["a": "b\n"]
        expected.durability = .power
        expected.authCookie = "a=b"
        expected.storageFolder = "/tmp/x"
        expected.device.deviceID = "d1"
        #expect(layers.configuration == expected)
        #expect(problems == [])
    }

    @Test("name the variable in their problems")
    func variableProblems() {
        var layers = ConfigurationLayers()
        let problems = layers.setFromEnvironment([
            "CLICKSTREAM_IS_LOG_EVENTS": "yes\n", "CLICKSTREAM_MAX_STORE_BYTES": "-3", "CLICKSTREAM_ENDPIONT": "x",
            "CLICKSTREAM_GLOBAL_ATTRIBUTES": "{", "CLICKSTREAM_REQUEST_TIMEOUT": "1\n0",
        ])
        #expect(
            problems.map(\.description) == [
                "CLICKSTREAM_IS_LOG_EVENTS must be true or false, not 'yes'",
                "CLICKSTREAM_GLOBAL_ATTRIBUTES must be an object of strings, numbers and booleans, not"
                    + " invalid JSON (byte 1: the text ends where a name in quotation marks is expected)",
                "CLICKSTREAM_MAX_STORE_BYTES must be an integer, 1 or more, not -3",
                #"CLICKSTREAM_REQUEST_TIMEOUT must be an integer of milliseconds, 1 or more, not '1\u000a0'"#,
                "unknown variable CLICKSTREAM_ENDPIONT; did you mean 'CLICKSTREAM_ENDPOINT'?",
            ]
        )
        #expect(layers.configuration == ClickstreamClient.Configuration(appID: ""))
    }

    @Test("prefer the stronger source, in any order")
    func strength() {
        let origins: [ConfigurationLayers.Origin] = [.defaults, .file("f"), .environment("V"), .code]
        for (first, second) in origins.indices.flatMap({ one in origins.indices.map { (one, $0) } }) {
            var layers = ConfigurationLayers()
            #expect(layers.set("authCookie", to: .text("first"), from: origins[first]) == nil)
            #expect(layers.set("authCookie", to: .text("second"), from: origins[second]) == nil)
            #expect(layers.configuration.authCookie == (second >= first ? "second" : "first"))
            #expect(layers.origin(of: "authCookie") == origins[max(first, second)])
        }
    }

    @Test("report an invalid value even if it is overridden")
    func hiddenProblem() {
        var layers = ConfigurationLayers()
        #expect(layers.set("isLogEvents", to: .boolean(true), from: .code) == nil)
        #expect(layers.set("isLogEvents", to: .integer(1), from: .file("f"))?.kind == .unfitValue)
        #expect(layers.configuration.logsEvents)
    }
}
