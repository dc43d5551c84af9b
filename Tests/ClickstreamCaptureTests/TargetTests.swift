import ClickstreamCapture
import Testing

/// The first three tests are the examples of the document.
@Suite("Target")
struct TargetTests {
    private func view(
        _ className: String = "UIView",
        ai: String? = nil,
        ri: String? = nil,
        tag: Int? = nil,
        name: String? = nil,
        responds: Bool = false,
        frame: Capture.Frame = Capture.Frame(x: 0, y: 0, width: 100, height: 100),
        _ children: [Capture.Element] = []
    ) -> Capture.Element {
        Capture.Element(
            className: className,
            accessibilityID: ai,
            restorationID: ri,
            tag: tag,
            frame: frame,
            responds: responds,
            data: AutoTrackableEventData(elementName: name),
            children: children
        )
    }

    private func view(_ children: [Capture.Element]) -> Capture.Element {
        view("UIView", children)
    }

    private func target(_ views: [Capture.Element], _ indices: [Int]) -> Target? {
        Capture.ElementPath(at: indices, in: views, page: nil).map { Target($0, pageClass: "SalesViewController") }
    }

    @Test("with an accessibility identifier is short, wherever the element is")
    func accessibilityIdentifier() {
        let button = view("UIButton", ai: "on_sale")
        let before = [view(ai: "rootView", [view(ri: "dichotomy", [button, view("UIButton", ai: "new_arrivals")])])]
        let after = [view(ai: "rootView", [view(ri: "dichotomy", [view("UIButton", ai: "new_arrivals", [button])])])]
        #expect(target(before, [0, 0, 0])?.path == "UIButton[ai:SalesViewController.on_sale]")
        #expect(target(after, [0, 0, 0, 0])?.path == "UIButton[ai:SalesViewController.on_sale]")
        #expect(target(after, [0, 0, 0])?.path == "UIButton[ai:SalesViewController.new_arrivals]")
    }

    @Test("with restoration identifiers is a path from the root")
    func restorationIdentifier() {
        let views = [view(ri: "trichotomy", [view(ri: "dichotomy", [view(), view()])])]
        let prefix = "[root]>UIView[ri:SalesViewController.trichotomy]>UIView[ri:SalesViewController.dichotomy]"
        #expect(target(views, [0, 0, 0])?.path == prefix + ">UIView:eq(0)")
        #expect(target(views, [0, 0, 1])?.path == prefix + ">UIView:eq(1)")
    }

    @Test("with tags is a path from the root")
    func tag() {
        let views = [view(tag: 444, [view(tag: 223, [view(), view()])])]
        #expect(target(views, [0, 0, 1])?.path == "[root]>UIView[tg:444]>UIView[tg:223]>UIView:eq(1)")
    }

    @Test("counts siblings of the same class, also those with identifiers")
    func siblings() {
        let views = [view(ri: "a"), view("UILabel"), view(), view("UILabel"), view(tag: 0)]
        #expect(target(views, [2])?.path == "[root]>UIView:eq(1)")
        #expect(target(views, [3])?.path == "[root]>UILabel:eq(1)")
        #expect(target(views, [4])?.path == "[root]>UIView[tg:0]")
    }

    @Test("does not shorten the path at an ancestor with an accessibility identifier")
    func ancestor() {
        #expect(target([view(ai: "a", [view()])], [0, 0])?.path == "[root]>UIView:eq(0)>UIView:eq(0)")
    }

    @Test("has the first identifier as id, empty ones count as absent")
    func ids() {
        let cases: [(Capture.Element, String)] = [
            (view(ai: "a", ri: "r", tag: 1, name: "n"), "a"), (view(ai: "", ri: "r", tag: 1, name: "n"), "r"),
            (view(ri: "", tag: -1, name: "n"), "-1"), (view(name: "n"), "n"), (view(), ""),
        ]
        for (element, id) in cases { #expect(target([element], [0])?.id == id) }
        #expect(target([view(ai: "", ri: "")], [0])?.path == "[root]>UIView:eq(0)")
    }

    @Test("is responsive if the element or an ancestor handles the press")
    func responsive() {
        #expect(target([view([view()])], [0, 0])?.isResponsive == false)
        #expect(target([view([view(responds: true)])], [0, 0])?.isResponsive == true)
        #expect(target([view(responds: true, [view()])], [0, 0])?.isResponsive == true)
        #expect(target([view([view(responds: true)])], [0])?.isResponsive == false)
    }

    @Test("is the root without an element")
    func root() {
        #expect(target([], []) == Target(path: "[root]", id: "", isResponsive: false))
        #expect(target([], [0]) == nil)
    }

    // MARK: Hit test

    @Test(
        "finds the innermost, last-listed element at a point",
        arguments: [
            (0, 0, "A"), (10, 10, "A1"), (49.75, 49.75, "A1"), (50, 50, "A"), (60, 60, "B"), (99.75, 99.75, "B"),
            (100, 100, "B"), (109.75, 109.75, "B"), (110, 110, nil), (-0.25, 0, nil), (200, 0, nil), (150, 65, nil),
        ] as [(Double, Double, String?)]
    )
    func hit(x: Double, y: Double, className: String?) {
        let views = [
            view(
                "A",
                [
                    view("A1", frame: Capture.Frame(x: 10, y: 10, width: 40, height: 40)),
                    // Covered by B, and partly outside of A.
                    view("A2", frame: Capture.Frame(x: 60, y: 60, width: 145, height: 10)),
                    view("Empty", frame: Capture.Frame(x: 0, y: 0, width: 0, height: 100)),
                ]
            ),
            view("B", frame: Capture.Frame(x: 60, y: 60, width: 50, height: 50)),
        ]
        #expect(
            Capture.ElementPath(to: Capture.Point(x: x, y: y), in: views, page: nil).element?.className == className
        )
    }
}
