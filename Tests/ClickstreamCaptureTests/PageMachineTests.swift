import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("PageMachine")
struct PageMachineTests {
    private func page(_ id: UInt64, _ className: String, name: String? = nil) -> Capture.Page {
        Capture.Page(id: InstanceID(id), className: className, data: AutoTrackableEventData(elementName: name))
    }

    /// Machine whose page instances are numbered from 1.
    private struct Numbered {
        var machine = PageMachine()
        private var last: UInt64 = 0

        mutating func load(_ page: Capture.Page) -> [PageMachine.Action] {
            machine.load(page) {
                last += 1
                return UniqueID(high: 0, low: last)
            }
        }

        mutating func appear(_ page: Capture.Page) -> [PageMachine.Action] {
            machine.appear(page) {
                last += 1
                return UniqueID(high: 0, low: last)
            }
        }
    }

    private func context(_ sources: [String], _ path: [(String, UInt64)]) -> PageContext {
        PageContext(
            sources: sources.map { PageReference(className: $0) },
            path: path.map { .init(key: $0.0, id: UniqueID(high: 0, low: $0.1)) }
        )
    }

    @Test("loads each instance once, before it is on the path, and counts its appearances")
    func instance() {
        var pages = Numbered()
        let (a, b) = (page(1, "A"), page(2, "B"))
        #expect(pages.load(a) == [.load(context([], []))])
        #expect(pages.load(a) == [])
        #expect(pages.appear(a) == [.view(sequence: 1, context([], [("A", 1)]))])
        #expect(pages.load(b) == [.load(context(["A"], [("A", 1)]))])
        #expect(pages.appear(b) == [.view(sequence: 1, context(["A"], [("A", 1), ("B", 2)]))])
        #expect(pages.appear(a) == [.view(sequence: 2, context(["A", "B"], [("A", 1)]))])
        #expect(pages.appear(b) == [.view(sequence: 2, context(["A", "B", "A"], [("A", 1), ("B", 2)]))])
    }

    @Test("loads a page that appears without being loaded")
    func unloaded() {
        var pages = Numbered()
        #expect(
            pages.appear(page(1, "A")) == [.load(context([], [])), .view(sequence: 1, context([], [("A", 1)]))]
        )
    }

    @Test(
        "keeps the last three pages before the event's own, oldest first",
        arguments: [
            (0, []), (1, ["P0"]), (2, ["P0", "P1"]), (3, ["P0", "P1", "P2"]), (4, ["P1", "P2", "P3"]),
            (9, ["P6", "P7", "P8"]),
        ] as [(UInt64, [String])]
    )
    func sources(before: UInt64, expected: [String]) {
        var pages = Numbered()
        for number in 0..<before { _ = pages.appear(page(number, "P\(number)")) }
        _ = pages.appear(page(before, "P\(before)"))
        let (context, closing) = (
            pages.machine.context(of: InstanceID(before)), pages.machine.closingContext(of: InstanceID(before))
        )
        #expect(context.sources.map(\.className) == expected)
        #expect(closing.sources.map(\.className) == (expected + ["P\(before)"]).suffix(3))
        #expect(closing.path == context.path)
    }

    @Test("is no source of itself when it appears twice in a row")
    func repeated() {
        var pages = Numbered()
        _ = pages.appear(page(1, "A"))
        _ = pages.appear(page(2, "B"))
        #expect(pages.appear(page(2, "B")) == [.view(sequence: 2, context(["A"], [("A", 1), ("B", 2)]))])
        #expect(pages.load(page(3, "C")) == [.load(context(["A", "B"], [("A", 1), ("B", 2)]))])
    }

    @Test("ignores containers")
    func containers() {
        var pages = Numbered()
        let container = Capture.Page(id: InstanceID(9), className: "UINavigationController", isContainer: true)
        #expect(pages.load(container) == [])
        #expect(pages.appear(container) == [])
        #expect(pages.appear(page(1, "A")).last == .view(sequence: 1, context([], [("A", 1)])))
    }

    @Test("has an entry for each instance on the path, by custom id or class")
    func path() {
        var pages = Numbered()
        _ = pages.appear(page(1, "List"))
        _ = pages.appear(page(2, "Detail", name: "settings"))
        _ = pages.appear(page(3, "Detail"))
        _ = pages.appear(page(4, "Detail"))
        #expect(
            pages.machine.context(of: InstanceID(4)).path
                == context([], [("List", 1), ("settings", 2), ("Detail", 3), ("Detail", 4)]).path
        )
        // Returning pops the pages above.
        _ = pages.appear(page(2, "Detail", name: "settings"))
        #expect(pages.machine.context(of: InstanceID(2)).path.map(\.key) == ["List", "settings"])
        // An event of a page that disappears late keeps its path.
        #expect(pages.machine.context(of: InstanceID(4)).path.map(\.key) == ["List", "settings", "Detail", "Detail"])
    }

    @Test("is another instance after it was unloaded")
    func reused() {
        var pages = Numbered()
        _ = pages.appear(page(1, "A"))
        _ = pages.appear(page(2, "B"))
        pages.machine.unload(InstanceID(2))
        #expect(pages.machine.facts(InstanceID(2)) == nil)
        #expect(
            pages.appear(page(2, "B")) == [
                .load(context(["A", "B"], [("A", 1)])), .view(sequence: 1, context(["A", "B"], [("A", 1), ("B", 3)])),
            ]
        )
    }

    @Test("is visible between appearance and disappearance")
    func visibility() {
        var pages = Numbered()
        _ = pages.load(page(1, "A"))
        #expect(!pages.machine.isVisible(InstanceID(1)))
        _ = pages.appear(page(1, "A"))
        #expect(pages.machine.isVisible(InstanceID(1)))
        pages.machine.disappear(InstanceID(1))
        #expect(!pages.machine.isVisible(InstanceID(1)))
        #expect(pages.machine.isVisible(nil))
    }

    @Test("has the context of the current page for events without a page")
    func none() {
        var pages = Numbered()
        _ = pages.appear(page(1, "A"))
        #expect(pages.machine.context(of: nil) == context(["A"], [("A", 1)]))
        #expect(pages.machine.context(of: InstanceID(7)) == context(["A"], [("A", 1)]))
    }
}
