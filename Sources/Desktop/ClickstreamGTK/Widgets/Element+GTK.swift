#if GTK
import CGtk4
import ClickstreamCapture

extension Capture.Element {
    /// - Parameters:
    ///   - widget: the widget of the event.
    ///   - text: the text of the event, if it is not that of the widget.
    @MainActor
    init(_ widget: Widget, text: String? = nil) {
        let widgetClass = widget.widgetClass
        let kind = widgetClass.kind
        let settings = widget.settings
        self.init(
            id: widget.id,
            className: widgetClass.name,
            type: widget.elementType,
            accessibilityID: widget.name,
            restorationID: widget.builderID,
            tag: widget.tag,
            responds: widget.handlesPress,
            isSecure: widget.isSecure || widget.isTextInput,
            masking: settings?.masking ?? .none,
            optBehavior: settings?.optBehavior ?? TypeSettings.optBehavior(of: clickstream_type(widget.object))
        )
        if let text {
            setText(text)
        } else if kind == .entry || kind == .passwordEntry || kind == .text {
            if !isSecure { content = .input(length: widget.inputLength) }
        } else if kind == .cell {
            // The value of a cell is the first text in it.
            children = Label(in: widget).map { [Capture.Element(label: $0)] } ?? []
        } else if let text = widget.title {
            setText(text)
        }
        if let source = settings?.source { apply(source, for: GTKWidget(widget.object)) }
    }

    /// Sets the text, and the message id that it is a translation of.
    private mutating func setText(_ text: String) {
        content = .text(text)
        localizedKey = TranslatedTexts.key(of: text)
    }

    /// Ancestor of the widget of an event, without its content.
    @MainActor
    init(ancestor widget: Widget, settings: ObjectSettings?, isInTarget: Bool) {
        self.init(
            id: widget.id,
            className: widget.widgetClass.name,
            restorationID: isInTarget ? widget.builderID : nil,
            tag: isInTarget ? widget.tag : nil,
            responds: isInTarget && widget.handlesPress,
            masking: settings?.masking ?? .none
        )
        if let source = settings?.source { apply(source, for: GTKWidget(widget.object)) }
    }

    /// First text in a cell.
    @MainActor
    private init(label: Label) {
        self.init(
            className: label.widget.widgetClass.name,
            content: .text(label.text),
            localizedKey: TranslatedTexts.key(of: label.text),
            masking: label.isMasked ? .subtree : label.widget.settings?.masking ?? .none
        )
    }
}

/// First text that is displayed in a widget.
@MainActor
struct Label {
    var widget: Widget
    var text: String
    /// True if a widget between the label and the outer one masks its subtree.
    var isMasked: Bool

    init?(in outer: Widget, isMasked: Bool = false) {
        for child in outer.children where child.isDisplayed && child.kind != .popover && !child.isSecure {
            let isMasked = isMasked || child.settings?.masking == .subtree
            if child.kind == .label {
                guard let text = child.displayedText, !text.isEmpty else { continue }
                self.widget = child
                self.text = text
                self.isMasked = isMasked
                return
            }
            guard let inner = Label(in: child, isMasked: isMasked) else { continue }
            self = inner
            return
        }
        return nil
    }
}

@MainActor
extension Widget {
    /// The type of the element, from the kind of the widget and the bars around it.
    var elementType: Capture.ElementType? {
        var kind = kind
        if kind == .cell, let list = parent { kind = list.kind }
        var isInBar = false
        var isInSegments = false
        if kind == .button || kind == .buttonComposite || kind == .dropDown || kind == .comboBox {
            // Only bars of the same window or popover count.
            for ancestor in sequence(first: self, next: \.parent).prefix(while: { !$0.isNative }) {
                if ancestor.kind == .bar { isInBar = true }
                if ancestor.kind == .segments { isInSegments = true }
            }
        }
        return kind.elementType(isInBar: isInBar, isInSegments: isInSegments)
    }

    /// True for windows and popovers.
    var isNative: Bool { kind == .window || kind == .popover }

    /// True for fields whose content must never be captured: password entries, and fields that hide their text.
    var isSecure: Bool {
        if settings?.isSecure == true { return true }
        return switch kind {
        case .passwordEntry: true
        case .text: gtk_text_get_visibility(textPointer) == 0 || lineage.contains { $0.kind == .passwordEntry }
        case .entry: innerText.map { gtk_text_get_visibility($0.textPointer) == 0 } ?? false
        default: false
        }
    }

    /// True for a part of a popover whose items are entered as text.
    var isTextInput: Bool { lineage.contains { $0.widgetClass.entersText } }

    private var textPointer: UnsafeMutablePointer<GtkText> { object.assumingMemoryBound(to: GtkText.self) }

    /// The field inside an entry.
    private var innerText: Widget? {
        for child in children {
            if child.kind == .text { return child }
            if let inner = child.innerText { return inner }
        }
        return nil
    }

    /// The number of characters of an entry.
    var inputLength: Int {
        guard let field = kind == .text ? self : innerText else { return 0 }
        return Int(gtk_entry_buffer_get_length(gtk_text_get_buffer(field.textPointer)))
    }

    /// True if the widget handles a press itself: a control, a row, or a widget with a recognizer of the application.
    var handlesPress: Bool {
        let widgetClass = widgetClass
        if widgetClass.kind.handlesPress { return isSensitive }
        if hasPressRole { return isSensitive }
        return widgetClass.hasOwnRecognizersOnly && hasPressRecognizer
    }

    /// True if the role for assistive technologies is that of a control.
    private var hasPressRole: Bool {
        switch gtk_accessible_get_accessible_role(opaque) {
        case GTK_ACCESSIBLE_ROLE_BUTTON, GTK_ACCESSIBLE_ROLE_CHECKBOX, GTK_ACCESSIBLE_ROLE_LINK,
            GTK_ACCESSIBLE_ROLE_MENU_ITEM, GTK_ACCESSIBLE_ROLE_RADIO, GTK_ACCESSIBLE_ROLE_SWITCH,
            GTK_ACCESSIBLE_ROLE_TAB:
            true
        default: false
        }
    }

    private var hasPressRecognizer: Bool {
        guard let controllers = gtk_widget_observe_controllers(pointer) else { return false }
        defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
        for index in 0..<g_list_model_get_n_items(controllers) {
            guard let controller = g_list_model_get_item(controllers, index) else { continue }
            defer { g_object_unref(controller) }
            if clickstream_is_a(controller, gtk_gesture_click_get_type()) != 0
                || clickstream_is_a(controller, gtk_gesture_long_press_get_type()) != 0
            {
                return true
            }
        }
        return false
    }

    // MARK: Texts

    /// The title of a control: its text, else its label for assistive technologies, else the name of its icon.
    var title: String? {
        switch kind {
        case .label: displayedText
        case .comboBox: activeText ?? Label(in: self)?.text ?? accessibleLabel ?? iconName
        case .button, .buttonComposite, .checkButton, .menuItem, .dropDown:
            Label(in: self)?.text ?? accessibleLabel ?? iconName
        case .image: accessibleLabel ?? iconName
        case .toggleSwitch, .range, .spinButton: accessibleLabel
        default: nil
        }
    }

    /// The chosen text of a combo box, which draws it without a label. A combo box with an entry has none: the user may
    /// have typed it.
    private var activeText: String? {
        guard clickstream_is_a(object, gtk_combo_box_text_get_type()) != 0,
            gtk_combo_box_get_has_entry(object.assumingMemoryBound(to: GtkComboBox.self)) == 0,
            let text = gtk_combo_box_text_get_active_text(opaque)
        else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The text of a label as it is displayed, without mnemonics and markup.
    var displayedText: String? {
        if clickstream_is_a(object, gtk_label_get_type()) != 0 {
            return gtk_label_get_text(opaque).map { String(cString: $0) }
        }
        if clickstream_is_a(object, gtk_inscription_get_type()) != 0 {
            return gtk_inscription_get_text(opaque).map { String(cString: $0) }
        }
        return nil
    }

    /// The label that the application set for assistive technologies.
    private var accessibleLabel: String? {
        guard let printed = clickstream_accessible_label(object) else { return nil }
        defer { g_free(printed) }
        var text = Substring(String(cString: printed))
        // Printed as a literal.
        if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        return text.isEmpty ? nil : String(text)
    }

    /// The name of the first icon.
    private var iconName: String? {
        if clickstream_is_a(object, gtk_image_get_type()) != 0 {
            return gtk_image_get_icon_name(opaque).map { String(cString: $0) }
        }
        for child in children where child.isDisplayed && child.kind != .popover {
            if let name = child.iconName { return name }
        }
        return nil
    }
}
#endif
