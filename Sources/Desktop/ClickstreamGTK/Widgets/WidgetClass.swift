import ClickstreamCapture

/// Class of a widget, as capture distinguishes them. Derived from the names of the type and its ancestors only.
struct WidgetClass: Hashable {
    /// The name of the type, such as `GtkButton`.
    var name: String
    var kind: Kind
    /// True for a type of GTK or libadwaita, false for one of an application.
    var isStock: Bool
    /// True for a popover of the toolkit whose items are entered as text: each emoji is one.
    var entersText: Bool
    /// True if recognizers of widgets of this class are those of the application: the toolkit adds none.
    var hasOwnRecognizersOnly: Bool

    enum Kind: Hashable {
        case window
        case stack
        /// Stack with tabs; the stack itself is inside.
        case notebook
        case scrolledWindow
        case button
        case toggleSwitch
        case checkButton
        case range
        case scrollbar
        case spinButton
        /// Control with a button inside that belongs to it.
        case buttonComposite
        case dropDown
        case comboBox
        case menuItem
        /// Field with text, also one that contains another field.
        case entry
        case passwordEntry
        /// Innermost field of every entry.
        case text
        case textView
        case listView
        /// List inside a column view.
        case columnListView
        case gridView
        case columnView
        case listBox
        case flowBox
        case treeView
        case iconView
        /// Row or child of a list.
        case cell
        case label
        case image
        /// Bar of a window.
        case bar
        case segments
        case popover
        /// Widget whose stacks are part of its implementation.
        case chooser
        case other
    }

    /// - Parameter names: names of the type and its ancestors, beginning with the type itself.
    init(_ names: [String]) {
        name = names.first ?? ""
        kind = names.lazy.compactMap { Self.kinds[$0] }.first ?? .other
        isStock = Self.isStock(name)
        entersText = names.contains("GtkEmojiChooser") || names.contains("GtkEmojiCompletion")
        let stock = names.first { Self.isStock($0) }
        hasOwnRecognizersOnly = stock.map { Self.withoutRecognizers.contains($0) } ?? false
    }

    private static func isStock(_ name: String) -> Bool {
        name.hasPrefix("Gtk") || name.hasPrefix("Adw")
    }

    private static let kinds: [String: Kind] = [
        "GtkWindow": .window, "GtkStack": .stack, "AdwViewStack": .stack, "GtkNotebook": .notebook,
        "GtkScrolledWindow": .scrolledWindow,
        "GtkButton": .button, "GtkSwitch": .toggleSwitch, "GtkCheckButton": .checkButton, "GtkRange": .range,
        "GtkScrollbar": .scrollbar, "GtkSpinButton": .spinButton, "GtkMenuButton": .buttonComposite,
        "GtkColorButton": .buttonComposite, "GtkFontButton": .buttonComposite,
        "GtkAppChooserButton": .buttonComposite, "GtkColorDialogButton": .buttonComposite,
        "GtkFontDialogButton": .buttonComposite, "GtkScaleButton": .buttonComposite,
        "AdwSplitButton": .buttonComposite, "GtkDropDown": .dropDown, "GtkComboBox": .comboBox,
        "GtkModelButton": .menuItem, "GtkEntry": .entry, "GtkSearchEntry": .entry, "GtkEditableLabel": .entry,
        "GtkPasswordEntry": .passwordEntry, "AdwPasswordEntryRow": .passwordEntry, "AdwEntryRow": .entry,
        "GtkText": .text, "GtkTextView": .textView, "GtkListView": .listView, "GtkColumnListView": .columnListView,
        "GtkGridView": .gridView, "GtkColumnView": .columnView, "GtkListBox": .listBox, "GtkFlowBox": .flowBox,
        "GtkTreeView": .treeView, "GtkIconView": .iconView, "GtkListBoxRow": .cell, "GtkFlowBoxChild": .cell,
        "GtkColumnViewCell": .other, "GtkColumnViewCellWidget": .other, "GtkListItemWidget": .cell,
        "GtkListItemBase": .cell, "GtkLabel": .label, "GtkInscription": .label, "GtkImage": .image,
        "GtkPicture": .image, "GtkHeaderBar": .bar, "GtkActionBar": .bar, "AdwHeaderBar": .bar,
        "GtkStackSwitcher": .segments, "AdwViewSwitcher": .segments, "AdwInlineViewSwitcher": .segments,
        "GtkPopover": .popover, "GtkFileChooserWidget": .chooser, "GtkColorChooserWidget": .chooser,
        "GtkFontChooserWidget": .chooser, "GtkAppChooserWidget": .chooser, "GtkPlacesView": .chooser,
        "GtkCalendar": .chooser, "GtkLockButton": .chooser, "GtkInspectorWindow": .chooser,
    ]

    /// Types to which the toolkit adds no recognizers.
    private static let withoutRecognizers: Set<String> = [
        "GtkWidget", "GtkBox", "GtkGrid", "GtkFixed", "GtkOverlay", "GtkDrawingArea", "GtkGLArea", "GtkImage",
        "GtkPicture", "GtkFrame", "GtkAspectFrame", "GtkCenterBox", "GtkStack", "GtkRevealer", "GtkViewport",
        "GtkLabel", "GtkInscription", "GtkProgressBar", "GtkLevelBar", "GtkSpinner", "GtkSeparator", "AdwBin",
        "AdwClamp", "AdwStatusPage",
    ]
}

extension WidgetClass.Kind {
    /// True if the widgets inside are part of the control: it is the element of their events.
    var isControl: Bool {
        switch self {
        case .button, .toggleSwitch, .checkButton, .range, .scrollbar, .spinButton, .buttonComposite, .dropDown,
            .comboBox, .menuItem, .entry, .passwordEntry, .text:
            true
        default:
            false
        }
    }

    /// True if stacks inside are part of the implementation of the widget: their children are not pages.
    var hidesPages: Bool {
        switch self {
        case .popover, .chooser: true
        default: isControl
        }
    }

    /// True for a page: a window, or a child of the outermost stack in it. A stack inside of a page shows parts of the page:
    /// the user has not left it.
    /// - Parameter ancestors: the kinds of the widgets around it, beginning with its parent.
    func isPage(inside ancestors: [WidgetClass.Kind]) -> Bool {
        guard ancestors.allSatisfy({ !$0.hidesPages }) else { return false }
        return self == .window || ancestors.first == .stack && !ancestors.dropFirst().contains(.stack)
    }

    /// True if the widget handles a press while it is sensitive.
    var handlesPress: Bool {
        isControl || self == .cell || self == .textView
    }

    /// True if the widget contains items that are counted while they are visible.
    var isList: Bool {
        switch self {
        case .listView, .columnListView, .gridView, .listBox, .flowBox: true
        default: false
        }
    }

    /// The type of an element of this kind.
    /// - Parameters:
    ///   - isInBar: true inside a bar of a window.
    ///   - isInSegments: true inside a switcher of pages.
    func elementType(isInBar: Bool, isInSegments: Bool) -> Capture.ElementType? {
        switch self {
        case .button where isInSegments: .segment
        case .button, .buttonComposite, .dropDown, .comboBox: isInBar ? .barButton : .button
        case .menuItem, .entry, .passwordEntry, .text: .button
        case .toggleSwitch, .checkButton: .toggle
        case .notebook: .segment
        case .range: .slider
        case .spinButton: .stepper
        case .scrolledWindow: .scrollView
        case .listView, .columnListView, .columnView, .listBox, .treeView: .tableViewCell
        case .gridView, .flowBox, .iconView: .collectionViewCell
        default: nil
        }
    }
}
