import Clickstream
import ClickstreamSimulation
import Testing

// Code of ClickstreamAnalytics.docc, one copy of each block between `// snippet` and `// end`; see DocumentationTests.

@Suite("Code of ClickstreamAnalytics.docc")
struct AnalyticsSnippets {
    let recorder = ClickstreamTestRecorder()

    @Test("the landing page records one event")
    func landingPage() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("add_to_cart", ["category": "shoes", "value": 279.9])
            // end
        }
        try recorder.expectOwnEvents("add_to_cart")
        try recorder.expectNoViolations()
    }

    @Test("Start passes a configuration")
    func configuration() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            let configuration = ClickstreamConfiguration()
                .withAppId("shopping")
                .withEndpoint("https://example.com/collect")
                .withLogEvents(true)
            try ClickstreamAnalytics.initSDK(configuration)
            // end
        }
        try recorder.expectEvent("_app_start", count: .exactly(1))
    }

    @Test("Record breaks no rule")
    func record() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            do {
                // snippet
                ClickstreamAnalytics.recordEvent("button_click")

                let price = 279.9
                ClickstreamAnalytics.recordEvent("add_to_cart", ["value": price, "is_gift": false])
                // end
            }
            do {
                // snippet
                struct AddToCart: ClickstreamEvent {
                    static let name = "add_to_cart"
                    var value: Double
                    var currency: String?
                }
                ClickstreamAnalytics.record(AddToCart(value: 279.9))
                // end
            }
            do {
                // snippet
                let book: ClickstreamAttribute = [
                    ClickstreamAnalytics.Item.ITEM_ID: "123",
                    ClickstreamAnalytics.Item.ITEM_NAME: "Nature",
                    ClickstreamAnalytics.Item.PRICE: 99.9,
                    "book_publisher": "Nature Research",
                ]
                ClickstreamAnalytics.recordEvent("view_item", ["currency": "USD"], [book])
                // end
            }
            // snippet
            ClickstreamAnalytics.addGlobalAttributes(["channel": "Samsung", "level": 5.1])
            ClickstreamAnalytics.deleteGlobalAttributes("level")
            // end
            // snippet
            ClickstreamAnalytics.setUserId("carl")
            ClickstreamAnalytics.addUserAttributes(["_user_name": "carl", "_user_age": 22])
            ClickstreamAnalytics.setUserId(nil)
            // end
            // snippet
            ClickstreamAnalytics.recordEvent(
                ClickstreamAnalytics.EventName.SCREEN_VIEW,
                [ClickstreamAnalytics.Attr.SCREEN_NAME: "HomeView", ClickstreamAnalytics.Attr.SCREEN_UNIQUE_ID: "home"]
            )
            // end
            // snippet
            ClickstreamAnalytics.flushEvents()
            let report = await ClickstreamAnalytics.flush()
            // end
            #expect(report.isComplete)
            // snippet
            await ClickstreamAnalytics.shutdown(deadline: .seconds(5))
            // end
            #expect(!ClickstreamAnalytics.isRecording)
        }
        try recorder.expectOrder("button_click", "add_to_cart", "view_item", "_profile_set", "_screen_view")
        try recorder.expectNoViolations()
    }

    // MARK: Swift-native calls

    @Test("SwiftTypes breaks no rule")
    func swiftTypes() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            let configuration = ClickstreamConfiguration()
                .withAppId("shopping")
                .with(\.appVersion, "2.1")
                .with(\.flushInterval, .seconds(30))
            configuration.sessionTimeout = .seconds(600)
            configuration.deviceModel = "Kiosk 7"
            // end
            try ClickstreamAnalytics.initSDK(configuration)
            do {
                // snippet
                enum Plan: String, AttributeValueConvertible {
                    case free, paid
                }
                let coupon: String? = nil
                ClickstreamAnalytics.recordEvent("checkout", ["plan": Plan.paid, "kg": Float(1.5), "coupon": coupon])
                // end
            }
            // snippet
            ClickstreamAnalytics.recordEvent("view_cart", [:], [["id": "123"]])
            ClickstreamAnalytics.recordEvent("refund", ["value": 20], user: "carl")
            // end
            // snippet
            let filter: [String: String] = ["size": "43", "color": "red"]
            ClickstreamAnalytics.recordEvent("search", filter)
            ClickstreamAnalytics.addGlobalAttributes(filter)
            ClickstreamAnalytics.deleteGlobalAttributes(Array(filter.keys))
            // end
            // snippet
            if ClickstreamAnalytics.isRecording, let session = ClickstreamAnalytics.currentSession {
                print("session \(session.number) since \(session.start), user \(ClickstreamAnalytics.userId ?? "none")")
            }
            // end
        }
        try recorder.expectOwnEvents("checkout", "view_cart", "refund", "search")
        try recorder.expectNoViolations()
        let event = try #require(recorder.events(named: "checkout").first)
        #expect(event["plan"] == "paid" && event["kg"] == 1.5 && event["coupon"] == nil)
        #expect(event.json.contains(#""app_version":"2.1""#))
    }

    /// Compiled only: the sequence has no end.
    func notices() async {
        // snippet
        for await notice in ClickstreamAnalytics.notices() where notice.isTrouble {
            print(notice)
        }
        // end
    }

    /// Compiled only: the client stores its events on the machine's disk.
    func machine() async throws {
        do {
            // snippet
            let client = try ClickstreamClient(ClickstreamConfiguration().withAppId("shopping"))
            client.record("add_to_cart", attributes: ["price": 12.5])
            let report = await client.flush(deadline: .seconds(5))
            // end
            print(report)
        }
        do {
            // snippet
            let client = try ClickstreamClient(ClickstreamConfiguration().withAppId("shopping"))
            client.record("add_to_cart", attributes: ["price": 12.5])
            // end
        }
    }

    @Test("Validate prints a mistake")
    func validate() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            // snippet
            ClickstreamAnalytics.observe { notice in
                if notice.isTrouble { print(notice) }
            }
            // end
            try ClickstreamAnalytics.initSDK()
        }
    }

    // snippet
    @Test func purchase() throws {
        let recorder = ClickstreamTestRecorder()
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            Checkout().buy(price: 99.9)
        }
        try recorder.expectEvent("purchase", count: .exactly(1)) { $0["_value"] == 99.9 }
        try recorder.expectNoViolations()
    }
    // end

    @Test("Test advances time")
    func time() async throws {
        // snippet
        let client = try recorder.launch()
        client.background()
        await recorder.advance(by: .seconds(31 * 60))
        client.foreground()
        try recorder.expectOrder("_app_end", "_app_start", "_session_start")
        // end
    }
}
