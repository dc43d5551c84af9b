import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamReplay

@Suite("Errors in the user interface of a script")
struct InterfaceProblemTests {
    @Test(
        "are reported for 'config'",
        arguments: [
            ("autoEvents: touch", ["23: error: 'autoEvents' must be a list of auto-event types, not a string"]),
            (
                "autoEvents: [ buttonClicks ]",
                ["25: error: unknown auto-event type 'buttonClicks'; did you mean 'buttonClick'?"]
            ),
            (
                "autoEvents: [ 5 ]",
                [
                    "25: error: an auto-event type must be a string, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            (
                "autoEvent: []",
                ["11: error: unknown configuration key 'autoEvent' in 'config'; did you mean 'autoEvents'?"]
            ),
            ("pulse: x", ["18: error: 'pulse' must be a mapping with endpoint, not a string"]),
            (
                "pulse: { endpoint: \"ftp://a\" }",
                [
                    "30: error: 'endpoint': the endpoint's scheme 'ftp' is not valid; use http or https, as in "
                        + "https://example.com/collect"
                ]
            ),
            ("pulse: { endpont: a }", ["20: error: unknown key 'endpont' in 'pulse'; did you mean 'endpoint'?"]),
        ]
    )
    func configuration(text: String, expected: [String]) {
        let complaints = ScriptReaderTests.complaints("clickstream: 1\nconfig: { \(text) }\nsteps: [ launch ]\n")
        #expect(complaints == expected.map { "test.yaml:2:" + $0 })
    }

    @Test(
        "are reported for a page",
        arguments: [
            ("Home", ["5: error: 'ui' must be a mapping of pages, not a string"]),
            ("{ Home: 5 }", ["13: error: the page 'Home' must be a mapping with \(pageKeys), not the number 5"]),
            ("{ \"\": }", ["7: error: the class of a page is empty"]),
            (
                "{ Home: { nmae: a } }",
                ["15: error: unknown key 'nmae' in the page 'Home'; did you mean 'name'?"]
            ),
            ("{ Home: { container: 1 } }", ["26: error: 'container' must be true or false, not the number 1"]),
            ("{ Home: { mask: subtree } }", ["21: error: 'mask' must be true or false, not a string"]),
            ("{ Home: { views: {} } }", ["22: error: 'views' must be a list of views, not a mapping"]),
            ("{ Home: { ids: [] } }", ["20: error: 'ids' must be a mapping of attributes, not a list"]),
        ]
    )
    func page(text: String, expected: [String]) {
        let complaints = ScriptReaderTests.complaints("clickstream: 1\nui: \(text)\nsteps: [ launch ]\n")
        #expect(complaints == expected.map { "test.yaml:2:" + $0 })
    }

    private static let pageKeys = String.list(Vocabulary.pageKeys, "or")
    private static let viewKeys = String.list(Vocabulary.viewKeys, "or")

    @Test(
        "are reported for a view",
        arguments: [
            ("UIButton", ["24: error: a view must be a mapping with \(viewKeys), not a string"]),
            ("{}", ["24: error: a view has no 'class'; add the name of its class, such as class: UIButton"]),
            ("{ class: '' }", ["33: error: the class of a view is empty"]),
            (
                "{ class: 5 }",
                [
                    "33: error: 'class' must be a string, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            ("{ class: A, kind: buton }", ["42: error: unknown kind 'buton'; did you mean 'button'?"]),
            (
                "{ class: A, kind: xyzzy }",
                [
                    "42: error: unknown kind 'xyzzy'; valid values: button, toggle, slider, stepper, segment, bar_button, "
                        + "collection_view_cell, table_view_cell, scroll_view or controller"
                ]
            ),
            ("{ class: A, opt: off }", ["41: error: unknown value of 'opt' 'off'; valid values: in or out"]),
            ("{ class: A, opt: false }", ["41: error: 'opt' must be in or out, not 'false'"]),
            ("{ class: A, mask: subtre }", ["42: error: unknown value of 'mask' 'subtre'; did you mean 'subtree'?"]),
            ("{ class: A, secure: 1 }", ["44: error: 'secure' must be true or false, not the number 1"]),
            ("{ class: A, tag: x }", ["41: error: 'tag' must be an integer, not a string"]),
            (
                "{ class: A, frame: [ 0, 0, 100 ] }",
                ["43: error: 'frame' must be four numbers [x, y, width, height], not a list of 3"]
            ),
            (
                "{ class: A, frame: 100 }",
                ["43: error: 'frame' must be four numbers [x, y, width, height], not the number 100"]
            ),
            (
                "{ class: A, frame: [ 0, 0, a, .nan ] }",
                [
                    "51: error: a number in 'frame' must be a number, not a string",
                    "54: error: a number in 'frame' must be a number, not the number .nan",
                ]
            ),
            (
                "{ class: A, frame: [ 0, 0, -1, 4 ] }",
                ["43: error: the width and height of 'frame' must be at least 0"]
            ),
            ("{ class: A, content: -1 }", ["45: error: 'content' must be at least 0, not -1"]),
            (
                "{ class: A, content: [ 5 ] }",
                ["45: error: 'content' must be a height, or [width, height], not a list of 1"]
            ),
            (
                "{ class: A, items: [] }",
                ["43: error: 'items' must be a mapping with height, width, data or event_data, not a list"]
            ),
            (
                "{ class: A, items: { data: [] } }",
                ["43: error: 'items' has no 'height'; add the height of one item in logical pixels"]
            ),
            (
                "{ class: A, items: { height: 5 } }",
                ["43: error: 'items' has no 'data'; add 'data:' with one mapping per item"]
            ),
            ("{ class: A, items: { height: 0, data: [] } }", ["53: error: 'height' must be at least 1, not 0"]),
            (
                "{ class: A, items: { height: 5, width: 5, data: [] } }",
                ["63: error: 'items' has either 'height' or 'width', for items side by side"]
            ),
            (
                "{ class: A, items: { height: 5, data: [ a ] } }",
                ["64: error: an item must be a mapping of attributes, not a string"]
            ),
            (
                "{ class: A, text: a, input: 5 }",
                ["52: error: a view has either 'text' or 'input', the number of entered characters"]
            ),
            (
                "{ class: A, views: [ { clas: B } ] }",
                [
                    "45: error: a view has no 'class'; add the name of its class, such as class: UIButton",
                    "47: error: unknown key 'clas' in a view; did you mean 'class'?",
                ]
            ),
        ]
    )
    func view(text: String, expected: [String]) {
        let complaints = ScriptReaderTests.complaints(
            "clickstream: 1\nui: { Home: { views: [ \(text) ] } }\nsteps: [ launch ]\n"
        )
        #expect(complaints == expected.map { "test.yaml:2:" + $0 })
    }

    @Test(
        "are reported for a step",
        arguments: [
            ("show", ["5: error: 'show' needs a value: the class of a page"]),
            ("show: Hme", ["11: error: unknown page 'Hme'; did you mean 'Home'?"]),
            ("show: xyzzy", ["11: error: unknown page 'xyzzy'; pages of 'ui': Detail or Home"]),
            (
                "show: 5",
                [
                    "11: error: 'show' must be a string, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            ("click: by", ["12: error: the page 'Home' has no view 'by'; did you mean 'buy'?"]),
            ("click: xyzzy", ["12: error: the page 'Home' has no view 'xyzzy'; views with a name: buy, list, twice"]),
            ("click: twice", ["12: error: the page 'Home' has 2 views 'twice'; give each of them a name of its own"]),
            (
                "touch: 80ms",
                [
                    "12: error: 'touch' must be a list of points and durations such as [ [10, 20], 80ms, [10, 20] ], not a string"
                ]
            ),
            ("touch: []", ["12: error: 'touch' has no point; write it like [ [10, 20], 80ms, [10, 20] ]"]),
            ("touch: [ 80ms, [1, 2] ]", ["14: error: 'touch' starts with a point, not a duration"]),
            ("touch: [ [1, 2], 80ms ]", ["22: error: 'touch' ends with a duration; the last value is a point"]),
            (
                "touch: [ [1, 2], 80ms, 20ms, [1, 2] ]",
                ["28: error: 'touch' has a point after each duration, not a duration"]
            ),
            (
                "touch: [ [1], 80ms, [1, 2, 3] ]",
                [
                    "14: error: a point of 'touch' must be a point [x, y], not a list of 1",
                    "25: error: a point of 'touch' must be a point [x, y], not a list of 3",
                ]
            ),
            (
                "touch: [ [1, 2], 80, [1, 2] ]",
                ["22: error: a value of 'touch' is 80: a duration needs a unit; did you mean '80s' or '80ms'?"]
            ),
            ("touch: [ [1, a] ]", ["18: error: a number in a point of 'touch' must be a number, not a string"]),
            ("scroll: list", ["13: error: 'scroll' must be a mapping with view, to or in, not a string"]),
            ("scroll: { view: lst, to: 5 }", ["21: error: the page 'Home' has no view 'lst'; did you mean 'list'?"]),
            ("scroll: { view: list }", ["13: error: 'scroll' has no 'to'; add the offset in logical pixels"]),
            ("scroll: { to: 5 }", ["13: error: 'scroll' has no 'view'"]),
            ("scroll: { view: list, to: end }", ["31: error: 'to' must be a number, not a string"]),
            ("scroll: { view: list, to: [5] }", ["31: error: 'to' must be an offset, or [x, y], not a list of 1"]),
            (
                "scroll: { view: list, to: 5, in: 480 }",
                ["38: error: 'in' is 480: a duration needs a unit; did you mean '480s' or '480ms'?"]
            ),
            ("gesture: tap", ["14: error: 'gesture' must be a mapping with view and type, not a string"]),
            (
                "gesture: { view: list }",
                ["14: error: 'gesture' has no 'type'; add one of tap, long_press, scale, rotate or move"]
            ),
            (
                "gesture: { view: list, type: tapp, at: [1, 2] }",
                ["34: error: unknown gesture 'tapp'; did you mean 'tap'?"]
            ),
            ("gesture: { view: list, type: tap }", ["14: error: the gesture 'tap' has no 'at'"]),
            (
                "gesture: { view: list, type: tap, at: [1, 2], from: 5 }",
                ["51: error: unknown key 'from' in the gesture 'tap'; valid keys: view, type, at or fingers"]
            ),
            (
                "gesture: { view: list, type: tap, at: [1, 2], fingers: 0 }",
                ["60: error: 'fingers' must be from 1 to 64, not 0"]
            ),
            ("gesture: { view: list, type: scale, from: 1 }", ["14: error: the gesture 'scale' has no 'to'"]),
            (
                "gesture: { view: list, type: rotate, from: [1, 2], to: 5 }",
                ["48: error: 'from' must be a number, not a list"]
            ),
            (
                "gesture: { view: list, type: move, from: 1, to: [1, 2] }",
                ["46: error: 'from' must be a point [x, y], not the number 1"]
            ),
            (
                "gesture: { view: xyzzy, type: tap, at: [1, 2] }",
                ["22: error: the page 'Home' has no view 'xyzzy'; views with a name: buy, list, twice"]
            ),
            (
                "transaction: 5",
                ["18: error: 'transaction' must be a mapping with value, currency or id, not the number 5"]
            ),
            (
                "transaction: {}",
                ["18: error: 'transaction' has no 'value'", "18: error: 'transaction' has no 'currency'"]
            ),
            (
                "transaction: { value: 5, currency: EURO }",
                ["40: error: unknown currency 'EURO'; use a code of ISO 4217 such as EUR or 978"]
            ),
            (
                "transaction: { value: 5, currency: 0 }",
                ["40: error: unknown currency '0'; use a code of ISO 4217 such as EUR or 978"]
            ),
            (
                "transaction: { value: .nan, currency: EUR }",
                ["27: error: 'value' must be a number, not the number .nan"]
            ),
            ("variable: { key: a }", ["15: error: 'variable' has no 'value'"]),
            ("variable: { value: 1 }", ["15: error: 'variable' has no 'key'"]),
            (
                "variable: { key: a, value: 1.5 }",
                [
                    "32: error: 'value' must be a string or an integer, not the number 1.5; write \"1.5\" in quotation marks to make it a string"
                ]
            ),
            (
                "revenue: { properties: {} }",
                ["14: error: 'revenue' has no 'type'; add one of purchase, refund or subscription"]
            ),
            ("revenue: { type: purchas }", ["22: error: unknown type of revenue 'purchas'; did you mean 'purchase'?"]),
            (
                "screen: { name: A, variables: [] }",
                ["35: error: 'variables' must be a mapping such as { \"2\": { name: value } }, not a list"]
            ),
            (
                "screen: { name: A, variables: { b: { c: d } } }",
                ["37: error: the index 'b' of a custom variable is not an integer"]
            ),
            (
                "screen: { name: A, variables: { 2: d } }",
                ["40: error: the custom variable 2 must be a mapping of its name to its value, not a string"]
            ),
            (
                "screen: { name: A, variables: { 2: { c: 5 } } }",
                [
                    "45: error: the custom variable 'c' must be a string, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            (
                "configure: { pulse: { endpoint: \"\" } }",
                ["18: error: 'pulse' cannot change in a running process; set it in 'config', also of a later 'launch'"]
            ),
        ]
    )
    func step(text: String, expected: [String]) {
        let complaints = ScriptReaderTests.complaints(Self.app + "steps:\n  - launch\n  - show: Home\n  - \(text)\n")
        #expect(complaints == expected.map { "test.yaml:14:" + $0 })
    }

    /// An app with two pages, of ten lines.
    private static let app = """
        clickstream: 1
        ui:
          Home:
            views:
              - { class: UIButton, name: buy }
              - { class: UITableView, name: list }
              - { class: UIView, name: twice, views: [ { class: UIView, name: twice } ] }
          Detail:
            views:
              - { class: UIButton, name: back }

        """

    @Test(
        "are reported for the page that is current when the step runs",
        arguments: [
            (
                "launch, click: buy",
                ["25: error: 'click' before any 'show' of this process; show the page of the view first"]
            ),
            (
                "launch, show: Home, kill, launch, click: buy",
                ["51: error: 'click' before any 'show' of this process; show the page of the view first"]
            ),
            (
                "launch, show: Detail, click: buy",
                ["39: error: the page 'Detail' has no view 'buy'; views with a name: back"]
            ),
            (
                "launch, repeat: { times: 2, steps: [ click: buy ] }",
                ["54: error: 'click' before any 'show' of this process; show the page of the view first"]
            ),
            (
                "launch, show: Home, repeat: { times: 2, steps: [ click: buy, show: Detail ] }",
                ["66: error: the page 'Detail' has no view 'buy' when repeated; views with a name: back"]
            ),
            (
                "launch, show: Home, repeat: { times: 9, steps: [ { repeat: { times: 1, steps: [ click: buy ] } }, show: Detail, click: back ] }",
                ["97: error: the page 'Detail' has no view 'buy' when repeated; views with a name: back"]
            ),
            ("launch, show: Home, repeat: { times: 0, steps: [ click: xyzzy ] }", []),
            ("launch, show: Home, repeat: { times: 1, steps: [ click: buy, show: Detail ] }, click: back", []),
            ("launch, show: Hme, click: xyzzy", ["24: error: unknown page 'Hme'; did you mean 'Home'?"]),
            (
                "launch, show: Home, kill, click: buy",
                [
                    "36: error: 'click' after 'kill' has ended the process; only wait, clock and network are allowed before the next 'launch'"
                ]
            ),
            ("launch, touch: [ [1, 2] ], show: Home, background, foreground, click: buy", []),
        ]
    )
    func order(steps: String, expected: [String]) {
        let complaints = ScriptReaderTests.complaints(Self.app + "steps: [ \(steps) ]")
        #expect(complaints == expected.map { "test.yaml:11:" + $0 })
    }

    @Test("are reported for 'show' in a script without an interface")
    func noInterface() {
        #expect(
            ScriptReaderTests.complaints("clickstream: 1\nsteps: [ launch, show: Home ]") == [
                "test.yaml:2:24: error: 'show' in a script without the block 'ui'; add 'ui:' with the pages of the app"
            ]
        )
    }
}
