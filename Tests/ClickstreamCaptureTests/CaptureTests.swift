import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import FormatFixtures
import Testing

@Suite("Capture")
struct CaptureTests {
    private let home = Capture.Page(
        id: InstanceID(1),
        className: "HomeViewController",
        data: AutoTrackableEventData(elementName: "Home")
    )
    private let cart = Capture.Page(id: InstanceID(2), className: "CartViewController")
    private let app = CaptureApp()

    private func path(_ element: Capture.Element, page: UInt64 = 1) -> Capture.ElementPath {
        Capture.ElementPath(page: InstanceID(page), links: [Capture.ElementPath.Link(element, ordinal: 0)])
    }

    private var buy: Capture.ElementPath {
        path(
            Capture.Element(
                id: InstanceID(10),
                className: "UIButton",
                type: .button,
                content: .text("Buy"),
                accessibilityID: "buy_button",
                responds: true,
                data: AutoTrackableEventData(
                    elementName: "buy",
                    additionalProperties: ["plan": "free"],
                    additionalIDs: ["sid": "x", "plan": "ignored"],
                    trackingGroup: "g",
                    trackingSection: "s"
                )
            )
        )
    }

    private func position(_ y: Double) -> Capture.ScrollPosition {
        Capture.ScrollPosition(
            horizontal: .init(offset: 0, visible: 300, content: 300),
            vertical: .init(offset: y, visible: 400, content: 1_500)
        )
    }

    private func wait(_ milliseconds: Int64) async { await app.time.advance(milliseconds: milliseconds) }

    /// The attributes of automatic capture in an event, without those of all events.
    private func attributes(_ event: JSONValue) -> [String: JSONValue] {
        let common = [
            AttributeName.sessionID, AttributeName.sessionStart, AttributeName.sessionDuration,
            AttributeName.sessionNumber, AttributeName.screenName, AttributeName.screenUniqueID,
        ]
        let members = event["attributes"]?.members ?? []
        return Dictionary(members.map { ($0.name, $0.value) }) { $1 }.filter { !common.contains($0.key) }
    }

    private func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }
    private func number(_ integer: Int64) -> JSONValue { JSONValue(.number(JSONNumber(integer: integer))) }

    // MARK: Formats

    @Test("records a click with one identifier in the formats that have it")
    func click() throws {
        let (_, capture) = try app.launch()
        capture.appear(home)
        capture.click(buy)
        let event = try #require(app.events(.clickstream).last)
        #expect(event["event_type"]?.string == "_click")
        #expect(
            attributes(event) == [
                "_element_class": text("UIButton"), "_element_type": text("button"), "_element_id": text("buy"),
                "_element_value": text("Buy"), "_element_accessibility_id": text("buy_button"),
                "_parent_class": text("HomeViewController"), "_parent_id": text("Home"), "_group": text("g"),
                "_section": text("s"), "plan": text("free"), "sid": text("x"),
            ]
        )
        let pulse = try #require(app.events(.pulse).last)
        #expect(pulse["event_type"]?.string == "click")
        #expect(pulse["event_id"] == event["event_id"])
        #expect(app.warnings == [])
    }

    @Test("records nothing else than before without types of auto events and formats")
    func disabled() throws {
        let (client, capture) = try app.launch(
            [],
            capture: { settings in
                for fixture in FormatFixture.all { fixture.configure(&settings, nil) }
            }
        )
        capture.appear(home)
        capture.click(buy)
        client.background()
        #expect(
            app.names(.clickstream) == ["_first_open", "_app_start", "_session_start", "_screen_view", "_app_end"]
        )
        #expect(FormatFixture.all.flatMap { app.names($0.format.name) } == [])
    }

    @Test("of a client that has one already replaces that, and receives the calls of both")
    func replacement() throws {
        let (client, first) = try app.launch()
        let second = Capture(client: client, configuration: CaptureConfiguration())
        first.appear(home)
        first.click(buy)
        #expect(!app.names(.clickstream).contains("_click"))
        first.enable([.buttonClick])
        second.click(buy)
        #expect(app.names(.clickstream).count { $0 == "_click" } == 1)
        #expect(app.names(.pulse) == [])
    }

    @Test("warns of custom variables that are dropped")
    func variables() throws {
        let (_, capture) = try app.launch()
        let variable = CustomVariable(index: 1, name: "n", value: "v")
        capture.screen(name: "A", variables: [variable, variable])
        #expect(app.warnings == ["The custom variable n is dropped: the index 1 is repeated"])
    }

    // MARK: Input

    @Test("records a touch gesture with the target at its start, on the thread of the call")
    func touch() async throws {
        let (_, capture) = try app.launch()
        capture.appear(home)
        var asked: [Capture.Point] = []
        func touch(_ phase: Capture.Touch.Phase, _ x: Double) {
            capture.touch(Capture.Touch(phase, at: Capture.Point(x: x, y: 5))) { point in
                asked.append(point)
                return buy
            }
        }
        touch(.down, 0)
        await wait(100)
        touch(.move, 60)
        touch(.up, 100)
        #expect(asked == [Capture.Point(x: 0, y: 5)])
        let event = try #require(app.events(.clickstream).last)
        #expect(event["event_type"]?.string == "_gesture")
        let found = attributes(event)
        #expect(found["_gesture_type"] == text("flick"))
        #expect(found["_target"] == text("UIButton[ai:HomeViewController.buy_button]"))
        #expect(found["_target_id"] == text("buy_button"))
        #expect(found["_target_responsive"] == JSONValue(.boolean(true)))
        #expect(found["_gesture_direction"] == text("right"))
        #expect(found["_gesture_distance"] == number(100))
        #expect(found["_gesture_velocity"] == number(1_000))
        #expect(found["_gesture_duration"] == number(100))
        #expect(app.names(.pulse) == ["page_load", "page_view"])
        touch(.down, 0)
        touch(.up, 30)
        #expect(capture.unclassifiedGestures == 1)
    }

    @Test("ends a scroll 200 ms after its last change, in the order of other events")
    func scroll() async throws {
        let (client, capture) = try app.launch()
        capture.appear(home)
        let view = path(Capture.Element(id: InstanceID(20), className: "UIScrollView"))
        capture.scroll(view, to: position(0))
        for step in 1...5 {
            await wait(100)
            capture.scroll(view, to: position(Double(step) * 20))
        }
        await wait(199)
        client.record("before")
        await wait(1)
        client.record("behind")
        #expect(app.names(.clickstream).suffix(3) == ["before", "_scroll", "behind"])
        let events = app.events(.clickstream)
        #expect(events.suffix(3).map { $0["timestamp"]?.integer }.first == app.time.now().wall.milliseconds - 1)
        let found = attributes(events[events.count - 2])
        #expect(found["_scroll_distance"] == number(100))
        #expect(found["_scroll_duration"] == number(400))
        #expect(found["_scroll_direction"] == text("up"))
        #expect(found["_element_type"] == text("scroll_view"))
    }

    /// Data of items, which counts the calls and uses the SDK itself.
    private final class Items: ItemsViewDataSource {
        let client: ClickstreamClient
        var calls = 0

        init(_ client: ClickstreamClient) {
            self.client = client
        }

        func eventData() -> Attributes? { ["sid": "s"] }

        func itemData(for index: Int) -> Attributes? {
            calls += 1
            client.record("asked")
            return index == 0 ? nil : ["id": "item \(index)", "name": "Item"]
        }
    }

    @Test("asks a data source once for each item that becomes visible, outside its locks")
    func impressions() async throws {
        let (client, capture) = try app.launch()
        capture.appear(home)
        let items = Items(client)
        let list = path(Capture.Element(id: InstanceID(30), className: "UITableView", type: .tableViewCell))
        let frame = Capture.Frame(x: 0, y: 0, width: 10, height: 10)
        func show(_ indexes: [Int]) {
            let layout = VisibleItems(
                viewport: frame,
                items: indexes.map { VisibleItems.Item(index: $0, frame: frame) }
            )
            capture.show(layout, in: list, source: items)
        }
        show([0, 1])
        await wait(3_500)
        show([1, 2])
        await wait(3_500)
        #expect(items.calls == 3)
        client.background()
        let names = app.names(.clickstream).filter { $0 != "asked" }
        #expect(names.suffix(3) == ["_items_impression", "_user_engagement", "_app_end"])
        let event = try #require(app.events(.clickstream).first { $0["event_type"]?.string == "_items_impression" })
        #expect(attributes(event)["_items_count"] == number(3))
        #expect(attributes(event)["sid"] == text("s"))
        let ids = event["items"]?.array?.map { $0["id"]?.string }
        #expect(ids == ["0", "item 1", "item 2"])
        #expect(event["items"]?.array?.map { $0["view_time"]?.integer } == [4, 7, 4])
        #expect(app.events(.pulse).last?["event_type"]?.string == "items_impression")
    }

    @Test("encodes an event without data of the app as it does one with data")
    func encoding() async throws {
        func events(_ globals: Attributes) async throws -> [JSONValue] {
            let app = CaptureApp()
            let (client, capture) = try app.launch()
            client.addGlobalAttributes(["plan": "free"])
            client.addGlobalAttributes(globals)
            capture.appear(home)
            let view = Capture.Element(
                id: InstanceID(2),
                className: "View\"",
                content: .text("\u{1}\n€"),
                tag: 4,
                responds: true
            )
            capture.click(path(Capture.Element(className: "UITextField", type: .button, content: .input(length: 3))))
            let gestures: [RecognizedGesture] = [
                .tap(at: Capture.Point(x: 1, y: 2), fingers: 1), .longPress(at: Capture.Point(x: 1, y: 2), fingers: 2),
                .scale(from: 100, to: 50), .rotate(from: 0, to: 90),
                .move(from: Capture.Point(x: 0, y: 0), to: Capture.Point(x: 9, y: 9)),
            ]
            for gesture in gestures { capture.gesture(gesture, on: path(view)) }
            capture.touch(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0))) { _ in path(view) }
            await app.time.advance(milliseconds: 100)
            capture.touch(Capture.Touch(.up, at: Capture.Point(x: 0, y: 90))) { _ in path(view) }
            capture.scroll(path(view), to: position(0))
            capture.scroll(path(view), to: position(70))
            client.background()
            return app.events(.clickstream)
        }
        let encoded = try await events([:])
        // A global attribute with a reserved name may be one of the event: it is checked with the others.
        let checked = try await events(["_channel": "shop"])
        #expect(encoded.count == 14)
        #expect(checked.count == encoded.count)
        for (one, other) in zip(encoded, checked).dropFirst(3) {
            #expect(other["attributes"]?["_channel"] != nil)
            #expect(one["attributes"]?["plan"] != nil)
            var members = other["attributes"]?.members ?? []
            members.removeAll { $0.name == "_channel" }
            #expect(one["attributes"]?.members?.map(\.name) == members.map(\.name))
            #expect(one["attributes"]?.members?.map(\.value) == members.map(\.value))
            #expect(one["event_id"] == other["event_id"])
        }
    }

    // MARK: Reported by the app

    @Test("records transactions, variables and revenue in the formats that have them")
    func reported() throws {
        let (_, capture) = try app.launch()
        let euro = try #require(Capture.Currency("eur"))
        capture.transaction(try #require(Capture.Transaction(value: 20, currency: euro, id: "T1")))
        capture.variable(DynamicVariable(key: "k", value: .text("v")))
        capture.revenue(.refund, properties: ["sku": "a"])
        let events = app.events(.clickstream).suffix(3)
        #expect(events.map { $0["event_type"]?.string } == ["_transaction", "_variable", "revenue_refund"])
        #expect(
            events.map(attributes).map(\.keys).map { $0.sorted() } == [
                ["_currency", "_transaction_id", "_value"], ["_variable_key", "_variable_value"], ["sku"],
            ]
        )
        #expect(attributes(events[events.startIndex])["_currency"] == text("EUR"))
        #expect(app.names(.pulse) == ["revenue_refund"])
        #expect(app.events(.pulse).last?["event_id"] == events.last?["event_id"])
    }

    @Test("cuts texts of the user interface to the longest attribute in the clickstream format")
    func longText() throws {
        let (_, capture) = try app.launch()
        let long = String(repeating: "ä", count: 5_000)
        capture.click(path(Capture.Element(className: "UIButton", type: .button, content: .text(long))))
        let event = try #require(app.events(.clickstream).last)
        #expect(attributes(event)["_element_value"]?.string?.unicodeScalars.count == 1_024)
        #expect(app.events(.pulse).last?["data"]?["element"]?["value"]?.string == long)
        #expect(event["attributes"]?["_error_code"] == nil)
    }

    // MARK: Delivery

    @Test(
        "delivers each format to its own server, also while one of them is down",
        arguments: CapturedFormat.recorded + [nil]
    )
    func delivery(down: CapturedFormat?) async throws {
        let app = CaptureApp { request in
            down.map { request.url.hasPrefix(CaptureApp.endpoint($0)) } == true ? .status(503) : nil
        }
        let (client, capture) = try app.launch()
        capture.appear(home)
        for _ in 0..<100 { capture.click(buy) }
        capture.variable(DynamicVariable(key: "k", value: .integer(1)))
        let report = await client.flush()
        #expect(report.isComplete == (down == nil))
        for format in CapturedFormat.recorded where format != down {
            #expect(try app.received(format) == app.events(format.name), "\(format)")
        }
    }

    @Test("keeps events of all formats for the next process, and counts disabled ones")
    func nextProcess() async throws {
        var (client, capture) = try app.launch()
        capture.appear(home)
        capture.click(buy)
        client.disable()
        capture.click(buy)
        client.kill()
        let recorded = CapturedFormat.recorded.map { app.events($0.name) }
        (client, capture) = try app.launch([])
        let ended = await client.flush()
        #expect(ended.isComplete)
        let sent = try CapturedFormat.recorded.map { try app.received($0) }
        let added: [Int] = [1] + FormatFixture.all.map(\.recording.launch.count)
        let expected: [Int] = recorded.indices.map { (index: Int) -> Int in recorded[index].count + added[index] }
        #expect(sent.map(\.count) == expected)
        for index in recorded.indices { #expect(Array(sent[index].prefix(recorded[index].count)) == recorded[index]) }
    }
}
