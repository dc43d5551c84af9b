import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Testing

import class Foundation.Bundle
import class Foundation.FileManager

@Suite("Launch environment of an app")
struct HostConfigurationTests {
    private static func host(
        _ code: ClickstreamConfiguration = ClickstreamConfiguration(),
        file: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Host {
        let files = MemoryFileSystem()
        try files.createFolder("/app")
        if let file {
            let text = #"{"analytics":{"plugins":{" awsClickstreamPlugin  ":"# + file + "}}}"
            try files.replace("/app/amplifyconfiguration.json", with: Array(text.utf8), durably: false)
        }
        return try Host(
            code,
            environment: ["HOME": "/home/a"].merging(environment) { $1 },
            folders: ["/app", "/bin"],
            in: files
        )
    }

    private static func message(_ body: () throws -> Host) -> String {
        do {
            return "no error: \(try body().configuration)"
        } catch {
            return "\(error)"
        }
    }

    @Test("prefers code to environment to file to defaults, for every key of code")
    func precedence() throws {
        let file = """
            {"appId":"file","endpoint":"https://file.example","isLogEvents":true,"sendEventsInterval":1,"maxBatchBytes":7}
            """
        let host = try Self.host(
            ClickstreamConfiguration().withAppId("code"),
            file: file,
            environment: ["CLICKSTREAM_APP_ID": "env", "CLICKSTREAM_SEND_EVENTS_INTERVAL": "2"]
        )
        var expected = ClickstreamClient.Configuration(appID: "code", endpoint: "https://file.example")
        expected.logsEvents = true
        expected.sendInterval = .milliseconds(2)
        expected.maxBatchBytes = 7
        #expect(host.configuration == expected)
        #expect(host.warnings == [])
        #expect(host.storage == "/home/a/.local/state/clickstream")
    }

    @Test("sets every key from code")
    func everyKey() throws {
        let code = ClickstreamConfiguration()
            .with(\.isUserAttributesInEveryEvent, false).with(\.maxStoreBytes, 1_000).with(\.storageDirectory, "/code")
            .with(\.maxStoreEvents, 2).with(\.maxEventAge, .milliseconds(3)).with(\.durability, .power)
            .with(\.maxBatchBytes, 4).with(\.connectTimeout, .milliseconds(5)).with(\.requestTimeout, .milliseconds(6))
        var expected = ClickstreamClient.Configuration(appID: "")
        expected.sendsUserAttributesInEveryEvent = false
        (expected.maxStoreBytes, expected.maxStoreEvents, expected.maxEventAge) = (1_000, 2, .milliseconds(3))
        (expected.durability, expected.maxBatchBytes, expected.storageFolder) = (.power, 4, "/code")
        (expected.connectTimeout, expected.requestTimeout) = (.milliseconds(5), .milliseconds(6))
        #expect(code.applied(to: ClickstreamClient.Configuration(appID: "")) == expected)
        #expect(!code.isUserAttributesInEveryEvent && code.maxStoreBytes == 1_000 && code.maxStoreEvents == 2)
        #expect(code.maxEventAge == .milliseconds(3) && code.durability == .power && code.maxBatchBytes == 4)
        #expect(
            code.connectTimeout == .milliseconds(5) && code.requestTimeout == .milliseconds(6)
                && code.storageDirectory == "/code"
        )
    }

    @Test("clamps values below the minimum")
    func least() {
        let code = ClickstreamConfiguration().with(\.maxStoreBytes, -1).withSendEventInterval(-1)
            .withSessionTimeoutDuration(-1).with(\.maxStoreEvents, 0).with(\.maxEventAge, .milliseconds(-1))
            .with(\.maxBatchBytes, 0).with(\.connectTimeout, .zero).with(\.requestTimeout, .milliseconds(-5))
        #expect(code.maxStoreBytes == 1 && code.maxStoreEvents == 1 && code.maxEventAge == .zero)
        #expect(
            code.maxBatchBytes == 1 && code.connectTimeout == .milliseconds(1)
                && code.requestTimeout == .milliseconds(1)
        )
        #expect(code.sendEventsInterval == 0 && code.sessionTimeoutDuration == 0)
    }

    @Test("reads the file given by code, and requires it")
    func namedFile() throws {
        let files = MemoryFileSystem()
        try files.createFolder("/etc")
        let text = #"{"analytics":{"plugins":{"awsClickstreamPlugin":{"appId":"named","endpoint":"http://a"}}}}"#
        try files.replace("/etc/shop.json", with: Array(text.utf8), durably: false)
        let code = ClickstreamConfiguration().with(\.configurationFile, "/etc/shop.json")
        #expect(try Host(code, environment: [:], folders: [], in: files).configuration.appID == "named")
        code.configurationFile = "/etc/other.json"
        #expect(
            Self.message { try Host(code, environment: [:], folders: [], in: files) }
                == "/etc/other.json: no such file; check the path, or copy amplifyconfiguration.example.json there"
        )
    }

    @Test("reports the places searched for an app id, and the expected value")
    func missingAppID() {
        let rest = "; or in CLICKSTREAM_APP_ID, or with withAppId(_:)."
        #expect(
            Self.message { try Self.host() }
                == "'appId' is missing: set it, for example to \"shopping\", as"
                + " analytics.plugins.awsClickstreamPlugin.appId in amplifyconfiguration.json, which was not found in /app,"
                + " /bin\(rest)"
        )
        #expect(
            Self.message { try Self.host(file: #"{"endpoint":"https://a.example"}"#) }
                == "'appId' is missing: set it, for example to \"shopping\", as"
                + " analytics.plugins.awsClickstreamPlugin.appId in /app/amplifyconfiguration.json\(rest)"
        )
    }

    @Test("warns of a missing endpoint with the same places, since events are kept")
    func missingEndpoint() throws {
        let host = try Self.host(file: #"{"appId":"shop"}"#)
        #expect(
            host.warnings == [
                .init(
                    .endpointMissing,
                    "'endpoint' is missing: set it, for example to \"https://example.com/collect\", as"
                        + " analytics.plugins.awsClickstreamPlugin.endpoint in /app/amplifyconfiguration.json; or in"
                        + " CLICKSTREAM_ENDPOINT, or with withEndpoint(_:). Events are kept in"
                        + " /home/a/.local/state/clickstream until then"
                )
            ]
        )
    }

    @Test(
        "reports an invalid value with file, key and expected value",
        arguments: [
            (#"{"appId":7}"#, ":1:61: 'appId' must be a string, not 7; correct it there"),
            (
                #"{"appId":"a","isCompressEvents":"yes"}"#,
                ":1:84: 'isCompressEvents' must be true or false, not a string; correct it there"
            ),
            (
                #"{"appId":"a","authCookie":"a\nb"}"#,
                ":1:78: 'authCookie' must not contain line breaks or other control characters;"
                    + " correct it there"
            ),
        ]
    )
    func unfit(file: String, message: String) {
        #expect(Self.message { try Self.host(file: file) } == "/app/amplifyconfiguration.json\(message)")
    }

    @Test("rejects an invalid cookie and endpoint from code, without printing the cookie")
    func unusableCode() {
        #expect(
            Self.message { try Self.host(ClickstreamConfiguration().withAppId("a").withAuthCookie("se\ncret")) }
                == "'authCookie' must not contain line breaks or other control characters"
        )
        let endpoint = Self.message { try Self.host(ClickstreamConfiguration().withAppId("a").withEndpoint("shop")) }
        #expect(endpoint.hasPrefix("'endpoint' cannot be used: "))
    }

    @Test(
        "rejects an endpoint that cannot be used, with its source and the text",
        arguments: [
            (nil, "http://h/col lect", nil, "CLICKSTREAM_ENDPOINT 'http://h/col lect': "),
            (
                "http://h/\u{200B}", nil, nil,
                "/app/amplifyconfiguration.json: 'analytics.plugins.awsClickstreamPlugin.endpoint' 'http://h/\\u200b': "
            ),
            (nil, nil, "http://h/\u{A0}x", "'http://h/\u{A0}x': "),
            ("http://h", "foo", nil, "CLICKSTREAM_ENDPOINT 'foo': "),
            ("foo", "bar", "http://[", "'http://[': "), (nil, "http://u:p w@h", nil, "CLICKSTREAM_ENDPOINT: "),
        ] as [(String?, String?, String?, String)]
    )
    func unusableEndpoint(file: String?, variable: String?, code: String?, start: String) {
        let configuration = ClickstreamConfiguration().withAppId("a")
        if let code { configuration.withEndpoint(code) }
        let error = #expect(throws: InitError.self) {
            try Self.host(
                configuration,
                file: file.map { #"{"endpoint":"\#($0)"}"# },
                environment: variable.map { ["CLICKSTREAM_ENDPOINT": $0] } ?? [:]
            )
        }
        guard case .badEndpoint(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("'endpoint' cannot be used: \(start)the endpoint"), "\(reason)")
    }

    @Test("rejects an invalid variable, with its name")
    func unfitVariable() {
        #expect(
            Self.message { try Self.host(environment: ["CLICKSTREAM_AUTH_COOKIE": "a\nb"]) }
                == "environment: CLICKSTREAM_AUTH_COOKIE must not contain line breaks or other control"
                + " characters; correct it or unset the variable"
        )
    }

    @Test("searches the working directory, then the folder of the executable")
    func usualFolders() throws {
        let folders = ConfigurationFile.usualFolders
        #expect(folders.first == FileManager.default.currentDirectoryPath)
        let executable = try #require(Bundle.main.executablePath)
        #expect(folders.contains { executable.hasPrefix($0 + "/") })
        #expect(Set(folders).count == folders.count)
    }

    @Test(
        "searches a folder once, in any spelling",
        arguments: [
            (["/a", "/b", "/a"], ["/a", "/b"]), (["/a", "/a/", "/a/./b/.."], ["/a"]), (["/a", nil, "/c/../a"], ["/a"]),
            ([nil, nil], []),
        ] as [([String?], [String])]
    )
    func distinctFolders(given: [String?], expected: [String]) {
        #expect(ConfigurationFile.distinct(given) == expected)
    }

    @Test("warns of an unknown key, with the most similar one")
    func unknownKey() throws {
        let host = try Self.host(file: #"{"appId":"shop","endpoint":"http://a","isLogEvent":true}"#)
        #expect(
            host.warnings == [
                .init(
                    .settingInvalid,
                    "/app/amplifyconfiguration.json:1:90: ignoring unknown configuration key 'isLogEvent'; "
                        + "did you mean 'isLogEvents'?"
                )
            ]
        )
    }
}
