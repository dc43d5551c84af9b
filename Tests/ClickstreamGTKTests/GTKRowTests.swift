#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamGTK
import Testing

extension DisplayTests {
    @Suite("Rows and menus")
    @MainActor
    struct GTKRowTests {
        @Test("reports an activated row of each kind of list once, with its first text")
        func rows() throws {
            let app = try GTKApp()
            defer { app.end() }
            let list: WidgetPointer = gtk_list_view_new(stringSelection(3), labelFactory())
            let grid: WidgetPointer = gtk_grid_view_new(stringSelection(3), labelFactory())
            let columns: WidgetPointer = gtk_column_view_new(stringSelection(3))
            for title in ["A", "B"] {
                gtk_column_view_append_column(columns.opaque, gtk_column_view_column_new(title, labelFactory()))
            }
            let box_: WidgetPointer = gtk_list_box_new()
            let flow: WidgetPointer = gtk_flow_box_new()
            for index in 0..<3 {
                let isEven = index % 2 == 0
                let text: WidgetPointer = isEven ? gtk_label_new("row \(index)") : gtk_inscription_new("row \(index)")
                gtk_list_box_append(box_.opaque, text)
                gtk_flow_box_insert(flow.opaque, gtk_label_new("child \(index)"), -1)
            }
            app.show(box(list, grid, columns, box_, flow), width: 400, height: 500)
            let interval = app.display.setDoubleClickTime(milliseconds: 3_000)
            defer { app.display.setDoubleClickTime(milliseconds: interval) }

            let row = { (list: WidgetPointer, index: Int) -> WidgetPointer? in
                var child = gtk_widget_get_first_child(list)
                for _ in 0..<index { child = gtk_widget_get_next_sibling(child) }
                return child
            }
            let inner = gtk_widget_get_last_child(columns)
            let steps: [(WidgetPointer?, clicks: Int, Click)] = [
                (row(list, 1), 2, Click("GtkListItemWidget", "table_view_cell", "item 1")),
                (row(grid, 1), 2, Click("GtkListItemWidget", "collection_view_cell", "item 1")),
                (inner.flatMap { row($0, 2) }, 2, Click("GtkListItemWidget", "table_view_cell", "item 2")),
                (row(box_, 1), 1, Click("GtkListBoxRow", "table_view_cell", "row 1")),
                (row(flow, 2), 1, Click("GtkFlowBoxChild", "collection_view_cell", "child 2")),
            ]
            for (widget, clicks, click) in steps {
                app.clear()
                app.display.point(at: try #require(widget), 0.1)
                for _ in 0..<clicks { app.display.click() }
                app.display.run(milliseconds: 200)
                #expect(app.clicks == [click])
                #expect(app.clickCounts == [1, 1])
            }

            app.clear()
            g_signal_emit_by_name_activate(list, 1)
            gtk_widget_activate(row(box_, 0))
            app.display.run(milliseconds: 100)
            #expect(app.clicks == [])
        }

        @Test("reports the chosen text of a combo box, but none that can be typed", arguments: [false, true])
        func comboBoxes(hasEntry: Bool) throws {
            let app = try GTKApp()
            defer { app.end() }
            let combo: WidgetPointer = hasEntry ? gtk_combo_box_text_new_with_entry() : gtk_combo_box_text_new()
            for text in ["small", "large"] { gtk_combo_box_text_append_text(combo.opaque, text) }
            let pointer = combo.raw.assumingMemoryBound(to: GtkComboBox.self)
            gtk_combo_box_set_active(pointer, 0)
            app.show(box(combo))
            app.clear()
            gtk_combo_box_set_active(pointer, 1)
            app.display.run(milliseconds: 100)
            #expect(app.clicks == [])
            gtk_combo_box_set_active(pointer, 0)
            gtk_widget_child_focus(combo, GTK_DIR_TAB_FORWARD)
            app.display.point(at: combo, hasEntry ? 0.97 : 0.5)
            // A step of the wheel chooses the next item.
            app.display.xdotool("click", "5")
            app.display.run(seconds: 3) { !app.clicks.isEmpty }
            #expect(gtk_combo_box_get_active(pointer) == 1)
            #expect(app.clicks == [Click("GtkComboBoxText", "button", hasEntry ? nil : "large")])
            guard hasEntry else { return }
            app.clear()
            app.display.click(combo, 0.3)
            app.display.xdotool("type", "secret text")
            // As by a press on an item of the entry's menu.
            SimulatedInput.press(combo.raw)
            let text = descendant(of: combo, "GtkText")
            gtk_editable_set_text(text?.opaque, "pasted")
            app.display.run(milliseconds: 400)
            #expect(gtk_combo_box_get_active(pointer) == -1)
            #expect(app.clicks == [])
        }

        @Test("reports a choice in a drop-down and in a menu once")
        func choices() throws {
            let app = try GTKApp()
            defer { app.end() }
            let strings = gtk_string_list_new(nil)
            for text in ["small", "large"] { gtk_string_list_append(strings, text) }
            let dropDown: WidgetPointer = gtk_drop_down_new(strings, nil)
            let menu = g_menu_new()
            g_menu_append(menu, "_Print", "win.print")
            let button: WidgetPointer = gtk_menu_button_new()
            gtk_menu_button_set_label(button.opaque, "File")
            gtk_menu_button_set_menu_model(
                button.opaque,
                menu.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GMenuModel.self) }
            )
            let window = app.show(box(dropDown, button))
            let group = g_simple_action_group_new()
            let action = g_simple_action_new("print", nil)
            // An action without a handler emits no signal.
            let activated: @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void = { _, _, _ in }
            connect(
                action.map { UnsafeMutableRawPointer($0) },
                "activate",
                unsafeBitCast(activated, to: GCallback.self)
            )
            g_action_map_add_action(group.map { OpaquePointer($0) }, action)
            gtk_widget_insert_action_group(window, "win", group.map { OpaquePointer($0) })

            app.clear()
            app.display.click(dropDown)
            app.display.run(milliseconds: 400)
            #expect(app.clicks == [])
            app.display.xdotool("key", "Down")
            app.display.xdotool("key", "Return")
            app.display.run(milliseconds: 400)
            #expect(app.clicks == [Click("GtkDropDown", "button", "large")])
            #expect(gtk_drop_down_get_selected(dropDown.opaque) == 1)

            app.clear()
            gtk_drop_down_set_selected(dropDown.opaque, 0)
            app.display.run(milliseconds: 100)
            #expect(app.clicks == [])

            app.display.click(button)
            app.display.run(milliseconds: 400)
            #expect(app.clicks == [Click("GtkMenuButton", "button", "File")])
            app.clear()
            let item = try #require(descendant(of: button, "GtkModelButton"))
            app.display.click(item)
            app.display.run(milliseconds: 400)
            #expect(app.clicks == [Click("GtkModelButton", "button", "Print")])
            #expect(app.clickCounts == [1, 1])

            app.clear()
            g_action_activate(action, nil)
            app.display.run(milliseconds: 100)
            #expect(app.clicks == [])
            let shortcut = gtk_shortcut_new(
                gtk_shortcut_trigger_parse_string("<Control>p"),
                gtk_named_action_new("win.print")
            )
            let controller = gtk_shortcut_controller_new()
            gtk_shortcut_controller_add_shortcut(controller, shortcut)
            gtk_widget_add_controller(window, controller)
            gtk_widget_grab_focus(dropDown)
            app.display.xdotool("key", "ctrl+p")
            app.display.run(milliseconds: 200)
            #expect(app.clicks == [Click("GSimpleAction", "button", name: "print")])
        }
    }
}

/// The first widget of a type inside of another, in drawing order.
@MainActor
func descendant(of widget: WidgetPointer?, _ type: String) -> WidgetPointer? {
    guard let widget else { return nil }
    if g_type_name(clickstream_type(widget)).map({ String(cString: $0) }) == type { return widget }
    var next = gtk_widget_get_first_child(widget)
    while let child = next {
        if let found = descendant(of: child, type) { return found }
        next = gtk_widget_get_next_sibling(child)
    }
    return nil
}

/// Emits the signal `activate` of a list, as a program may.
@MainActor
private func g_signal_emit_by_name_activate(_ list: WidgetPointer, _ position: UInt32) {
    var values = [GValue(), GValue()]
    g_value_init(&values[0], clickstream_type(list))
    g_value_set_object(&values[0], list)
    g_value_init(&values[1], GType(7 << 2))
    g_value_set_uint(&values[1], position)
    g_signal_emitv(values, g_signal_lookup("activate", clickstream_type(list)), 0, nil)
    for index in values.indices { g_value_unset(&values[index]) }
}
#endif
