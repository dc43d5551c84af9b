import ClickstreamCapture
import ClickstreamCore
import Testing

@testable import ClickstreamReplay

@Suite("User interface of a script")
struct InterfaceReaderTests {
    /// The keys of a JSON script besides its version and steps, which every build can read.
    private static func script(_ keys: String, steps: String = "\"launch\"") throws -> Script {
        try ScriptReaderTests.read("{ \"clickstream\": 1, \(keys), \"steps\": [ \(steps) ] }", file: "a.json")
    }

    @Test("is the contract's example as values")
    func example() throws {
        let script = try Self.script(
            """
            "ui": { "HomeViewController": { "name": "Home", "views": [
                { "class": "UIButton", "kind": "button", "name": "buy", "text": "Buy", "localized_key": "shop.buy",
                  "frame": [0, 0, 100, 40], "responds": true, "accessibility_id": "buy_button", "restoration_id": "r1",
                  "tag": 4, "group": "g", "section": "s", "secure": false, "opt": "out",
                  "properties": { "plan": "free" }, "ids": { "sid": "x" }, "views": [ { "class": "UILabel" } ] },
                { "class": "UITableView", "kind": "table_view_cell", "name": "list", "frame": [0, 50, 300, 400],
                  "content": 1500, "items": { "height": 50, "data": [ { "id": "a", "name": "item 0" } ] } } ] } }
            """
        )
        let button = Capture.Element(
            className: "UIButton",
            type: .button,
            content: .text("Buy"),
            localizedKey: "shop.buy",
            accessibilityID: "buy_button",
            restorationID: "r1",
            tag: 4,
            frame: Capture.Frame(x: 0, y: 0, width: 100, height: 40),
            responds: true,
            optBehavior: .autoOptOut,
            data: AutoTrackableEventData(
                elementName: "buy",
                additionalProperties: ["plan": "free"],
                additionalIDs: ["sid": "x"],
                trackingGroup: "g",
                trackingSection: "s"
            )
        )
        let table = Capture.Element(
            className: "UITableView",
            type: .tableViewCell,
            frame: Capture.Frame(x: 0, y: 50, width: 300, height: 400),
            data: AutoTrackableEventData(elementName: "list")
        )
        let home = ScriptedPage(
            Capture.Page(
                id: InstanceID(0),
                className: "HomeViewController",
                data: AutoTrackableEventData(elementName: "Home")
            ),
            views: [
                ScriptedView(button, views: [ScriptedView(Capture.Element(className: "UILabel"))]),
                ScriptedView(
                    table,
                    content: ScriptedView.Content(height: 1_500),
                    items: ScriptedView.Items(size: 50, data: [["id": "a", "name": "item 0"]])
                ),
            ]
        )
        #expect(script.pages == ["HomeViewController": home])
    }

    @Test("has the remaining keys of pages and views")
    func keys() throws {
        let script = try Self.script(
            """
            "ui": { "Tabs": { "container": true }, "Empty": null, "Login": { "title": "Log in", "accessibility_id": "login",
              "group": "g", "section": "s", "mask": true, "opt": "in", "properties": { "a": 1 }, "ids": { "b": "c" },
              "views": [ { "class": "UITextField", "input": 7, "secure": true, "mask": "subtree" },
                { "class": "UICollectionView", "frame": [0, 0, 300, 200], "mask": "instance", "content": [900, 200],
                  "items": { "width": 120, "data": [], "event_data": { "sid": "x" } } } ] } }
            """
        )
        let pages = try #require(script.pages)
        #expect(pages["Tabs"]?.page.isContainer == true)
        #expect(pages["Empty"] == ScriptedPage(Capture.Page(id: InstanceID(0), className: "Empty")))
        let login = try #require(pages["Login"])
        #expect(
            login.page
                == Capture.Page(
                    id: InstanceID(0),
                    className: "Login",
                    title: "Log in",
                    accessibilityID: "login",
                    isMasked: true,
                    optBehavior: .autoOptIn,
                    data: AutoTrackableEventData(
                        additionalProperties: ["a": 1],
                        additionalIDs: ["b": "c"],
                        trackingGroup: "g",
                        trackingSection: "s"
                    )
                )
        )
        #expect(
            login.views.first?.element
                == Capture.Element(
                    className: "UITextField",
                    content: .input(length: 7),
                    isSecure: true,
                    masking: .subtree
                )
        )
        let collection = try #require(login.views.last)
        #expect(collection.element.masking == .instance)
        #expect(collection.content == ScriptedView.Content(width: 900, height: 200))
        #expect(collection.items == ScriptedView.Items(axis: .horizontal, size: 120, data: [], eventData: ["sid": "x"]))
        #expect(collection.scrollAxis == .horizontal)
    }

    @Test(
        "has steps as values",
        arguments: [
            (#""show": "Home""#, .show(page: "Home")),
            (#""click": "buy""#, .click(view: "buy")),
            (#""touch": [ [1, 2.5] ]"#, .touch([.init(Capture.Point(x: 1, y: 2.5))])),
            (
                #""touch": [ [1, 2], "80ms", [3, 4], [5, 6], "1s", [7, 8] ]"#,
                .touch([
                    .init(Capture.Point(x: 1, y: 2)), .init(Capture.Point(x: 3, y: 4), after: 80),
                    .init(Capture.Point(x: 5, y: 6)),
                    .init(Capture.Point(x: 7, y: 8), after: 1_000),
                ])
            ),
            (
                #""scroll": { "view": "buy", "to": 400, "in": "480ms" }"#,
                .scroll(.init(view: "buy", to: .offset(400), in: 480))
            ),
            (
                #""scroll": { "view": "buy", "to": [-4, 5] }"#,
                .scroll(.init(view: "buy", to: .point(Capture.Point(x: -4, y: 5)), in: 0))
            ),
            (
                #""gesture": { "view": "buy", "type": "tap", "at": [185, 376] }"#,
                .gesture(.tap(at: Capture.Point(x: 185, y: 376), fingers: 1), view: "buy")
            ),
            (
                #""gesture": { "view": "buy", "type": "long_press", "at": [1, 2], "fingers": 2 }"#,
                .gesture(.longPress(at: Capture.Point(x: 1, y: 2), fingers: 2), view: "buy")
            ),
            (
                #""gesture": { "view": "buy", "type": "scale", "from": 100, "to": 150.5 }"#,
                .gesture(.scale(from: 100, to: 150.5), view: "buy")
            ),
            (
                #""gesture": { "view": "buy", "type": "rotate", "from": 0, "to": -90 }"#,
                .gesture(.rotate(from: 0, to: -90), view: "buy")
            ),
            (
                #""gesture": { "view": "buy", "type": "move", "from": [1, 2], "to": [3, 4] }"#,
                .gesture(.move(from: Capture.Point(x: 1, y: 2), to: Capture.Point(x: 3, y: 4)), view: "buy")
            ),
        ] as [(String, Step.Input)]
    )
    func step(text: String, expected: Step.Input) throws {
        let script = try Self.script(
            #""ui": { "Home": { "views": [ { "class": "UIButton", "name": "buy" } ] } }"#,
            steps: "\"launch\", { \"show\": \"Home\" }, { \(text) }"
        )
        #expect(script.steps.last?.action == .input(expected))
    }

    @Test(
        "has reports of the app as values",
        arguments: [
            (#""variable": { "key": "k", "value": "v" }"#, .variable(DynamicVariable(key: "k", value: .text("v")))),
            (#""variable": { "key": "k", "value": 5 }"#, .variable(DynamicVariable(key: "k", value: .integer(5)))),
            (#""revenue": { "type": "refund" }"#, .revenue(.refund, [:])),
            (
                #""revenue": { "type": "purchase", "properties": { "sku": "a" } }"#,
                .revenue(.purchase, ["sku": "a"])
            ),
        ] as [(String, Step.Report)]
    )
    func report(text: String, expected: Step.Report) throws {
        let script = try Self.script("\"seed\": 1", steps: "\"launch\", { \(text) }")
        #expect(script.steps.last?.action == .report(expected))
    }

    @Test("has transactions with both forms of a currency", arguments: ["\"EUR\"", "\"eur\"", "978"])
    func transaction(currency: String) throws {
        let text = "{ \"transaction\": { \"value\": 20, \"currency\": \(currency), \"id\": \"T1\" } }"
        let script = try Self.script("\"seed\": 1", steps: "\"launch\", \(text)")
        let euro = try #require(Capture.Currency(code: 978))
        let transaction = try #require(Capture.Transaction(value: 20, currency: euro, id: "T1"))
        #expect(script.steps.last?.action == .report(.transaction(transaction)))
    }

    @Test("has custom variables of a screen in written order, and repeated indexes")
    func variables() throws {
        let text = #"{ "screen": { "name": "A", "variables": { "5": { "a": "1" }, "2": { "b": "2", "c": "3" } } } }"#
        let script = try Self.script("\"seed\": 1", steps: "\"launch\", \(text)")
        let variables = [
            CustomVariable(index: 5, name: "a", value: "1"), CustomVariable(index: 2, name: "b", value: "2"),
            CustomVariable(index: 2, name: "c", value: "3"),
        ]
        #expect(script.steps.last?.action == .screen(name: "A", id: nil, uniqueID: nil, variables: variables))
    }

    @Test("has capture keys in 'config', which later launches override one by one")
    func configuration() throws {
        let script = try Self.script(
            """
            "config": { "autoEvents": [ "touch", "revenueTracking", "buttonClick" ], "pulse": { "endpoint": "http://a/p" },
                        "contentsquare": { "endpoint": "http://a/c", "projectId": 8, "batchSize": 20 } }
            """,
            steps: """
                "launch", "kill", { "launch": { "config": { "autoEvents": [], "contentsquare": { "batchSize": 5 } } } },
                { "configure": { "autoEvents": [ "scroll" ] } }
                """
        )
        let first = CaptureFacts(
            autoEvents: [.touch, .buttonClick],
            formats: [
                .pulse: ["endpoint": "http://a/p"],
                .contentsquare: ["endpoint": "http://a/c", "projectId": 8, "batchSize": 20],
            ]
        )
        #expect(script.facts.capture == first)
        guard case .launch(let facts) = script.steps[2].action else {
            Issue.record("no launch")
            return
        }
        var second = first
        second.autoEvents = []
        second.formats[.contentsquare]?["batchSize"] = 5
        #expect(script.facts.overlaid(with: facts).capture == second)
        #expect(script.steps.last?.action == .configure([], autoEvents: [.scroll]))
    }

    @Test("counts touches and scrolls in the duration of a script")
    func duration() throws {
        let script = try Self.script(
            #""ui": { "Home": { "views": [ { "class": "UIButton", "name": "buy" } ] } }"#,
            steps: """
                "launch", { "show": "Home" }, { "touch": [ [1, 2], "80ms", [3, 4], "20ms", [3, 4] ] },
                { "repeat": { "times": 3, "steps": [ { "scroll": { "view": "buy", "to": 5, "in": "480ms" } } ] } }
                """
        )
        #expect(script.extent == Script.Extent(steps: 6, milliseconds: 1_540))
        #expect(script.wallSpan == 1_540)
    }
}
