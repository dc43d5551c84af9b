import ClickstreamCapture
import ClickstreamCore
import Testing

@testable import ClickstreamReplay

@Suite("Interface of a script")
struct ScriptedInterfaceTests {
    private static func page(_ name: String, _ views: [ScriptedView] = []) -> ScriptedPage {
        ScriptedPage(Capture.Page(id: InstanceID(0), className: name), views: views)
    }

    private static func view(
        _ name: String,
        _ frame: Capture.Frame = Capture.Frame(x: 0, y: 0, width: 0, height: 0),
        content: ScriptedView.Content = ScriptedView.Content(),
        items: ScriptedView.Items? = nil,
        _ views: [ScriptedView] = []
    ) -> ScriptedView {
        let data = AutoTrackableEventData(elementName: name)
        let element = Capture.Element(className: "UIView", frame: frame, data: data)
        return ScriptedView(element, content: content, items: items, views: views)
    }

    private static func interface(_ pages: ScriptedPage...) -> ScriptedInterface {
        ScriptedInterface(Dictionary(uniqueKeysWithValues: pages.map { ($0.page.className, $0) }))
    }

    /// The calls as text: pages by class and identity, views by name.
    private static func text(_ calls: [ScriptedInterface.Call]) -> [String] {
        calls.map { call in
            let time = call.delay == 0 ? "" : "\(call.delay) ms "
            switch call.input {
            case .load(let page): return time + "load \(page.className)\(page.id.value)"
            case .appear(let page): return time + "appear \(page.className)\(page.id.value)"
            case .disappear(let id): return time + "disappear \(id.value)"
            case .unload(let id): return time + "unload \(id.value)"
            case .click(let path): return time + "click \(name(path))"
            case .touch(let touch, let path):
                return time + "\(touch.phase) \(touch.point.x),\(touch.point.y) \(name(path))"
            case .gesture(_, let path): return time + "gesture \(name(path))"
            case .scroll(let path, let position):
                return time + "scroll \(name(path)) \(position.horizontal.offset),\(position.vertical.offset)"
            case .items(let layout, let path, _):
                let items = layout.items.map { "\($0.index)" }.joined(separator: ",")
                return time + "items \(name(path)) [\(items)] in \(layout.viewport.y)+\(layout.viewport.height)"
            }
        }
    }

    private static func name(_ path: Capture.ElementPath) -> String {
        path.links.isEmpty ? "-" : path.links.map { $0.element.data.elementName ?? "?" }.joined(separator: "/")
    }

    @Test("pushes new pages, returns to those on the path, and creates popped ones again")
    func navigation() {
        var interface = Self.interface(Self.page("A"), Self.page("B", [Self.view("b")]), Self.page("C"))
        let shown = ["A", "B", "C", "A", "A", "B"].map { Self.text(interface.calls(for: .show(page: $0))) }
        #expect(
            shown == [
                ["load A1", "appear A1"],
                ["load B2", "disappear 1", "appear B2"],
                ["load C4", "disappear 2", "appear C4"],
                ["disappear 4", "appear A1", "unload 4", "unload 2"],
                ["disappear 1", "appear A1"],
                ["load B5", "disappear 1", "appear B5"],
            ]
        )
    }

    @Test("finds views of the current page by name, accessibility identifier and restoration identifier")
    func references() {
        let views = [
            Capture.Element(className: "A", accessibilityID: "x", data: AutoTrackableEventData(elementName: "a")),
            Capture.Element(className: "B", accessibilityID: "a", restorationID: "r"),
            Capture.Element(className: "C", restorationID: "x"),
            Capture.Element(className: "D", restorationID: "d"),
        ]
        let page = Self.page("P", views.map { ScriptedView($0) })
        let indexPaths: [[[Int]]] = ["a", "x", "r", "d", "y"].map { (reference: String) -> [[Int]] in
            page.indexPaths(of: reference)
        }
        let expected: [[[Int]]] = [[[0]], [[0]], [[1]], [[3]], []]
        #expect(indexPaths == expected)
    }

    @Test("delivers touches with the element under the down point")
    func touches() {
        let inner = Self.view("inner", Capture.Frame(x: 0, y: 0, width: 50, height: 50))
        let outer = Self.view("outer", Capture.Frame(x: 0, y: 0, width: 100, height: 100), [inner])
        var interface = Self.interface(Self.page("A", [outer]))
        let point = Step.TouchPoint(Capture.Point(x: 10, y: 10))
        #expect(Self.text(interface.calls(for: .touch([point]))) == ["down 10.0,10.0 -", "up 10.0,10.0 -"])
        _ = interface.calls(for: .show(page: "A"))
        let touch: [Step.TouchPoint] = [
            point, .init(Capture.Point(x: 200, y: 10), after: 80), .init(Capture.Point(x: 60, y: 60), after: 20),
        ]
        #expect(
            Self.text(interface.calls(for: .touch(touch))) == [
                "down 10.0,10.0 outer/inner", "80 ms move 200.0,10.0 outer/inner", "20 ms up 60.0,60.0 outer/inner",
            ]
        )
    }

    @Test("scrolls in sixteen steps whose times are whole milliseconds", arguments: [480, 519, 5, 0, Int64.max])
    func scrolling(duration: Int64) {
        let list = Self.view("list", Capture.Frame(x: 0, y: 0, width: 100, height: 100), content: .init(height: 1_000))
        var interface = Self.interface(Self.page("A", [list]))
        _ = interface.calls(for: .show(page: "A"))
        let calls = interface.calls(for: .scroll(.init(view: "list", to: .offset(32), in: duration)))
        var times: [Int64] = []
        var offsets: [Double] = []
        for call in calls {
            times.append((times.last ?? 0) + call.delay)
            if case .scroll(_, let position) = call.input { offsets.append(position.vertical.offset) }
        }
        let steps: [Int] = Array(0...16)
        let expectedOffsets: [Double] = steps.map { (step: Int) -> Double in Double(2 * step) }
        #expect(offsets == expectedOffsets)
        let expectedTimes: [Int64] = steps.map { (step: Int) -> Int64 in Int64(Int128(duration) * Int128(step) / 16) }
        #expect(times == expectedTimes)
    }

    @Test("moves the items of a list and the views inside of a scroll view")
    func movement() {
        let list = Self.view(
            "list",
            Capture.Frame(x: 0, y: 200, width: 100, height: 100),
            items: .init(size: 40, data: Array(repeating: [:], count: 10))
        )
        let scrollView = Self.view(
            "scroll",
            Capture.Frame(x: 0, y: 0, width: 100, height: 250),
            content: .init(height: 1_000),
            [list]
        )
        var interface = Self.interface(Self.page("A", [scrollView]))
        #expect(Self.text(interface.calls(for: .show(page: "A"))).last == "items scroll/list [0,1] in 200.0+50.0")
        let outer = interface.calls(for: .scroll(.init(view: "scroll", to: .offset(100), in: 0)))
        #expect(Self.text(outer).last == "items scroll/list [0,1,2] in 100.0+100.0")
        let touch = interface.calls(for: .touch([.init(Capture.Point(x: 5, y: 110))]))
        #expect(Self.text(touch).first == "down 5.0,110.0 scroll/list")
        let inner = interface.calls(for: .scroll(.init(view: "list", to: .offset(100), in: 0)))
        #expect(Self.text(inner).last == "items scroll/list [2,3,4] in 100.0+100.0")
        guard case .items(let layout, _, _) = inner.last?.input else {
            Issue.record("no items")
            return
        }
        #expect(layout.items.map(\.frame.y) == [80, 120, 160])
    }

    @Test(
        "selects the axis of a scroll by the extents of the content",
        arguments: [
            (ScriptedView.Content(height: 500), Step.ScrollTo.Target.offset(48), "0.0,48.0"),
            (ScriptedView.Content(width: 500, height: 100), .offset(48), "48.0,0.0"),
            (ScriptedView.Content(width: 500, height: 500), .offset(48), "0.0,48.0"),
            (ScriptedView.Content(), .offset(48), "0.0,48.0"),
            (ScriptedView.Content(), .point(Capture.Point(x: 32, y: 16)), "32.0,16.0"),
        ]
    )
    func axis(content: ScriptedView.Content, target: Step.ScrollTo.Target, expected: String) {
        let view = Self.view("v", Capture.Frame(x: 0, y: 0, width: 100, height: 100), content: content)
        var interface = Self.interface(Self.page("A", [view]))
        _ = interface.calls(for: .show(page: "A"))
        let calls = interface.calls(for: .scroll(.init(view: "v", to: target, in: 0)))
        #expect(Self.text(calls).last == "scroll v \(expected)")
    }

    @Test("derives the extent of a content from its items or nested views")
    func extent() {
        let frame = Capture.Frame(x: 10, y: 10, width: 100, height: 100)
        let nested = Self.view("v", frame, [Self.view("w", Capture.Frame(x: 60, y: 200, width: 70, height: 50))])
        #expect([nested.contentWidth, nested.contentHeight] == [120, 240])
        let row = Self.view("v", frame, items: .init(axis: .horizontal, size: 80, data: [[:], [:]]))
        #expect([row.contentWidth, row.contentHeight] == [160, 100])
        #expect(row.scrollAxis == .horizontal)
    }
}
