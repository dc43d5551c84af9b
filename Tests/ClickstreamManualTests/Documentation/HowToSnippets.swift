import Clickstream
import ClickstreamSimulation
import Testing

// Code of Docs/howto-*.md, one copy of each block between `// snippet` and `// end`; see DocumentationTests.

@Suite("Code of the how-to pages")
struct HowToSnippets {
    let recorder = ClickstreamTestRecorder()

    /// Stands for the dialog of an app, whose user agrees.
    private func showConsentDialog(_ answer: (Bool) -> Void) { answer(true) }

    @Test("holds events until a decision")
    func consent() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            let configuration = ClickstreamConfiguration()
                .withAppId("shop")
                .withEndpoint("https://example.com/collect")
                .with(\.consent, .hold)
            try ClickstreamAnalytics.initSDK(configuration)
            // end
            // snippet
            ClickstreamAnalytics.recordEvent("opened")
            #expect(recorder.events.isEmpty)
            ClickstreamAnalytics.setConsent(.granted, for: .analytics)
            #expect(recorder.events.map(\.name).contains("opened"))
            // end
        }
    }

    @Test("asks once, and passes the decision on")
    func decision() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().with(\.consent, .hold))
            // snippet
            if ClickstreamAnalytics.consent(for: .analytics) == .undecided {
                showConsentDialog { agrees in
                    ClickstreamAnalytics.setConsent(agrees ? .granted : .denied, for: .analytics)
                }
            }
            // end
            #expect(ClickstreamAnalytics.consent(for: .analytics) == .granted)
            // snippet
            ClickstreamAnalytics.setConsent(.granted, for: .analytics)
            ClickstreamAnalytics.setConsent(.denied, for: .personalization)
            // end
            #expect(ClickstreamAnalytics.consent(for: .personalization) == .denied)
            // snippet
            ClickstreamAnalytics.setConsent(.denied, for: .analytics)
            // end
            let recorded = recorder.events.count
            ClickstreamAnalytics.recordEvent("after_withdrawal")
            #expect(recorder.events.count == recorded)
            // snippet
            ClickstreamAnalytics.eraseAll()
            // end
            #expect(ClickstreamAnalytics.consent(for: .analytics) != .granted)
        }
    }

    @Test("redacts and drops in a middleware")
    func redact() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            ClickstreamAnalytics.addMiddleware("redact") { event in
                event.attributes["email"] = nil
                if case .string(let code)? = event.attributes["postcode"] {
                    event.attributes["postcode"] = .string(String(code.prefix(2)))
                }
                return .keep
            }
            // end
            // snippet
            ClickstreamAnalytics.addMiddleware("internal users") { event in
                event.name.hasPrefix("debug_") ? .drop : .keep
            }
            // end
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("debug_x")
            #expect(!recorder.events.map(\.name).contains("debug_x"))
            // snippet
            ClickstreamAnalytics.recordEvent("signup", ["email": "ann@example.com", "postcode": "10115"])
            let signup = try #require(recorder.events.last)
            #expect(signup["email"] == nil)
            #expect(signup["postcode"] == "10")
            // end
        }
    }

    @Test("records the exposure to an experiment, and the variant in later events")
    func experiment() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            // snippet
            ClickstreamAnalytics.recordEvent(
                "experiment_exposure",
                ["experiment": "checkout_button", "variant": "green"]
            )
            // end
            // snippet
            ClickstreamAnalytics.startTiming("purchase")
            // end
            // snippet
            await ClickstreamAnalytics.withAttributes(["variant": "green"]) {
                ClickstreamAnalytics.recordEvent("begin_checkout")
                await Task { ClickstreamAnalytics.recordEvent("purchase", ["value": 99.9]) }.value
            }
            // end
            #expect(recorder.events.suffix(3).map { $0["variant"] } == ["green", "green", "green"])
            #expect(recorder.events.last?["_event_duration"] != nil)
            // snippet
            ClickstreamAnalytics.addGlobalAttributes(["checkout_variant": "green"])
            // end
            ClickstreamAnalytics.recordEvent("later")
            #expect(recorder.events.last?["checkout_variant"] == "green")
        }
    }
}
