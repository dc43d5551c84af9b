import ClickstreamCapture
import Testing

@testable import ClickstreamGTK

@Suite("Classes of widgets")
struct WidgetClassTests {
    @Test(
        "have the type of element that the documents name for their kind",
        arguments: [
            ("GtkButton", Capture.ElementType.button), ("GtkToggleButton GtkButton", .button), ("GtkSwitch", .toggle),
            ("GtkCheckButton", .toggle), ("GtkScale GtkRange", .slider), ("GtkSpinButton", .stepper),
            ("GtkMenuButton", .button), ("GtkDropDown", .button), ("GtkModelButton", .button),
            ("GtkListView GtkListBase", .tableViewCell), ("GtkColumnView", .tableViewCell),
            ("GtkListBox", .tableViewCell), ("GtkNotebook", .segment), ("GtkGridView GtkListBase", .collectionViewCell),
            ("GtkFlowBox", .collectionViewCell), ("GtkScrolledWindow", .scrollView), ("GtkLabel", nil),
            ("GtkBox", nil), ("ShopButton GtkButton", .button),
        ]
    )
    func types(names: String, type: Capture.ElementType?) {
        let widgetClass = WidgetClass(names.split(separator: " ").map(String.init) + ["GtkWidget", "GObject"])
        #expect(widgetClass.kind.elementType(isInBar: false, isInSegments: false) == type)
    }

    @Test(
        "have another type in a bar and in a switcher of pages",
        arguments: [(true, false, Capture.ElementType.barButton), (false, true, .segment), (true, true, .segment)]
    )
    func bars(isInBar: Bool, isInSegments: Bool, type: Capture.ElementType) {
        #expect(WidgetClass.Kind.button.elementType(isInBar: isInBar, isInSegments: isInSegments) == type)
    }

    @Test(
        "are pages in the outermost stack of a window only",
        arguments: [
            (WidgetClass.Kind.window, [], true), (.other, [.window], false), (.other, [.stack, .window], true),
            (.notebook, [.stack, .other, .window], true), (.other, [.stack, .notebook, .window], true),
            (.other, [.stack, .notebook, .other, .stack, .window], false),
            (.stack, [.stack, .other, .stack, .window], false), (.other, [.other, .stack, .window], false),
            (.other, [.stack, .popover, .button, .window], false),
        ] as [(WidgetClass.Kind, [WidgetClass.Kind], Bool)]
    )
    func pages(kind: WidgetClass.Kind, ancestors: [WidgetClass.Kind], isPage: Bool) {
        #expect(kind.isPage(inside: ancestors) == isPage)
    }

    @Test(
        "have items that are entered as text only if each is an emoji",
        arguments: [
            ("GtkEmojiChooser GtkPopover", true), ("GtkEmojiCompletion GtkPopover", true), ("GtkPopover", false),
            ("GtkFlowBox", false),
        ]
    )
    func textInput(names: String, entersText: Bool) {
        #expect(WidgetClass(names.split(separator: " ").map(String.init) + ["GtkWidget"]).entersText == entersText)
    }

    @Test(
        "have recognizers of the app only if the toolkit adds none",
        arguments: [
            ("GtkDrawingArea GtkWidget", true), ("ShopPicture GtkWidget", true),
            ("ShopButton GtkButton GtkWidget", false),
            ("GtkButton GtkWidget", false), ("GtkListBoxRow GtkWidget", false), ("ShopBox GtkBox GtkWidget", true),
        ]
    )
    func recognizers(names: String, isOfApp: Bool) {
        #expect(WidgetClass(names.split(separator: " ").map(String.init)).hasOwnRecognizersOnly == isOfApp)
    }
}
