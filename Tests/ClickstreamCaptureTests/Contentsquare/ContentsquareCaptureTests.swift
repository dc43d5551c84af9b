import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("Capture in the Contentsquare format")
struct ContentsquareCaptureTests {
    private let home = Capture.Page(
        id: InstanceID(1),
        className: "HomeViewController",
        data: AutoTrackableEventData(elementName: "Home")
    )
    private let button = Capture.ElementPath(
        page: InstanceID(1),
        links: [
            Capture.ElementPath.Link(
                Capture.Element(id: InstanceID(10), className: "UIButton", type: .button, responds: true),
                ordinal: 0
            )
        ]
    )
    private let app = CaptureApp()
    private let format = FormatName.contentsquare

    @Test("follows the client's lifecycle")
    func lifecycle() async throws {
        let (client, capture) = try app.launch()
        client.foreground()
        capture.appear(home)
        // The same screen again is no event.
        client.screen(name: "HomeViewController")
        client.background()
        client.background()
        await app.time.advance(milliseconds: 1_000)
        client.foreground()
        client.background()
        await app.time.advance(milliseconds: 3_600_000)
        client.foreground()
        capture.screen(name: "Offers", id: "Shop/Offers", variables: [CustomVariable(index: 2, name: "n", value: "v")])
        client.record("_screen_view", attributes: ["_screen_name": "Manual"])
        client.terminate()
        #expect(app.names(format) == ["0", "1", "4", "2", "1", "2", "1", "4", "4", "4", "2"])
        let screens = app.events(format).filter { $0["ea"]?.integer == 4 }
        #expect(
            screens.map { $0["url"]?.string } == [
                "app-linux://shop/HomeViewController?title=HomeViewController",
                "app-linux://shop/HomeViewController?title=HomeViewController",
                "app-linux://shop/Shop/Offers?title=Offers", "app-linux://shop/Manual?title=Manual",
            ]
        )
        #expect(screens.map { $0["sn"]?.integer } == [1, 2, 2, 2])
        #expect(screens.map { $0["scn"]?.integer } == [0, 0, 1, 2])
        #expect(screens.map { $0["cv"] == nil } == [true, true, false, true])
    }

    @Test("starts again with another app id, with queues of its own")
    func anotherApp() async throws {
        let (client, capture) = try app.launch()
        capture.screen(name: "A")
        client.configure { $0.appID = "other" }
        capture.screen(name: "B")
        capture.variable(DynamicVariable(key: "k", value: .integer(2)))
        #expect(app.names(format) == ["0", "1", "4", "2", "0", "1", "4", "19"])
        let last = try #require(app.events(format).last)
        #expect(last["url"]?.string == "app-linux://other/B?title=B")
        #expect(await client.flush().isComplete)
        #expect(app.warnings == [])
    }

    @Test("has no event for a click")
    func click() throws {
        let (_, capture) = try app.launch()
        capture.appear(home)
        capture.click(button)
        #expect(app.names(format) == ["0", "1", "4"])
        #expect(app.warnings == [])
    }

    @Test("has an event for a touch gesture, with the identifier that it has in the clickstream format")
    func touch() async throws {
        let (_, capture) = try app.launch()
        capture.appear(home)
        capture.touch(Capture.Touch(.down, at: Capture.Point(x: 0, y: 5))) { _ in button }
        await app.time.advance(milliseconds: 100)
        capture.touch(Capture.Touch(.move, at: Capture.Point(x: 60, y: 5))) { _ in button }
        capture.touch(Capture.Touch(.up, at: Capture.Point(x: 100, y: 5))) { _ in button }
        let event = try #require(app.events(.clickstream).last)
        #expect(event["event_type"]?.string == "_gesture")
        #expect(app.events(format).last?["ea"]?.integer == 10)
        #expect(app.events(format).last?["euid"] == event["event_id"])
    }

    @Test("has events for transactions and variables, and none for revenue")
    func reported() throws {
        let (_, capture) = try app.launch()
        let euro = try #require(Capture.Currency("eur"))
        capture.transaction(try #require(Capture.Transaction(value: 20, currency: euro, id: "T1")))
        capture.variable(DynamicVariable(key: "k", value: .text("v")))
        capture.revenue(.refund, properties: ["sku": "a"])
        #expect(app.names(format) == ["0", "1", "16", "18"])
    }
}
