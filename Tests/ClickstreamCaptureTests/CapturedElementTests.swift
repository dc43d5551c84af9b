import ClickstreamCapture
import Testing

@Suite("CapturedElement")
struct CapturedElementTests {
    /// The description of the last of nested elements.
    private func describe(
        _ chain: Capture.Element...,
        isPageMasked: Bool = false,
        rules: ClassRules = ClassRules(),
        strings: [(String, String)] = []
    ) -> CapturedElement? {
        var lookup = ReverseLookup()
        for (key, text) in strings { lookup.resolve(key: key, to: text) }
        let path = Capture.ElementPath(page: nil, links: chain.map { Capture.ElementPath.Link($0, ordinal: 0) })
        return CapturedElement(path, isPageMasked: isPageMasked, rules: rules, strings: lookup)
    }

    private func button(
        _ content: Capture.Element.Content = .text("Buy"),
        key: String? = nil,
        isSecure: Bool = false,
        masking: Capture.Masking = .none
    ) -> Capture.Element {
        Capture.Element(
            className: "UIButton",
            type: .button,
            content: content,
            localizedKey: key,
            accessibilityID: "buy_button",
            isSecure: isSecure,
            masking: masking,
            data: AutoTrackableEventData(elementName: "buy")
        )
    }

    private func expected(_ value: String?, length: Int? = nil, key: String? = nil) -> CapturedElement {
        CapturedElement(
            className: "UIButton",
            type: .button,
            name: "buy",
            value: value,
            inputLength: length,
            localizedKey: key,
            accessibilityID: "buy_button"
        )
    }

    @Test("has class, type, name, value and accessibility identifier")
    func text() {
        #expect(describe(button()) == expected("Buy"))
        #expect(describe(button(.none)) == expected(nil))
        #expect(describe(button(.text(""))) == expected(nil))
        #expect(describe() == nil)
    }

    @Test("has the length of entered text, never the text")
    func input() {
        #expect(describe(button(.input(length: 7))) == expected(nil, length: 7))
    }

    @Test("has neither value nor length if it is secure")
    func secure() {
        #expect(describe(button(key: "k", isSecure: true)) == expected(nil))
        #expect(describe(button(.input(length: 7), isSecure: true)) == expected(nil))
        #expect(describe(button(isSecure: true, masking: .subtree)) == expected(nil))
    }

    @Test("is masked by class, instance, subtree or page, without key and length")
    func masked() {
        let group = Capture.Element(className: "UIView", masking: .subtree)
        let other = Capture.Element(className: "UIView", masking: .instance)
        let strings = [("shop.buy", "Buy")]
        let rules = ClassRules(masked: ["UIButton"])
        #expect(describe(button(masking: .instance), strings: strings) == expected("*"))
        #expect(describe(button(key: "k", masking: .subtree)) == expected("*"))
        #expect(describe(group, button(), strings: strings) == expected("*"))
        #expect(describe(group, other, button()) == expected("*"))
        #expect(describe(other, button()) == expected("Buy"))
        #expect(describe(button(), rules: rules) == expected("*"))
        #expect(describe(button(), isPageMasked: true) == expected("*"))
        #expect(describe(button(.input(length: 7), masking: .instance)) == expected("*"))
        #expect(describe(button(.none, masking: .instance)) == expected(nil))
        #expect(describe(button(.text(""), masking: .instance)) == expected(nil))
    }

    @Test("has the key of a localized text: its own, else the one that was resolved last")
    func localized() {
        let strings = [("universal.save", "Speichern"), ("yes", "Ja"), ("alert.yes", "Ja")]
        #expect(
            describe(button(.text("Speichern")), strings: strings) == expected("Speichern", key: "universal.save")
        )
        #expect(describe(button(.text("Ja")), strings: strings) == expected("Ja", key: "alert.yes"))
        #expect(describe(button(.text("Ja"), key: "own"), strings: strings) == expected("Ja", key: "own"))
        #expect(describe(button(.text("Nein")), strings: strings) == expected("Nein"))
    }

    @Test("has the first text in a cell as its value")
    func cell() {
        func label(
            _ text: String,
            isSecure: Bool = false,
            masking: Capture.Masking = .none,
            _ children: [Capture.Element] = []
        ) -> Capture.Element {
            Capture.Element(
                className: "UILabel",
                content: text.isEmpty ? .none : .text(text),
                isSecure: isSecure,
                masking: masking,
                children: children
            )
        }
        func value(
            _ children: [Capture.Element],
            type: Capture.ElementType = .tableViewCell,
            masking: Capture.Masking = .none,
            rules: ClassRules = ClassRules()
        ) -> String? {
            describe(
                Capture.Element(className: "Cell", type: type, masking: masking, children: children),
                rules: rules
            )?.value
        }
        let labels = [label("", [label("first")]), label("second")]
        #expect(value(labels) == "first")
        #expect(value(labels, type: .collectionViewCell) == "first")
        #expect(value(labels, type: .button) == nil)
        #expect(value([label("secret", isSecure: true, [label("inner")]), label("second")]) == "second")
        #expect(value([label("", masking: .subtree, [label("first")])]) == "*")
        #expect(value([label("", masking: .instance, [label("first")])]) == "first")
        #expect(value([label("first", masking: .instance)]) == "*")
        #expect(value(labels, masking: .instance) == "*")
        #expect(value(labels, rules: ClassRules(masked: ["UILabel"])) == "*")
        #expect(value([]) == nil)
    }
}

@Suite("GestureParameters")
struct GestureParametersTests {
    @Test(
        "are truncated to integers",
        arguments: [
            (.tap(at: Capture.Point(x: 185.9, y: 376.2), fingers: 1), .tap(x: 185, y: 376, fingers: 1)),
            (.longPress(at: Capture.Point(x: -1.5, y: 0.9), fingers: 2), .longPress(x: -1, y: 0, fingers: 2)),
            (.scale(from: 100, to: 150.75), .scale(start: 100, end: 150, change: 50)),
            (.scale(from: 99.5, to: 20.25), .scale(start: 99, end: 20, change: -79)),
            (.scale(from: 99.5, to: 150.25), .scale(start: 99, end: 150, change: 50)),
            (.rotate(from: 0, to: -90.5), .rotate(start: 0, end: -90, change: -90)),
            (
                .move(from: Capture.Point(x: 10.5, y: 20), to: Capture.Point(x: 5.25, y: 50.75)),
                .move(.init(startX: 10, startY: 20, endX: 5, endY: 50, distanceX: 5, distanceY: 30))
            ),
            (.scale(from: .nan, to: .infinity), .scale(start: 0, end: .max, change: 0)),
        ] as [(RecognizedGesture, GestureParameters)]
    )
    func truncated(gesture: RecognizedGesture, parameters: GestureParameters) {
        #expect(GestureParameters(gesture) == parameters)
    }
}
