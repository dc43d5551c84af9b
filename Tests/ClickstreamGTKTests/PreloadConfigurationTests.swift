import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamPreload

@Suite("Configuration of a preloaded program")
struct PreloadConfigurationTests {
    /// Reads a configuration from an environment and a file in a folder.
    func read(
        _ environment: [String: String] = [:],
        section: String? = nil,
        sdk: String = #""appId": "shop", "endpoint": "http://127.0.0.1:9/collect""#
    ) throws -> PreloadConfiguration {
        let files = MemoryFileSystem()
        try files.createFolder("/app")
        if let section {
            let plugins = #"{"awsClickstreamPlugin": {\#(sdk)}, "clickstreamCapture": \#(section)}"#
            let text = #"{"analytics": {"plugins": \#(plugins)}}"#
            try files.replace("/app/amplifyconfiguration.json", with: Array(text.utf8), durably: false)
            try files.replace("/named.json", with: Array(text.utf8), durably: false)
        }
        return try PreloadConfiguration(environment: environment, folders: ["/app"], in: files)
    }

    /// The problems of a configuration that is invalid.
    func problems(_ environment: [String: String] = [:], section: String? = nil) -> [String] {
        do {
            _ = try read(environment, section: section)
            return []
        } catch let error as ConfigurationError {
            return error.problems
        } catch {
            return ["\(error)"]
        }
    }

    @Test("enables all types of auto events in the clickstream format unless it names others")
    func defaults() throws {
        let settings = try read(["CLICKSTREAM_APP_ID": "shop", "CLICKSTREAM_PULSE_ENDPOINT": ""])
        #expect(settings.file == nil)
        #expect(settings.capture == CaptureConfiguration(autoEvents: AutoEventType.all))
        #expect(settings.leavesSignals)
        #expect(settings.warnings == [])
    }

    @Test("has the same keys in the environment and in the file")
    func sources() throws {
        let file = try read(
            section: #"""
                {"autoEvents": ["buttonClick", "scroll"], "optOut": ["GtkSwitch"], "masked": "GtkLabel, GtkEntry",
                 "pulse": {"endpoint": "http://127.0.0.1:8/pulse", "authCookie": "key"}}
                """#
        )
        let environment = try read([
            "CLICKSTREAM_AUTO_EVENTS": "buttonClick, scroll", "CLICKSTREAM_OPT_OUT": "GtkSwitch",
            "CLICKSTREAM_MASKED": "GtkLabel,GtkEntry", "CLICKSTREAM_PULSE_ENDPOINT": "http://127.0.0.1:8/pulse",
            "CLICKSTREAM_PULSE_AUTH_COOKIE": "key\n",
        ])
        #expect(file.capture == environment.capture)
        #expect(file.capture.autoEvents == [.buttonClick, .scroll])
        #expect(file.capture.classRules.optBehavior == ["GtkSwitch": .autoOptOut])
        #expect(file.capture.classRules.masked == ["GtkLabel", "GtkEntry"])
        #expect(file.capture.pulse?.authCookie == "key")
    }

    @Test("takes a key from the environment first")
    func precedence() throws {
        let settings = try read(
            ["CLICKSTREAM_AUTO_EVENTS": "touch", "CLICKSTREAM_CONFIGURATION_FILE": "/named.json"],
            section: #"{"autoEvents": ["scroll"], "pulse": {"endpoint": "http://127.0.0.1:8/pulse"}}"#
        )
        #expect(settings.file == "/named.json")
        #expect(settings.capture.autoEvents == [.touch])
        #expect(settings.capture.pulse?.endpoint == "http://127.0.0.1:8/pulse")
    }

    @Test("leaves signals to the program only if nothing sets the key")
    func signals() throws {
        let sdk = #""appId": "shop", "endpoint": "", "endsOnSignals": false"#
        #expect(try read(section: "{}").leavesSignals)
        #expect(try !read(section: "{}", sdk: sdk).leavesSignals)
        #expect(try !read(["CLICKSTREAM_ENDS_ON_SIGNALS": "true"], section: "{}").leavesSignals)
    }

    @Test("warns of keys that are set twice, of which the last value counts, and of unknown formats and variables")
    func doubtful() throws {
        let settings = try read(
            ["CLICKSTREAM_AUTO_EVENT": "scroll"],
            section: #"{"masked": "A", "masked": "B", "pulze": {}, "pulse": {"authCookie": "a", "authCookie": "b"}}"#
        )
        let file = "/app/amplifyconfiguration.json:1"
        #expect(
            settings.warnings == [
                "\(file):151: 'masked' is set twice; the last value counts",
                "\(file):166: ignoring unknown key 'pulze' of capture; did you mean 'pulse'?",
                "\(file):208: 'pulse.authCookie' is set twice; the last value counts",
                "ignoring unknown variable CLICKSTREAM_AUTO_EVENT; did you mean CLICKSTREAM_AUTO_EVENTS?",
            ]
        )
        #expect(settings.capture.classRules.masked == ["B"])
    }

    @Test("warns of unknown keys, with a suggestion")
    func unknown() throws {
        let settings = try read(section: #"{"autoEvent": [], "pulse": {"url": "x"}}"#)
        #expect(settings.warnings.count == 2)
        #expect(settings.warnings.first?.contains("unknown key 'autoEvent' of capture") == true)
        #expect(settings.warnings.first?.contains("autoEvents") == true)
        #expect(settings.warnings.last?.contains("'pulse.url'") == true)
    }

    @Test(
        "names each invalid key of the file with its position",
        arguments: [
            (#"[]"#, "'analytics.plugins.clickstreamCapture' must be an object, not"),
            (#"{"autoEvents": ["taps"]}"#, "'autoEvents' must be a list of viewController, "),
            (#"{"autoEvents": ["scroll", "tuch"]}"#, ", not 'scroll,tuch'; did you mean 'touch'?; correct it there"),
            (#"{"pulse": {"endpoint": "ftp://u:secret@h"}}"#, "must be an http or https URL, not a text with '@'"),
            (#"{"autoEvents": [1]}"#, "'autoEvents' must be text, a number or a list of texts, not"),
            (#"{"pulse": 5}"#, "'pulse' must be an object, not"),
            (#"{"pulse": {"endpoint": "nowhere"}}"#, "'pulse.endpoint' must be an http or https URL, not 'nowhere'"),
        ]
    )
    func invalidFile(section: String, problem: String) {
        check(section, problem)
    }

    /// Checks that a section of the file has one problem, at its position.
    func check(_ section: String, _ problem: String) {
        let problems = problems(section: section)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("/app/amplifyconfiguration.json:1:") == true)
        #expect(problems.first?.contains(problem) == true)
    }
}
