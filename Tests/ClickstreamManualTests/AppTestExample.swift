import Clickstream
import ClickstreamSimulation
import Testing

// The example of Docs/testing.md: an app's own code, and its tests.

/// A part of an app that calls the static API, as apps do.
struct Checkout {
    func buy(price: Double, coupon: String? = nil) {
        var attributes: ClickstreamAttribute = [
            ClickstreamAnalytics.Attr.VALUE: price, ClickstreamAnalytics.Attr.CURRENCY: "USD",
        ]
        attributes["coupon"] = coupon
        ClickstreamAnalytics.recordEvent("purchase", attributes)
    }
}

extension ClickstreamTestRecorder {
    /// A recorder whose unmet expectations are issues of Swift Testing, at their own lines.
    fileprivate static func reporting() -> ClickstreamTestRecorder {
        ClickstreamTestRecorder { unmet in
            Issue.record(
                Comment(rawValue: unmet.message),
                sourceLocation: SourceLocation(
                    fileID: unmet.fileID,
                    filePath: unmet.filePath,
                    line: unmet.line,
                    column: unmet.column
                )
            )
        }
    }
}

@Suite("An app's tests")
struct AppTestExample {
    @Test("a purchase says what it was worth")
    func purchase() throws {
        let recorder = ClickstreamTestRecorder()
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            Checkout().buy(price: 99.9)
        }
        try recorder.expectEvent("purchase", count: .exactly(1)) { $0["_value"] == 99.9 && $0["coupon"] == nil }
        try recorder.expectNoViolations()
    }

    @Test("what is bought in the tunnel arrives once the train is out of it")
    func offline() async throws {
        let recorder = ClickstreamTestRecorder()
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            recorder.server.defaultReply = .refuse
            try ClickstreamAnalytics.initSDK()
            Checkout().buy(price: 5)
            await recorder.advance(by: .seconds(600))
            #expect(recorder.delivered.isEmpty)
            recorder.server.defaultReply = .status(200)
            await recorder.advance(by: .seconds(3_600))
        }
        #expect(recorder.delivered.map(\.name) == recorder.names)
    }

    @Test("half an hour away is a new session")
    func sessions() async throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch()
        client.screen(name: "Home")
        client.background()
        await recorder.advance(by: .seconds(31 * 60))
        client.foreground()
        try recorder.expectOrder("_app_end", "_app_start", "_session_start", "_screen_view")
        #expect(recorder.events.last?.sessionNumber == 2)
    }

    @Test("an expectation that is not met is an issue at its own line")
    func reported() throws {
        let line = #line + 4
        try withKnownIssue {
            let recorder = ClickstreamTestRecorder.reporting()
            _ = try recorder.launch()
            try recorder.expectEvent("purchase")
        } matching: { issue in
            issue.sourceLocation?.line == line
                && issue.comments.first?.rawValue.hasPrefix("Expected at least 1 \"purchase\", but there are 0.")
                    == true
        }
    }
}
