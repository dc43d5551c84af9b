import Clickstream
import ClickstreamSimulation
import Testing

// Code of ClickstreamAnalytics.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

@Suite("Everything of ClickstreamAnalytics on one screen")
struct AnalyticsOneScreen {
    let recorder = ClickstreamTestRecorder()

    @Test("is executed without a violation")
    func calls() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try record()
            await deliver()
        }
        #expect(recorder.delivered.contains { $0.name == "purchase" })
        try recorder.expectNoViolations()
    }

    private func record() throws {
        // snippet
        // Start: what is not set here is read from CLICKSTREAM_ variables or amplifyconfiguration.json.
        let configuration = ClickstreamConfiguration()
            .withAppId("shop")
            .withEndpoint("https://example.com/collect")
            .with(\.consent, .hold)
        configuration.flushInterval = .seconds(30)
        try ClickstreamAnalytics.initSDK(configuration)  // throws InitError, StoreError

        // Consent
        let decision: ConsentDecision = ClickstreamAnalytics.consent(for: ConsentPurpose.analytics)
        if decision == .undecided {
            ClickstreamAnalytics.setConsent(.granted, for: .analytics, .personalization)
        }

        // Record
        let book: ClickstreamAttribute = [ClickstreamAnalytics.Item.ITEM_ID: "123", "price": 99.9]
        ClickstreamAnalytics.recordEvent("button_click")
        ClickstreamAnalytics.recordEvent("view_item", [ClickstreamAnalytics.Attr.VALUE: 99.9], [book])
        ClickstreamAnalytics.recordEvent("refund", ["value": 20], user: "carl")  // of another user
        ClickstreamAnalytics.startTiming("purchase")  // also cancelTiming(_:)
        struct Purchase: ClickstreamEvent {
            static let name = "purchase"
            var value: Double
        }
        ClickstreamAnalytics.record(Purchase(value: 99.9))

        // Users, screens, attributes of all events and of a scope
        ClickstreamAnalytics.setUserId("carl")  // nil logs out
        ClickstreamAnalytics.addUserAttributes(["_user_name": "carl", "_user_age": 22])
        ClickstreamAnalytics.screen(name: "Home", id: "home")
        ClickstreamAnalytics.addGlobalAttributes(["channel": "Samsung", "level": 5.1])
        ClickstreamAnalytics.deleteGlobalAttributes("level")
        ClickstreamAnalytics.withAttributes(["variant": "green"]) {
            ClickstreamAnalytics.recordEvent("begin_checkout")
        }

        // Change or drop each event before it is checked
        ClickstreamAnalytics.addMiddleware("redact") { (event: inout DraftEvent) in
            event.attributes["email"] = nil
            return event.name.hasPrefix("debug_") ? .drop : .keep
        }
        // end
        #expect(ClickstreamAnalytics.consent(for: .personalization) == .granted)
        #expect(recorder.events(named: "begin_checkout").map { $0["variant"] } == ["green"])
    }

    private func deliver() async {
        // snippet
        // Observe
        let observer: NoticeObserver = ClickstreamAnalytics.observe { (notice: Notice) in
            if notice.isTrouble { print(notice) }
        }
        let session: ClickstreamClient.CurrentSession? = ClickstreamAnalytics.currentSession
        print(session?.number ?? 0, ClickstreamAnalytics.userId ?? "", ClickstreamAnalytics.isRecording)

        // Deliver: also by itself, every flushInterval and in the background
        let report: FlushReport = await ClickstreamAnalytics.flush(deadline: .seconds(5))
        if let error: FlushError = report.lastError { print(report.sent, report.retained, error) }

        // End
        observer.cancel()
        ClickstreamAnalytics.eraseAll()  // the person's data
        await ClickstreamAnalytics.shutdown(deadline: .seconds(5))
        // end
        #expect(report.isComplete && session != nil)
        #expect(!ClickstreamAnalytics.isRecording)
    }
}
