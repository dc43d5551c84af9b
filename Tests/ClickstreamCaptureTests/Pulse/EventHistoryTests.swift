import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("Previous events of the pulse format")
struct EventHistoryTests {
    private let app = CaptureApp()

    private static func click(_ capture: Capture, text: String = "Buy") {
        let button = Capture.Element(className: "UIButton", type: .button, content: .text(text))
        capture.click(Capture.ElementPath(page: nil, links: [Capture.ElementPath.Link(button, ordinal: 0)]))
    }

    /// Withdraws consent, and gives it again.
    private static func withdraw(_ client: ClickstreamClient) {
        client.setConsent(.denied, for: .analytics)
        client.setConsent(.granted, for: .analytics)
    }

    private var ids: [String] { app.events(.pulse).compactMap { $0["event_id"]?.string } }

    private var previousEvents: [[String]] {
        app.events(.pulse).map { event in
            event["data"]?["previous_events"]?.array?.compactMap(\.string) ?? []
        }
    }

    @Test("are none, then up to ten, oldest first")
    func last() throws {
        let (_, capture) = try app.launch()
        for _ in 0..<12 { Self.click(capture) }
        capture.revenue(.purchase)
        let ids = self.ids
        #expect(Set(ids).count == 13)
        #expect(previousEvents == ids.indices.map { Array(ids[..<$0].suffix(10)) })
    }

    /// Use of the app before a click.
    struct Use: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// True if the click must not name the events in the queue before it.
        var isForgotten = false
        var change: @Sendable (inout ClickstreamClient.Configuration) -> Void = { _ in }
        var perform: @Sendable (CaptureApp, ClickstreamClient, Capture) async -> Void
    }

    static let uses = [
        Use(
            testDescription: "a touch, which the format does not have",
            perform: { _, _, capture in
                Self.click(capture)
                capture.touch(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0))) { _ in Capture.ElementPath(page: nil)
                }
                capture.touch(Capture.Touch(.up, at: Capture.Point(x: 0, y: 0))) { _ in Capture.ElementPath(page: nil) }
            }
        ),
        Use(
            testDescription: "a click while recording is disabled",
            perform: { _, client, capture in
                Self.click(capture)
                client.disable()
                Self.click(capture)
                client.enable()
            }
        ),
        Use(
            testDescription: "a click that is too large for the store",
            change: { $0.maxStoreBytes = 50_000 },
            perform: { _, _, capture in
                Self.click(capture, text: String(repeating: "x", count: 100_000))
                Self.click(capture)
            }
        ),
        Use(
            testDescription: "clicks beyond the limit of those that wait for consent",
            change: { configuration in
                configuration.consent = .hold
                configuration.maxHeldEvents = 20
            },
            perform: { _, client, capture in
                for _ in 0..<20 { Self.click(capture) }
                client.setConsent(.granted, for: .analytics)
            }
        ),
        Use(
            testDescription: "a click that waits for consent, which is refused",
            isForgotten: true,
            change: { $0.consent = .hold },
            perform: { _, client, capture in
                Self.click(capture)
                Self.withdraw(client)
            }
        ),
        Use(
            testDescription: "a click before consent is withdrawn",
            isForgotten: true,
            perform: { _, client, capture in
                Self.click(capture)
                Self.withdraw(client)
            }
        ),
        Use(
            testDescription: "a click before another process withdraws consent and gives it again",
            isForgotten: true,
            perform: { app, client, capture in
                Self.click(capture)
                // Without the other process the click is not forgotten, and the test fails.
                let other = try? app.launch().client
                if let other { Self.withdraw(other) }
                _ = await client.flush()
            }
        ),
        Use(
            testDescription: "a click before everything is erased",
            isForgotten: true,
            perform: { _, client, capture in
                Self.click(capture)
                client.eraseAll()
            }
        ),
        Use(
            testDescription: "a click in another app",
            isForgotten: true,
            perform: { _, client, capture in
                Self.click(capture)
                client.configure { $0.appID = "other" }
            }
        ),
        Use(
            testDescription: "a click in another session",
            isForgotten: true,
            perform: { app, client, capture in
                client.foreground()
                Self.click(capture)
                client.background()
                await app.time.advance(milliseconds: 3_600_000)
                client.foreground()
            }
        ),
    ]

    @Test("are those that the server can receive in the session", arguments: uses)
    func received(use: Use) async throws {
        let (client, capture) = try app.launch(configure: use.change)
        await use.perform(app, client, capture)
        let before = ids
        Self.click(capture)
        #expect(ids.count == before.count + 1)
        #expect(previousEvents.last == (use.isForgotten ? [] : Array(before.suffix(10))))
        #expect(use.isForgotten || !before.isEmpty)
        for (index, previous) in previousEvents.enumerated() {
            #expect(Set(previous).isSubset(of: ids[..<index]))
        }
    }
}
