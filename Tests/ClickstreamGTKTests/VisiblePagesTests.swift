import ClickstreamCapture
import Testing

@testable import ClickstreamGTK

@Suite("Visible pages")
struct VisiblePagesTests {
    private let window = InstanceID(1)
    private let stack = InstanceID(2)
    private let list = InstanceID(3)
    private let detail = InstanceID(4)
    private let dialog = InstanceID(5)
    private let top = VisiblePages.Location(outer: nil, stack: nil)
    private var inner: VisiblePages.Location { VisiblePages.Location(outer: window, stack: stack) }

    @Test("appear from the outermost to the innermost")
    func depth() {
        var pages = VisiblePages()
        let tab = VisiblePages.Location(outer: list, stack: InstanceID(9))
        #expect(pages.map(InstanceID(8), tab) == [])
        #expect(pages.map(list, inner) == [])
        #expect(pages.map(window, top) == [.appear(window), .appear(list), .appear(InstanceID(8))])
        #expect(pages.map(list, inner) == [])
    }

    @Test("disappear before the next page of the same stack appears, with those inside")
    func stacks() {
        var pages = VisiblePages()
        _ = pages.map(window, top)
        _ = pages.map(list, inner)
        _ = pages.map(InstanceID(8), VisiblePages.Location(outer: list, stack: InstanceID(9)))
        #expect(pages.map(detail, inner) == [.disappear(InstanceID(8)), .disappear(list), .appear(detail)])
        #expect(pages.unmap(list) == [])
        #expect(pages.unmap(detail) == [.disappear(detail)])
    }

    @Test("appear again when the window above closes")
    func windows() {
        var pages = VisiblePages()
        _ = pages.map(window, top)
        _ = pages.map(list, inner)
        _ = pages.map(dialog, top)
        #expect(pages.unmap(dialog) == [.disappear(dialog), .appear(list)])
        _ = pages.map(dialog, top)
        // The last page is that of the dialog, which remains.
        #expect(pages.unmap(window) == [.disappear(list), .disappear(window)])
        #expect(pages.unmap(dialog) == [.disappear(dialog)])
    }

    @Test(
        "have titles without mnemonics",
        arguments: [("Page _1", "Page 1"), ("snake__case", "snake_case"), ("_A_b_", "Ab"), ("___x", "_x"), ("", "")]
    )
    func mnemonics(title: String, text: String) {
        #expect(title.withoutMnemonics == text)
    }

    @Test("do not appear if they are hidden before the window is on the screen")
    func hidden() {
        var pages = VisiblePages()
        _ = pages.map(list, inner)
        #expect(pages.unmap(list) == [])
        #expect(pages.map(window, top) == [.appear(window)])
        #expect(!pages.isVisible(list))
    }
}
