import ClickstreamCapture
import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("CaptureSession")
struct CaptureSessionTests {
    private let home = Capture.Page(
        id: InstanceID(1),
        className: "HomeViewController",
        data: AutoTrackableEventData(elementName: "Home", trackingGroup: "page group", trackingSection: "page section")
    )
    private let cart = Capture.Page(id: InstanceID(2), className: "CartViewController")

    private func session(
        _ types: [AutoEventType] = AutoEventType.all,
        rules: ClassRules = ClassRules()
    ) -> CaptureSession {
        var session = CaptureSession(rules: rules, ids: SeededIDs(seed: 1))
        session.enable(types)
        return session
    }

    private func path(_ elements: Capture.Element..., page: InstanceID? = InstanceID(1)) -> Capture.ElementPath {
        Capture.ElementPath(page: page, links: elements.map { Capture.ElementPath.Link($0, ordinal: 0) })
    }

    private func button(_ opt: OptBehavior? = nil, type: Capture.ElementType? = .button) -> Capture.Element {
        Capture.Element(className: "UIButton", type: type, optBehavior: opt)
    }

    private func position(_ y: Double) -> Capture.ScrollPosition {
        Capture.ScrollPosition(
            horizontal: .init(offset: 0, visible: 300, content: 300),
            vertical: .init(offset: y, visible: 400, content: 1_500)
        )
    }

    private let layout = VisibleItems(
        viewport: Capture.Frame(x: 0, y: 0, width: 100, height: 100),
        items: [.init(index: 0, frame: Capture.Frame(x: 0, y: 0, width: 10, height: 10))]
    )
    private let list = Capture.Element(id: InstanceID(10), className: "UITableView", type: .tableViewCell)
    private let view = Capture.Element(id: InstanceID(11), className: "UIScrollView")

    // MARK: Opt-in and opt-out

    @Test("creates events of enabled types only, also those enabled later", arguments: Capture.ElementType.allCases)
    func types(type: Capture.ElementType) {
        var session = session([])
        #expect(session.click(path(button(type: type)), at: .at(0)) == [])
        session.enable(AutoEventType.all.filter { $0 != type.click })
        #expect(session.click(path(button(type: type)), at: .at(0)) == [])
        session.enable(AutoEventType.all)
        let isClickable = type != .scrollView && type != .controller
        #expect(session.click(path(button(type: type)), at: .at(0)).count == (isClickable ? 1 : 0))
    }

    @Test("creates no event for a click on an element without a type")
    func untyped() {
        var session = session()
        #expect(session.click(path(button(type: nil)), at: .at(0)) == [])
        #expect(session.click(path(), at: .at(0)) == [])
    }

    @Test(
        "applies the instance's setting, else that of its class, else opts in",
        arguments: [
            (nil, nil, true), (nil, .autoOptIn, true), (nil, .autoOptOut, false), (.autoOptIn, .autoOptOut, true),
            (.autoOptOut, nil, false), (.autoOptOut, .autoOptIn, false),
        ] as [(OptBehavior?, OptBehavior?, Bool)]
    )
    func opt(own: OptBehavior?, ofClass: OptBehavior?, tracks: Bool) {
        var session = session(rules: ClassRules(optBehavior: ofClass.map { ["UIButton": $0, "Page": $0] } ?? [:]))
        #expect(session.click(path(button(own)), at: .at(0)).isEmpty == !tracks)
        let page = Capture.Page(id: InstanceID(5), className: "Page", optBehavior: own)
        #expect(session.load(page, at: .at(0)).isEmpty == !tracks)
        // The setting of an ancestor does not count.
        #expect(
            session.click(path(button(own), Capture.Element(className: "Inner", type: .button)), at: .at(0)).count == 1
        )
    }

    @Test("keeps an opted-out page as a source and on the path")
    func optedOutPage() {
        var session = session(rules: ClassRules(optBehavior: ["HomeViewController": .autoOptOut]))
        #expect(session.appear(home, at: .at(0)) == [])
        let events = session.appear(cart, at: .at(1))
        #expect(events.map(\.context.sources).last?.map(\.name) == ["Home"])
        #expect(events.map(\.context.path).last?.map(\.key) == ["Home", "CartViewController"])
    }

    // MARK: Data of events

    @Test("finds group and section at the element, its nearest ancestor or its page")
    func groups() {
        var session = session()
        _ = session.appear(home, at: .at(0))
        func element(_ group: String?, _ section: String?) -> Capture.Element {
            Capture.Element(
                className: "V",
                type: .button,
                data: AutoTrackableEventData(trackingGroup: group, trackingSection: section)
            )
        }
        func click(_ elements: [Capture.Element]) -> [String?] {
            let path = Capture.ElementPath(
                page: home.id,
                links: elements.map { Capture.ElementPath.Link($0, ordinal: 0) }
            )
            return session.click(path, at: .at(0)).flatMap { [$0.group, $0.section] }
        }
        #expect(click([element("a", "b"), element("c", nil), element(nil, "d")]) == ["c", "d"])
        #expect(click([element("a", nil), element(nil, nil)]) == ["a", "page section"])
        #expect(click([element(nil, nil)]) == ["page group", "page section"])
    }

    @Test("describes the page of an element, and no page for pages")
    func parents() {
        var session = session()
        let events =
            session.appear(home, at: .at(0)) + session.click(path(button()), at: .at(1))
            + session.click(path(button(), page: nil), at: .at(2))
        #expect(
            events.map(\.parent) == [nil, nil, PageReference(className: "HomeViewController", name: "Home"), nil]
        )
        #expect(events.map(\.element?.type) == [.controller, .controller, .button, .button])
    }

    // MARK: Touches

    @Test("records gestures with the element under the down point, and counts those without a class")
    func touches() {
        var session = session()
        _ = session.appear(home, at: .at(0))
        func touch(_ phase: Capture.Touch.Phase, _ x: Double, _ time: Int64) -> [CapturedEvent] {
            guard let gesture = session.receive(Capture.Touch(phase, at: Capture.Point(x: x, y: 0)), at: .at(time))
            else { return [] }
            return session.record(
                gesture,
                on: path(Capture.Element(className: "UIView", responds: true)),
                at: .at(time)
            )
        }
        #expect(touch(.down, 7, 0) == [])
        #expect(touch(.move, 60, 10) == [])
        let events = touch(.up, 107, 100)
        #expect(events.map(\.time) == [.at(100)])
        #expect(
            events.map(\.content) == [
                .touch(
                    TouchGesture(
                        kind: .flick,
                        start: Capture.Point(x: 7, y: 0),
                        distance: 100,
                        velocity: 1_000,
                        direction: .right,
                        duration: 100
                    ),
                    Target(path: "[root]>UIView:eq(0)", id: "", isResponsive: true)
                )
            ]
        )
        #expect(touch(.down, 0, 200) + touch(.up, 30, 300) == [])
        #expect(session.unclassified == 1)
        #expect(touch(.down, 0, 400) + session.background(at: .at(450)) + touch(.up, 0, 500) == [])
    }

    // MARK: Scrolls

    @Test("ends scrolls with the next input after 200 ms, at the time of their end")
    func idle() {
        var session = session()
        _ = session.appear(home, at: .at(0))
        _ = session.scroll(path(view), to: position(0), at: .at(0))
        #expect(session.deadline == .max)
        _ = session.scroll(path(view), to: position(50), at: .at(10))
        #expect(session.deadline == 210)
        #expect(session.advance(to: .at(209)) == [])
        let events = session.click(path(button()), at: .at(210))
        #expect(events.map(\.element?.type) == [.scrollView, .button])
        #expect(events.map(\.time) == [.at(210), .at(210)])
        #expect(session.deadline == .max)
    }

    @Test("ends scrolls of a page that disappears, at once")
    func disappearing() {
        var session = session()
        _ = session.appear(home, at: .at(0))
        _ = session.scroll(path(view), to: position(0), at: .at(0))
        _ = session.scroll(path(view), to: position(50), at: .at(10))
        #expect(session.disappear(cart.id, at: .at(20)) == [])
        let events = session.disappear(home.id, at: .at(30))
        #expect(events.map(\.time) == [.at(30)])
        #expect(events.first?.context.sources == [])
        #expect(session.advance(to: .at(9_000)) == [])
    }

    // MARK: Impressions

    @Test("creates an impressions event when the page disappears, with the page among its sources")
    func impressions() {
        var session = session()
        let data = ItemsData(event: ["sid": "s"], items: [0: ["id": "item 0"]])
        _ = session.appear(home, at: .at(0))
        #expect(session.itemsWithoutData(layout, in: path(list)).contains(0))
        #expect(session.show(layout, in: path(list), data: data, at: .at(100)) == [])
        #expect(!session.itemsWithoutData(layout, in: path(list)).contains(0))
        let events = session.disappear(home.id, at: .at(3_101))
        let seen = ItemImpression(
            index: 0,
            start: Timestamp(milliseconds: 1_000_100),
            viewTime: 3,
            data: ["id": "item 0"]
        )
        #expect(events.map(\.content) == [.impressions([seen], data: ["sid": "s"])])
        #expect(events.first?.context.sources == [PageReference(className: "HomeViewController", name: "Home")])
        #expect(events.first?.parent == PageReference(className: "HomeViewController", name: "Home"))
        #expect(session.disappear(home.id, at: .at(9_000)) == [])
    }

    @Test("creates an impressions event in the background, and starts new periods in the foreground")
    func background() {
        var session = session()
        _ = session.appear(home, at: .at(0))
        _ = session.show(layout, in: path(list), at: .at(0))
        let events = session.background(at: .at(4_000))
        #expect(events.map(\.isInBackground) == [false])
        #expect(session.show(layout, in: path(list), at: .at(4_500)) == [])
        #expect(session.background(at: .at(9_000)) == [])
        #expect(session.foreground(at: .at(10_000)) == [])
        #expect(session.background(at: .at(13_000)) == [])
        #expect(session.foreground(at: .at(20_000)) == [])
        #expect(session.background(at: .at(23_001)).count == 1)
    }

    @Test("counts items on visible pages only, from their appearance")
    func invisible() {
        var session = session()
        _ = session.load(home, at: .at(0))
        _ = session.show(layout, in: path(list), at: .at(0))
        _ = session.appear(home, at: .at(5_000))
        #expect(session.disappear(home.id, at: .at(8_000)) == [])
        _ = session.appear(home, at: .at(10_000))
        #expect(session.disappear(home.id, at: .at(13_001)).count == 1)
    }

    @Test("ends scroll and impressions of an element that is removed, whose identifier is free then")
    func removed() {
        var session = session()
        _ = session.appear(home, at: .at(0))
        _ = session.show(layout, in: path(list), at: .at(0))
        _ = session.scroll(path(view), to: position(0), at: .at(0))
        _ = session.scroll(path(view), to: position(50), at: .at(4_000))
        let events = session.remove(list.id, at: .at(4_000)) + session.remove(view.id, at: .at(4_001))
        #expect(events.map(\.time) == [.at(4_000), .at(4_001)])
        #expect(events.map(\.element?.type) == [.tableViewCell, .scrollView])
        // Another scroll view at rest.
        #expect(session.scroll(path(view), to: position(500), at: .at(5_000)) == [])
        #expect(session.disappear(home.id, at: .at(9_000)) == [])
    }

    // MARK: A whole session

    @Test("records a visit: page, click, scroll, page, gesture, impressions")
    func visit() {
        var session = session()
        let detail = Capture.Page(
            id: InstanceID(7),
            className: "PADetailViewController",
            data: AutoTrackableEventData(elementName: "Detail")
        )
        let save = Capture.Element(className: "UIButton", type: .button, content: .text("Speichern"))
        session.resolve(key: "universal.save", to: "Speichern")
        var events = session.load(home, at: .at(0)) + session.appear(home, at: .at(10))
        events += session.click(path(save), at: .at(1_000))
        events += session.scroll(path(view), to: position(0), at: .at(1_500))
        events += session.scroll(path(view), to: position(10), at: .at(2_013))
        events += session.scroll(path(view), to: position(36), at: .at(2_100))
        events += session.load(detail, at: .at(3_000)) + session.disappear(home.id, at: .at(3_000))
        events += session.appear(detail, at: .at(3_000))
        events += session.show(layout, in: path(list, page: detail.id), at: .at(3_100))
        let tap = RecognizedGesture.tap(at: Capture.Point(x: 185, y: 376), fingers: 1)
        events += session.gesture(tap, on: path(Capture.Element(className: "UIView"), page: detail.id), at: .at(4_000))
        events += session.disappear(detail.id, at: .at(9_000)) + session.appear(home, at: .at(9_000))
        let contents: [CapturedEvent.Content] = [
            .pageLoad, .pageView(sequence: 1), .click,
            .scroll(
                Scroll(distance: 36, speed: 413, direction: .up, depth: 29, start: 0, end: 36, duration: 87)
            ), .pageLoad, .pageView(sequence: 1), .gesture(.tap(x: 185, y: 376, fingers: 1)),
            .impressions(
                [ItemImpression(index: 0, start: Timestamp(milliseconds: 1_003_100), viewTime: 6)],
                data: [:]
            ), .pageView(sequence: 2),
        ]
        #expect(events.map(\.content) == contents)
        #expect(events.map(\.time.steady) == [0, 10, 1_000, 2_300, 3_000, 3_000, 4_000, 9_000, 9_000])
        #expect(
            events.map { $0.context.sources.map(\.className) } == [
                [], [], [], [], ["HomeViewController"], ["HomeViewController"], ["HomeViewController"],
                ["HomeViewController", "PADetailViewController"], ["HomeViewController", "PADetailViewController"],
            ]
        )
        #expect(
            events.map { $0.context.path.map(\.key) } == [
                [], ["Home"], ["Home"], ["Home"], ["Home"], ["Home", "Detail"], ["Home", "Detail"], ["Home", "Detail"],
                ["Home"],
            ]
        )
        #expect(
            events[2].element
                == CapturedElement(
                    className: "UIButton",
                    type: .button,
                    value: "Speichern",
                    localizedKey: "universal.save"
                )
        )
    }

    @Test("creates no impressions event for elements without items or without their type")
    func others() {
        for type in [nil, .button, .collectionViewCell] as [Capture.ElementType?] {
            var session = session(AutoEventType.all.filter { $0 != .collectionViewImpression })
            _ = session.appear(home, at: .at(0))
            let element = Capture.Element(id: InstanceID(10), className: "UITableView", type: type)
            _ = session.show(layout, in: path(element), at: .at(0))
            #expect(session.disappear(home.id, at: .at(9_000)) == [])
        }
    }
}
