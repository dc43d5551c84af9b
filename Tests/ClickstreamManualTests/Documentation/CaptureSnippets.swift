import Clickstream
import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

// Code of ClickstreamCapture.docc and of the doc comments of ClickstreamCapture; see DocumentationTests.

@Suite("Code of ClickstreamCapture's documentation")
struct CaptureSnippets {
    let recorder = ClickstreamTestRecorder()
    let home = Capture.Page(id: InstanceID(1), className: "HomeViewController")

    private func capture() throws -> Capture {
        Capture(client: try recorder.launch(), configuration: CaptureConfiguration(autoEvents: AutoEventType.all))
    }

    @Test("the comment of Capture loads a page")
    func comment() throws {
        let client = try recorder.launch()
        // snippet
        let capture = Capture(
            client: client,
            configuration: CaptureConfiguration(autoEvents: [.viewController, .buttonClick])
        )
        capture.appear(Capture.Page(id: InstanceID(1), className: "HomeViewController"))
        // end
        try recorder.expectOrder("_screen_load", "_screen_view")
    }

    @Test("a page and a click are two events and a screen")
    func click() throws {
        let capture = try capture()
        // snippet
        let home = Capture.Page(
            id: InstanceID(1),
            className: "HomeViewController",
            data: AutoTrackableEventData(elementName: "Home")
        )
        capture.appear(home)
        // end
        // snippet
        let button = Capture.Element(
            id: InstanceID(2),
            className: "UIButton",
            type: .button,
            content: .text("Buy"),
            accessibilityID: "buy_button",
            responds: true,
            data: AutoTrackableEventData(additionalProperties: ["plan": "free"], trackingGroup: "shop")
        )
        capture.click(Capture.ElementPath(page: home.id, links: [.init(button, ordinal: 0)]))
        // end
        try recorder.expectOrder("_screen_load", "_screen_view", "_click")
        try recorder.expectEvent("_click", count: .exactly(1)) {
            $0["_element_value"] == "Buy" && $0["_parent_id"] == "Home"
        }
        try recorder.expectNoViolations()
    }

    @Test("a touch is a tap on the element under the finger")
    func touch() throws {
        let capture = try capture()
        capture.appear(home)
        // snippet
        let views = [
            Capture.Element(
                className: "UIView",
                frame: Capture.Frame(x: 0, y: 0, width: 393, height: 852),
                children: [
                    Capture.Element(
                        className: "UIButton",
                        type: .button,
                        frame: Capture.Frame(x: 20, y: 40, width: 100, height: 40),
                        responds: true
                    )
                ]
            )
        ]
        for touch in [
            Capture.Touch(.down, at: Capture.Point(x: 50, y: 60)), Capture.Touch(.up, at: Capture.Point(x: 52, y: 61)),
        ] {
            capture.touch(touch) { point in Capture.ElementPath(to: point, in: views, page: home.id) }
        }
        // end
        try recorder.expectEvent("_gesture", count: .exactly(1)) {
            $0["_target"] == "[root]>UIView:eq(0)>UIButton:eq(0)"
        }
    }

    @Test("a scroll ends after 200 ms")
    func scroll() async throws {
        let capture = try capture()
        capture.appear(home)
        // snippet
        let list = Capture.ElementPath(
            page: home.id,
            links: [.init(Capture.Element(id: InstanceID(3), className: "UITableView"), ordinal: 0)]
        )
        for offset in [0.0, 120, 260] {
            capture.scroll(
                list,
                to: Capture.ScrollPosition(
                    horizontal: .init(offset: 0, visible: 393, content: 393),
                    vertical: .init(offset: offset, visible: 700, content: 2_000)
                )
            )
        }
        // end
        await recorder.advance(by: .milliseconds(200))
        try recorder.expectEvent("_scroll", count: .exactly(1)) { $0["_scroll_distance"] == 260 }
    }

    // snippet
    final class Products: ItemsViewDataSource {
        let names = ["shoes", "socks"]

        func itemData(for index: Int) -> Attributes? {
            names.indices.contains(index) ? ["id": "p\(index)", "name": names[index]] : nil
        }
    }
    // end

    @Test("visible items are counted when the page disappears")
    func items() async throws {
        let capture = try capture()
        capture.appear(home)
        // snippet
        let table = Capture.Element(id: InstanceID(3), className: "UITableView", type: .tableViewCell)
        let products = Products()
        let viewport = Capture.Frame(x: 0, y: 0, width: 393, height: 700)
        capture.show(
            VisibleItems(
                viewport: viewport,
                items: [
                    .init(index: 0, frame: Capture.Frame(x: 0, y: 0, width: 393, height: 50)),
                    .init(index: 1, frame: Capture.Frame(x: 0, y: 50, width: 393, height: 50)),
                ]
            ),
            in: Capture.ElementPath(page: home.id, links: [.init(table, ordinal: 0)]),
            source: products
        )
        // end
        await recorder.advance(by: .seconds(4))
        capture.disappear(home.id)
        try recorder.expectEvent("_items_impression", count: .exactly(1)) { $0["_items_count"] == 2 }
        #expect(recorder.events(named: "_items_impression").first?.items.count == 2)
    }

    @Test("events of the app")
    func reported() throws {
        let capture = try capture()
        // snippet
        capture.screen(name: "Offers", variables: [CustomVariable(index: 2, name: "type", value: "sale")])
        capture.variable(DynamicVariable(key: "basket_items", value: .integer(3)))
        if let euro = Capture.Currency("EUR"), let order = Capture.Transaction(value: 99.9, currency: euro, id: "T1") {
            capture.transaction(order)
        }
        capture.revenue(.purchase, properties: ["product": "coins"])
        // end
        try recorder.expectOrder("_screen_view", "_variable", "_transaction", "revenue_purchase")
        try recorder.expectNoViolations()
    }

    @Test("classes are opted out and masked")
    func classes() throws {
        // snippet
        let rules = ClassRules(
            optBehavior: ["CardButton": .autoOptOut],
            masked: ["ContactCell", "MessageLabel"]
        )
        let configuration = CaptureConfiguration(autoEvents: [.buttonClick], classRules: rules)
        // end
        let capture = Capture(client: try recorder.launch(), configuration: configuration)
        for (name, text) in [("CardButton", "4111"), ("MessageLabel", "Hello")] {
            let element = Capture.Element(className: name, type: .button, content: .text(text))
            capture.click(Capture.ElementPath(page: nil, links: [.init(element, ordinal: 0)]))
        }
        try recorder.expectEvent("_click", count: .exactly(1)) { $0["_element_value"] == "*" }
    }

    @Test("instances are opted out and masked")
    func instances() throws {
        let capture = try capture()
        // snippet
        let contacts = Capture.Page(id: InstanceID(4), className: "ContactsViewController", isMasked: true)
        let card = Capture.Element(className: "UIView", masking: .subtree)
        let debug = Capture.Element(className: "UIButton", type: .button, optBehavior: .autoOptOut)
        // end
        capture.appear(contacts)
        let button = Capture.Element(className: "UIButton", type: .button, content: .text("Ann"))
        capture.click(Capture.ElementPath(page: contacts.id, links: [.init(button, ordinal: 0)]))
        capture.click(Capture.ElementPath(page: nil, links: [.init(card, ordinal: 0), .init(button, ordinal: 0)]))
        capture.click(Capture.ElementPath(page: nil, links: [.init(debug, ordinal: 0)]))
        try recorder.expectEvent("_click", count: .exactly(2)) { $0["_element_value"] == "*" }
    }

    final class SecretButton: AutoTrackableElement {}

    // snippet
    final class Login: AutoTrackableEventDataSource {
        func shouldAutoTrack(for element: any AutoTrackableElement) -> Bool {
            !(element is SecretButton)
        }

        func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? {
            AutoTrackableEventData(elementName: "login_button", additionalIDs: ["sid": "e0182f1b"])
        }
    }
    // end

    @Test("a data source opts an element out")
    func dataSource() {
        // snippet
        var element = Capture.Element(className: "SecretButton", type: .button)
        element.apply(Login(), for: SecretButton())
        // end
        #expect(element.optBehavior == .autoOptOut)
        #expect(element.data.elementName == "login_button")
    }
}
