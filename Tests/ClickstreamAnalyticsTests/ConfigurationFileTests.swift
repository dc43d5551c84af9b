import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
    /// The manual's sample, with the space that it has.
    static let sample = """
        {
          "analytics": {
            "plugins": {
              "awsClickstreamPlugin ": {
                "appId": "your appId",
                "endpoint": "https://example.com/collect",
                "isCompressEvents": true,
                "autoFlushEventsInterval": 10000,
                "isTrackAppExceptionEvents": false
              }
            }
          }
        }
        """

    private static func load(
        _ text: String,
        environment: [String: String] = [:],
        code: [(name: String, value: ConfigurationKey.Value)] = []
    ) throws -> LoadedConfiguration {
        let files = MemoryFileSystem()
        try files.replace("/c.json", with: Array(text.utf8), durably: false)
        return try LoadedConfiguration.load(
            code: code,
            environment: environment,
            path: "/c.json",
            folders: [],
            in: files
        )
    }

    /// The plugin's object, one key a line from line 2 on.
    private static func file(_ lines: String...) -> String {
        "{\"analytics\":{\"plugins\":{\"awsClickstreamPlugin\":{\n" + lines.joined(separator: ",\n") + "\n}}}}"
    }

    @Test("accepts the manual's sample, including its space")
    func manualSample() throws {
        let loaded = try Self.load(Self.sample)
        var expected = ClickstreamClient.Configuration(appID: "your appId", endpoint: "https://example.com/collect")
        expected.compressesEvents = true
        #expect(loaded.configuration == expected)
        #expect(loaded.path == "/c.json")
        // The sample's app id is a placeholder, which no server accepts.
        #expect(loaded.warnings.count == 1)
        #expect(loaded.warnings.first?.hasPrefix("/c.json:5:18: 'appId' 'your appId' will be rejected by AWS") == true)
    }

    @Test("accepts the example next to the package's manifest, which contains every key with its default")
    func example() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("amplifyconfiguration.example.json").path
        let file = try ConfigurationFile.read(path)
        #expect(file.entries.map(\.name) == ConfigurationKey.all.map(\.name))
        let loaded = try LoadedConfiguration.load(environment: [:], path: path)
        var expected = ClickstreamClient.Configuration(appID: "your_app_id", endpoint: "https://example.com/collect")
        expected.globalAttributes = ["_app_install_channel": "App Store"]
        #expect(loaded.configuration == expected)
        #expect(loaded.warnings == [])
    }

    @Test("prefers code to environment to file to defaults, for each key")
    func precedence() throws {
        let text = Self.file(
            #""appId":"file""#,
            #""endpoint":"https://file.example""#,
            #""authCookie":"file""#,
            #""isLogEvents":true"#
        )
        let loaded = try Self.load(
            text,
            environment: ["CLICKSTREAM_ENDPOINT": "https://env.example", "CLICKSTREAM_AUTH_COOKIE": "env"],
            code: [("authCookie", .text("code"))]
        )
        var expected = ClickstreamClient.Configuration(appID: "file", endpoint: "https://env.example")
        expected.authCookie = "code"
        expected.logsEvents = true
        #expect(loaded.configuration == expected)
        #expect(loaded.layers.origin(of: "appId") == .file("/c.json"))
        #expect(loaded.layers.origin(of: "endpoint") == .environment("CLICKSTREAM_ENDPOINT"))
        #expect(loaded.layers.origin(of: "authCookie") == .code)
        #expect(loaded.layers.origin(of: "maxStoreBytes") == .defaults)
        #expect(loaded.warnings == [])
    }

    @Test("ignores a leading byte order mark, which does not change positions")
    func byteOrderMark() throws {
        let text = "\u{FEFF}" + #"{"analytics":{"plugins":{"awsClickstreamPlugin":{"appId":"shop"}}}}"#
        #expect(try ConfigurationFile.parse(Array(text.utf8), path: "/c.json").entries.map(\.name) == ["appId"])
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.parse(Array("\u{FEFF}{}".utf8), path: "/c.json")
        }
        #expect(error?.problems.first?.hasPrefix("/c.json:1:1: the file has no 'analytics'") == true)
    }

    @Test("refuses text in UTF-16, with its remedy", arguments: [true, false])
    func utf16(isLittleEndian: Bool) throws {
        let text = "\u{FEFF}" + #"{"analytics":{"plugins":{"awsClickstreamPlugin":{"appId":"shop"}}}}"#
        let bytes = text.utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            return isLittleEndian ? bytes : bytes.reversed()
        }
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.parse(bytes, path: "/c.json")
        }
        #expect(error?.problems == ["/c.json: \(TextEncoding.utf16Refusal)"])
    }

    @Test(
        "reports file, position, expected value and remedy",
        arguments: [
            ("{", "/c.json:1:2: not JSON: the text ends where a name in quotation marks is expected; correct it there"),
            ("", "/c.json:1:1: not JSON: there is no value; correct it there"),
            ("[]", "/c.json:1:1: the file must be an object, not an array; see amplifyconfiguration.example.json"),
            (
                "{\n \"analytic\": {}}",
                "/c.json:1:1: the file has no 'analytics'; the SDK's keys belong in"
                    + " 'analytics.plugins.awsClickstreamPlugin'; did you mean 'analytic'?"
            ),
            (
                #"{"analytics":{"plugins":7}}"#,
                "/c.json:1:25: 'analytics.plugins' must be an object, not a number; see amplifyconfiguration.example.json"
            ),
            (
                #"{"analytics":{"plugins":{"other":{}}}}"#,
                "/c.json:1:25: 'analytics.plugins' has no 'awsClickstreamPlugin'; the SDK's keys belong in"
                    + " 'analytics.plugins.awsClickstreamPlugin'"
            ),
            (
                #"{"analytics":{"plugins":{"awsClickstreamPlugin":true}}}"#,
                "/c.json:1:49: 'analytics.plugins.awsClickstreamPlugin' must be an object, not a boolean; see"
                    + " amplifyconfiguration.example.json"
            ),
            (
                file(#""isLogEvents": "true""#, #""maxStoreBytes": -1"#),
                """
                /c.json:2:16: 'isLogEvents' must be true or false, not a string; correct it there
                /c.json:3:18: 'maxStoreBytes' must be an integer, 1 or more, not -1; correct it there
                """
            ),
        ]
    )
    func errors(text: String, message: String) {
        do {
            let loaded = try Self.load(text)
            Issue.record("no error, but \(loaded)")
        } catch {
            #expect((error as? ConfigurationError)?.description == message)
        }
    }

    @Test("warns of an unknown key, and continues")
    func unknownKey() throws {
        let loaded = try Self.load(Self.file(#""appId":"a""#, #" "endpiont": "x""#))
        #expect(loaded.configuration == ClickstreamClient.Configuration(appID: "a"))
        #expect(
            loaded.warnings == [
                "/c.json:3:2: ignoring unknown configuration key 'endpiont'; did you mean 'endpoint'?"
            ]
        )
    }

    @Test("warns of a key that is set twice, also by its alias, and uses the last value")
    func repeatedKey() throws {
        let loaded = try Self.load(
            Self.file(
                #""appId":"a""#,
                #""appId":"b""#,
                #""autoFlushEventsInterval":1000"#,
                #""sendEventsInterval":2000"#
            )
        )
        #expect(loaded.configuration.appID == "b" && loaded.configuration.sendInterval == .seconds(2))
        #expect(
            loaded.warnings == [
                "/c.json:3:1: 'appId' is set twice; the last value counts",
                "/c.json:5:1: 'sendEventsInterval' is set twice; the last value counts",
            ]
        )
    }

    @Test("searches the folders in order, and requires no file")
    func locations() throws {
        let files = MemoryFileSystem()
        try files.createFolder("/one")
        try files.createFolder("/two")
        #expect(try ConfigurationFile.find(folders: ["/one", "/two"], in: files) == nil)
        try files.replace("/two/amplifyconfiguration.json", with: Array(Self.sample.utf8), durably: false)
        #expect(
            try ConfigurationFile.find(folders: ["/one", "/two"], in: files)?.path == "/two/amplifyconfiguration.json"
        )
        try files.replace("/one/amplifyconfiguration.json", with: Array(Self.sample.utf8), durably: false)
        #expect(
            try ConfigurationFile.find(folders: ["/one", "/two"], in: files)?.path == "/one/amplifyconfiguration.json"
        )
        let loaded = try LoadedConfiguration.load(environment: [:], folders: [], in: files)
        #expect(loaded.layers == ConfigurationLayers())
        #expect(loaded.path == nil)
        #expect(loaded.warnings == [])
    }

    @Test("requires an explicitly given file")
    func missing() {
        let error = #expect(throws: ConfigurationError.self) {
            try LoadedConfiguration.load(environment: [:], path: "/no/c.json", folders: [], in: MemoryFileSystem())
        }
        #expect(
            error?.problems == [
                "/no/c.json: no such file; check the path, or copy amplifyconfiguration.example.json there"
            ]
        )
    }

    @Test("rejects a file that is much too long")
    func tooLong() throws {
        let files = MemoryFileSystem()
        try files.replace("/c.json", with: [UInt8](repeating: 32, count: 1 << 21), durably: false)
        #expect(throws: ConfigurationError.self) { try ConfigurationFile.read("/c.json", in: files) }
    }

    @Test("ignores white space at the ends of values, from the file, the environment and the code")
    func outerWhiteSpace() throws {
        let loaded = try Self.load(
            Self.file(#""appId":" shop\n""#, #""storageDirectory":"/tmp/x\n""#),
            environment: ["CLICKSTREAM_ENDPOINT": "https://a.example\n", "CLICKSTREAM_CONNECT_TIMEOUT": "15\n"],
            code: [("deviceId", .text("d1\n"))]
        )
        var expected = ClickstreamClient.Configuration(appID: "shop", endpoint: "https://a.example")
        expected.storageFolder = "/tmp/x"
        expected.connectTimeout = .milliseconds(15)
        expected.device.deviceID = "d1"
        #expect(loaded.configuration == expected)
        #expect(loaded.warnings == [])
    }

    @Test("reports a line break within a value, escaped, on one line")
    func lineBreaks() {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load(
                Self.file(#""appTitle":"Shop\n""#),
                environment: ["CLICKSTREAM_ENDPOINT": "http://a\nb"],
                code: [("appId", .text("a\u{0}b"))]
            )
        }
        #expect(
            error?.problems == [
                #"/c.json:2:12: 'appTitle' must not begin or end with white space: 'Shop\u000a'; correct it there"#,
                "environment: CLICKSTREAM_ENDPOINT must not contain line breaks or other control characters:"
                    + #" 'http://a\u000ab'; correct it or unset the variable"#,
                #"code: 'appId' must not contain line breaks or other control characters: 'a\u0000b'"#,
            ]
        )
        let missing = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.find(path: "/no\nfile\n", in: MemoryFileSystem())
        }
        #expect(missing?.problems.map { $0.hasPrefix(#"/no\u000afile: no such file"#) } == [true])
    }

    @Test("rejects an invalid variable, with its name")
    func badVariable() {
        let error = #expect(throws: ConfigurationError.self) {
            try Self.load(Self.file(), environment: ["CLICKSTREAM_CONNECT_TIMEOUT": "15s"])
        }
        #expect(
            error?.problems == [
                "environment: CLICKSTREAM_CONNECT_TIMEOUT must be an integer of milliseconds, 1 or more, not '15s'; correct it or"
                    + " unset the variable"
            ]
        )
    }
}
