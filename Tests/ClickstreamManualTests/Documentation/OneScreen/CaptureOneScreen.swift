import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

// Code of ClickstreamCapture.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

@Suite("Everything of ClickstreamCapture on one screen")
struct CaptureOneScreen {
    @Test("captures without a violation")
    func calls() throws {
        let recorder = ClickstreamTestRecorder()
        report(to: start(try recorder.launch()))
        try recorder.expectOrder("_screen_view", "_click", "_screen_view", "_transaction", "revenue_purchase")
        try recorder.expectNoViolations()
    }

    private func start(_ client: ClickstreamClient) -> Capture {
        // snippet
        // Start: no type is enabled by default. The client is ClickstreamAnalytics.client.
        var configuration = CaptureConfiguration(autoEvents: [.viewController, .buttonClick, .scroll])
        configuration.classRules = ClassRules(optBehavior: ["Card": .autoOptOut], masked: ["Contact"])
        configuration.pulse = PulseSettings(endpoint: "https://example.com/pulse")
        let capture = Capture(client: client, configuration: configuration)
        capture.enable([AutoEventType.touch, .gesture, .tableViewImpression])
        // end
        return capture
    }

    private func report(to capture: Capture) {
        // snippet
        // Data of the app about what is captured
        final class Shop: AutoTrackableEventDataSource, AutoTrackableElement, ItemsViewDataSource {
            func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? {
                AutoTrackableEventData(elementName: "buy", trackingGroup: "shop")
            }

            func itemData(for index: Int) -> Attributes? { ["id": "p\(index)"] }
        }
        let shop = Shop()

        // Pages and elements
        let home = Capture.Page(id: InstanceID(1), className: "HomeView")
        capture.appear(home)
        var button = Capture.Element(id: InstanceID(2), className: "UIButton", type: .button)
        button.apply(shop, for: shop)
        let path = Capture.ElementPath(page: home.id, links: [.init(button, ordinal: 0)])

        // Input
        capture.click(path)
        let point = Capture.Point(x: 50, y: 60)
        capture.touch(Capture.Touch(.down, at: point)) { (_: Capture.Point) in path }
        capture.touch(Capture.Touch(.up, at: point)) { (_: Capture.Point) in path }
        capture.gesture(RecognizedGesture.tap(at: point, fingers: 1), on: path)
        let axis = Capture.ScrollPosition.Axis(offset: 120, visible: 700, content: 2_000)
        capture.scroll(path, to: Capture.ScrollPosition(horizontal: axis, vertical: axis))
        let frame = Capture.Frame(x: 0, y: 0, width: 393, height: 700)
        let items = VisibleItems(viewport: frame, items: [.init(index: 0, frame: frame)])
        capture.show(items, in: path, source: shop)
        capture.disappear(home.id)

        // Reported by the app
        capture.screen(name: "Sale", variables: [CustomVariable(index: 2, name: "type", value: "shoes")])
        capture.variable(DynamicVariable(key: "basket_items", value: .integer(3)))
        if let euro = Capture.Currency("EUR"), let order = Capture.Transaction(value: 9.9, currency: euro) {
            capture.transaction(order)
        }
        capture.revenue(RevenueKind.purchase, properties: ["product": "coins"])
        // end
    }
}
