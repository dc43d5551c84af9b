import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("Settings of capture")
struct CaptureSettingsTests {
    @Test("have keys of capture, then those of each format")
    func keys() {
        #expect(
            CaptureSettings.Key.all.map(\.name) == [
                "autoEvents", "optOut", "masked", "pulse.endpoint", "pulse.authCookie", "contentsquare.endpoint",
                "contentsquare.projectId", "contentsquare.batchSize",
            ]
        )
        #expect(CaptureSettings.Key.groups == ["pulse", "contentsquare"])
        #expect(CaptureSettings.Key.all.filter(\.isSecret).map(\.name) == ["pulse.authCookie"])
    }

    @Test(
        "enable the formats with an endpoint",
        arguments: [
            (["CONTENTSQUARE_PROJECT_ID": "8", "CONTENTSQUARE_BATCH_SIZE": "5", "PULSE_AUTH_COOKIE": "a"], nil, nil),
            (
                ["PULSE_ENDPOINT": "http://a/p", "PULSE_AUTH_COOKIE": "a"],
                PulseSettings(endpoint: "http://a/p", authCookie: "a"), nil
            ),
            (
                ["CONTENTSQUARE_ENDPOINT": "http://a/c", "CONTENTSQUARE_PROJECT_ID": "8"],
                nil, ContentsquareSettings(endpoint: "http://a/c", projectID: 8)
            ),
        ] as [([String: String], PulseSettings?, ContentsquareSettings?)]
    )
    func formats(variables: [String: String], pulse: PulseSettings?, contentsquare: ContentsquareSettings?) {
        let environment = Dictionary(uniqueKeysWithValues: variables.map { ("CLICKSTREAM_" + $0.key, $0.value) })
        let settings = CaptureSettings(nil, environment: environment)
        #expect(settings.report == ConfigurationReport())
        #expect(
            settings.configuration
                == CaptureConfiguration(autoEvents: AutoEventType.all, pulse: pulse, contentsquare: contentsquare)
        )
        for key in CaptureSettings.Key.all {
            #expect(environment[key.variable] == nil || environment[key.variable] == key.text(in: settings))
        }
    }

    @Test("have a problem for a required key that is missing or invalid")
    func required() {
        let missing =
            "'contentsquare.projectId' is missing: set it in amplifyconfiguration.json or in"
            + " CLICKSTREAM_CONTENTSQUARE_PROJECT_ID"
        var environment = ["CLICKSTREAM_CONTENTSQUARE_ENDPOINT": "http://a/c"]
        #expect(CaptureSettings(nil, environment: environment).report.problems == [missing])
        environment["CLICKSTREAM_CONTENTSQUARE_PROJECT_ID"] = "0"
        let invalid =
            "environment: CLICKSTREAM_CONTENTSQUARE_PROJECT_ID must be a positive number, not '0'; correct it or unset the"
            + " variable"
        #expect(CaptureSettings(nil, environment: environment).report.problems == [invalid, missing])
    }
}
