import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Testing

/// The static API of consent, middleware, timing and scopes over a simulated device.
@Suite("The facade's privacy")
struct PrivacyFacadeTests {
    private let recorder = ClickstreamTestRecorder()
    private let launchEvents = ["_first_open", "_app_start", "_session_start"]

    private var names: [String] { recorder.events.map(\.name) }

    @Test("holds events until consent is given, also with a decision before the start")
    func consent() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.recordEvent("early")
            try ClickstreamAnalytics.initSDK(
                ClickstreamConfiguration().with(\.consent, .hold).with(\.maxHeldEvents, 100)
            )
            #expect(names == [])
            #expect(ClickstreamAnalytics.consent(for: .analytics) == .undecided)
            ClickstreamAnalytics.setConsent(.granted, for: .analytics, .personalization)
            #expect(ClickstreamAnalytics.consent(for: .analytics) == .granted)
            #expect(names == launchEvents + ["early"])
        }
        let other = ClickstreamTestRecorder()
        try ClickstreamAnalytics.isolated(in: other.world) {
            ClickstreamAnalytics.setConsent(.granted, for: .analytics)
            for _ in 0..<2_000 { ClickstreamAnalytics.recordEvent("early") }
            ClickstreamAnalytics.setConsent(.denied, for: .analytics)
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().with(\.consent, .hold))
            #expect(ClickstreamAnalytics.consent(for: .analytics) == .denied)
        }
    }

    @Test("passes events through middleware, those before the start too, and adds the attributes of scopes")
    func middleware() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            ClickstreamAnalytics.addMiddleware("redact") { event in
                event.attributes["email"] = nil
                return event.name == "debug" ? .drop : .keep
            }
            ClickstreamAnalytics.withAttributes(["experiment": "A"]) {
                ClickstreamAnalytics.recordEvent("early", ["email": "ann@example.com"])
            }
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("debug")
            await ClickstreamAnalytics.withAttributes(["experiment": "B"]) {
                await Task { ClickstreamAnalytics.recordEvent("child", ["email": "ann@example.com"]) }.value
            }
            ClickstreamAnalytics.removeMiddleware("redact")
            ClickstreamAnalytics.recordEvent("debug", ["email": "ann@example.com"])
        }
        #expect(names == launchEvents + ["early", "child", "debug"])
        let events = recorder.events.suffix(3)
        #expect(events.map { $0["experiment"] } == ["A", "B", nil])
        #expect(events.map { $0["email"] } == [nil, nil, "ann@example.com"])
    }

    @Test("times and samples events, and erases everything")
    func others() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().with(\.sampling, ["always": 1, "never": 0]))
            ClickstreamAnalytics.startTiming("checkout")
            ClickstreamAnalytics.startTiming("other")
            ClickstreamAnalytics.cancelTiming("other")
            ClickstreamAnalytics.recordEvent("checkout")
            ClickstreamAnalytics.recordEvent("other")
            ClickstreamAnalytics.recordEvent("always")
            ClickstreamAnalytics.recordEvent("never")
            ClickstreamAnalytics.eraseAll()
        }
        #expect(names == launchEvents + ["checkout", "other", "always"] + launchEvents)
        let events = recorder.events.dropFirst(3).prefix(3)
        #expect(events.map { $0["_event_duration"] } == [0, nil, nil])
        #expect(events.map { $0["_sampling_rate"] != nil } == [false, false, true])
    }
}
