import ClickstreamCore
import ClickstreamSimulation
import Testing

// Code of ClickstreamCore.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

@Suite("Everything of ClickstreamCore on one screen")
struct CoreOneScreen {
    @Test("records and delivers without a violation")
    func calls() async throws {
        let recorder = ClickstreamTestRecorder()
        let client = try recorder.launch { $0.consent = .hold }
        await use(client)
        try recorder.expectOrder("add_to_cart", "purchase")
        try recorder.expectNoViolations()
    }

    /// Compiled only: the client stores its events on the machine's disk.
    func start() throws {
        // snippet
        // Network: one function. Without a transport, events stay on disk.
        struct ShopTransport: ClickstreamClient.Transport {
            func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
                guard request.url.hasPrefix("https:") else { throw .refused("not encrypted") }
                return UploadResponse(status: request.body.isEmpty ? 400 : 200)
            }
        }

        // Start
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "https://a.test/")
        configuration.consent = ClickstreamClient.Configuration.ConsentPolicy.hold
        let app = ClickstreamClient.Device.App(version: "1.0")
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux", osVersion: "6.1", app: app),
            storage: "/var/lib/shop/clickstream",
            transport: ShopTransport()
        )
        let client: ClickstreamClient = try ClickstreamClient(in: world)  // throws StoreError
        // end
        client.terminate()
    }

    private func use(_ client: ClickstreamClient) async {
        // snippet
        // Consent, users, screens
        let decision: ConsentDecision = client.consent(for: ConsentPurpose.analytics)
        if decision == .undecided { client.setConsent(.granted, for: .analytics, .personalization) }
        client.setUserID("carl")
        client.addUserAttributes(["_user_name": "carl"])
        client.addGlobalAttributes(["channel": "web"])
        client.screen(name: "Home", id: "home")

        // Record
        enum Plan: String, AttributeValueConvertible { case free, paid }
        let attributes: Attributes = ["plan": Plan.paid, "value": 279.9, "count": 2]
        if case .integer(let count)? = attributes["count"] { print(count) }  // an AttributeValue?
        client.record("add_to_cart", attributes: attributes, items: [["id": "p1"]], user: nil)
        struct Purchase: ClickstreamEvent {
            static let name = "purchase"
            var value: Double
        }
        client.record(Purchase(value: 99.9))
        client.addMiddleware("redact") { (event: inout DraftEvent) -> DraftEvent.Decision in
            event.name.hasPrefix("debug_") ? .drop : .keep
        }

        // Observe
        print(client.isRecording, client.userID ?? "")
        let observer: NoticeObserver = client.observe { (notice: Notice) in
            switch notice {
            case .recorded(let name, _, _, let violations): print(name, violations.map(\.code))
            case .warning(let warning): print(warning.code, warning.message)
            default: break
            }
        }

        // Deliver
        let report: FlushReport = await client.flush(deadline: .seconds(5))
        if let error: FlushError = report.lastError { print(report.sent, report.retained, error) }

        // End
        observer.cancel()
        await client.shutdown(deadline: .seconds(5))
        // end
        #expect(decision == .undecided && report.isComplete && !client.isRecording)
    }
}
