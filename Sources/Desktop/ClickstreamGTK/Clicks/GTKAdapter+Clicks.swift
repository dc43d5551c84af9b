#if GTK
import CGtk4
import ClickstreamCapture

extension GTKAdapter {
    /// Menu items and text fields are buttons, and a button may be one in a bar or a segment.
    private static let buttons: [AutoEventType] = [.buttonClick, .barButtonClick, .segmentedControlClick]

    /// The hook of actions. Those of widgets are installed with the first widget of their kind, since the class of a
    /// widget that is not used costs time and memory.
    func hookActions() {
        unhookedKinds = [
            .button, .buttonComposite, .segments, .notebook, .text, .comboBox, .menuItem, .toggleSwitch, .checkButton,
            .range, .spinButton, .listView, .gridView, .columnView, .treeView, .iconView, .listBox, .flowBox,
        ]
        guard isEnabled(Self.buttons) else { return }
        hook(g_simple_action_get_type(), "activate") { $0.activated(action: $1.object()) }
    }

    /// Installs the hooks of the first widget of a kind that is on the screen.
    func hook(kind: WidgetClass.Kind, of widget: Widget) {
        unhookedKinds.remove(kind)
        switch kind {
        case .button: hook(gtk_button_get_type(), "clicked", Self.buttons) { $0.clicked(button: $1) }
        case .segments: hook(gtk_toggle_button_get_type(), "toggled", Self.buttons) { $0.toggled(segment: $1) }
        case .notebook: hookTabs()
        case .text: hook(gtk_text_get_type(), "activate", Self.buttons) { $0.activated(field: $1) }
        case .comboBox: hook(gtk_combo_box_get_type(), "changed", Self.buttons) { $0.changed(comboBox: $1) }
        // The type of menu items is not public.
        case .menuItem: hook(clickstream_type(widget.object), "clicked", Self.buttons) { $0.clicked($1) }
        case .toggleSwitch: hook(gtk_switch_get_type(), "state-set", [.switchControlClick]) { $0.clicked($1) }
        case .checkButton: hook(gtk_check_button_get_type(), "toggled", [.switchControlClick]) { $0.clicked($1) }
        case .range: hook(gtk_range_get_type(), "change-value", [.sliderControlClick]) { $0.changed(range: $1) }
        case .spinButton:
            hook(gtk_spin_button_get_type(), "value-changed", [.stepperControlClick]) { $0.changed(spinButton: $1) }
        default: hook(list: kind)
        }
    }

    private func hook(list kind: WidgetClass.Kind) {
        switch kind {
        case .listView: hook(gtk_list_view_get_type(), rows: "activate")
        case .gridView: hook(gtk_grid_view_get_type(), rows: "activate")
        case .columnView: hook(gtk_column_view_get_type(), rows: "activate")
        case .treeView: hook(gtk_tree_view_get_type(), rows: "row-activated")
        case .iconView: hook(gtk_icon_view_get_type(), rows: "item-activated")
        case .listBox: hook(gtk_list_box_get_type(), rows: "row-activated")
        case .flowBox: hook(gtk_flow_box_get_type(), rows: "child-activated")
        default: break
        }
    }

    private func hook(
        _ type: GType,
        _ signal: String,
        _ types: [AutoEventType],
        _ body: @escaping @MainActor (GTKAdapter, Widget) -> Void
    ) {
        guard isEnabled(types) else { return }
        hook(type, signal) { adapter, values in
            // Without input of the user there is no event.
            guard !adapter.input.isSpent || adapter.pendingValue != nil, let widget = Widget(values.object()) else {
                return
            }
            body(adapter, widget)
        }
    }

    /// Installs the hook of tabs. Its second parameter is the page.
    private func hookTabs() {
        guard isEnabled(Self.buttons) else { return }
        hook(gtk_notebook_get_type(), "switch-page") { adapter, values in
            guard !adapter.input.isSpent, let notebook = Widget(values.object()), let page = Widget(values.object(1))
            else { return }
            adapter.switched(notebook, to: page)
        }
    }

    /// Installs the hook of a list. Its second parameter is the row, or a position.
    private func hook(_ type: GType, rows signal: String) {
        guard isEnabled(Self.buttons + [.tableViewClick, .collectionViewClick]) else { return }
        let hasRow = signal == "row-activated" && type != gtk_tree_view_get_type() || signal == "child-activated"
        hook(type, signal) { adapter, values in
            guard !adapter.input.isSpent, let list = Widget(values.object()) else { return }
            adapter.activated(list: list, row: hasRow ? Widget(values.object(1)) : nil)
        }
    }

    // MARK: Buttons

    private func clicked(button: Widget) {
        let control = button.control
        // Parts of these controls; they report changes themselves.
        switch control.kind {
        case .spinButton, .dropDown, .comboBox, .entry, .passwordEntry: return
        default: clicked(control)
        }
    }

    /// Reports a segment before the page that it opens; the signal of a click comes after it.
    private func toggled(segment: Widget) {
        guard segment.parent?.kind == .segments, input.claimInside(segment.id, at: now) else { return }
        capture.click(Capture.ElementPath(to: segment))
    }

    /// Reports a tab before the page that it opens. After input inside of a page, the program switches.
    private func switched(_ notebook: Widget, to page: Widget) {
        if let stack = page.parent, input.isInside(stack.id, at: now) { return }
        guard input.claimInside(notebook.id, at: now) else { return }
        capture.click(Capture.ElementPath(to: notebook, text: notebook.tabText(of: page)))
    }

    /// Reports a click on a control, if it is one of the user.
    private func clicked(_ widget: Widget, text: String? = nil) {
        guard claim(widget) else { return }
        pendingAction = nil
        capture.click(Capture.ElementPath(to: widget, text: text))
    }

    /// Reports a choice. Text that is entered, pasted or completed in the entry leaves no active item.
    private func changed(comboBox: Widget) {
        let pointer = comboBox.object.assumingMemoryBound(to: GtkComboBox.self)
        guard gtk_combo_box_get_has_entry(pointer) == 0 || gtk_combo_box_get_active(pointer) >= 0 else { return }
        clicked(comboBox)
    }

    private func claim(_ widget: Widget) -> Bool {
        !input.isSpent && input.claim(widget.id, window: widget.root?.id, at: now)
    }

    /// The user confirmed the text of a field.
    private func activated(field: Widget) {
        let control = field.control
        guard control.kind != .spinButton, control.kind != .comboBox else { return }
        clicked(control)
    }

    // MARK: Values

    /// Values of a range change often during one use, which is one click.
    private func changed(range: Widget) {
        guard pendingValue?.id != range.id else { return deferValue() }
        guard range.parent?.kind != .scrollbar else { return }
        flushValue()
        guard claim(range) else { return }
        pendingValue = (range.id, Capture.ElementPath(to: range))
        deferValue()
    }

    private func changed(spinButton: Widget) {
        guard pendingValue?.id != spinButton.id else { return deferValue() }
        flushValue()
        guard claim(spinButton) else { return }
        pendingValue = (spinButton.id, Capture.ElementPath(to: spinButton))
        deferValue()
    }

    /// Waits for the end of the use: the release of the pointer, or a pause of the keys or the wheel.
    private func deferValue() {
        guard pendingValue != nil, !input.isPressed else { return }
        valueTimeout.set(milliseconds: 250) { [weak self] in self?.flushValue() }
    }

    /// Reports the click of a control whose value was changed.
    func flushValue() {
        guard let (_, path) = pendingValue else { return }
        pendingValue = nil
        valueTimeout.cancel()
        capture.click(path)
    }

    // MARK: Rows

    private func activated(list: Widget, row: Widget?) {
        guard list.kind != .columnListView, !list.isTextInput else { return }
        let row = row ?? activeRow(of: list)
        // The list of a drop-down's popover.
        let owner = list.lineage.first { $0.kind == .dropDown }
        if let owner { return clicked(list, as: owner, text: row.flatMap { Label(in: $0)?.text }) }
        clicked(list, as: row ?? list)
    }

    /// Reports a click on an element, if a click on a widget is one of the user.
    private func clicked(_ widget: Widget, as element: Widget, text: String? = nil) {
        guard claim(widget) else { return }
        pendingAction = nil
        capture.click(Capture.ElementPath(to: element, text: text))
    }

    /// The row that the user activated: the one of the last input, else that with the focus.
    private func activeRow(of list: Widget) -> Widget? {
        var rows = list
        if list.kind == .columnView, let inner = list.children.first(where: { $0.kind == .columnListView }) {
            rows = inner
        }
        return rows.children.first { input.isInside($0.id, at: now) }
            ?? Widget(gtk_widget_get_focus_child(rows.pointer))
    }

    // MARK: Actions

    /// Marks the time in which the toolkit handles a release or a key.
    func beginDispatch() {
        guard !dispatchTimeout.isSet else { return }
        dispatchTimeout.set(milliseconds: 0, priority: G_PRIORITY_HIGH) { [weak self] in self?.flushAction() }
    }

    /// Handles an action before its effects: buttons and menu items emit their own signal after it. An action without
    /// either is a shortcut.
    private func activated(action: UnsafeMutableRawPointer?) {
        guard let action, dispatchTimeout.isSet, let name = g_action_get_name(OpaquePointer(action)) else { return }
        let control = input.unspentChain.lazy.compactMap { UnsafeMutableRawPointer(bitPattern: UInt($0.value)) }
            .map { Widget($0) }.first { $0.kind == .button || $0.kind == .menuItem }
        if let control { return clicked(control.kind == .button ? control.control : control) }
        pendingAction = pendingAction ?? String(cString: name)
    }

    private func flushAction() {
        guard let name = pendingAction else { return }
        pendingAction = nil
        guard input.claimShortcut(at: now) else { return }
        let element = Capture.Element(className: "GSimpleAction", type: .button, accessibilityID: name)
        capture.click(Capture.ElementPath(page: nil, links: [.init(element, ordinal: 0)]))
    }
}
#endif
