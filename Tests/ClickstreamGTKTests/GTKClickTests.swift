#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamGTK
import Testing

extension DisplayTests {
    @Suite("Clicks on controls")
    @MainActor
    struct GTKClickTests {
        @Test("reports segments and buttons of bars before the pages that they open")
        func bars() throws {
            let app = try GTKApp()
            defer { app.end() }
            let stack: WidgetPointer = gtk_stack_new()
            for name in ["list", "cart"] { gtk_stack_add_titled(stack.opaque, box(gtk_label_new(name)), name, name) }
            let switcher: WidgetPointer = gtk_stack_switcher_new()
            gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
            let bar: WidgetPointer = gtk_header_bar_new()
            let save: WidgetPointer = gtk_button_new_from_icon_name("document-save-symbolic")
            gtk_header_bar_pack_start(bar.opaque, switcher)
            gtk_header_bar_pack_end(bar.opaque, save)
            app.show(box(bar, stack))
            app.clear()
            app.display.click(save)
            app.display.run(milliseconds: 50)
            #expect(app.clicks == [Click("GtkButton", "bar_button", "document-save-symbolic")])
            app.clear()
            app.display.click(gtk_widget_get_last_child(switcher))
            app.display.run(milliseconds: 300)
            #expect(app.clicks == [Click("GtkToggleButton", "segment", "cart")])
            #expect(app.names(.pulse) == ["click", "page_load", "page_view"])
        }

        @Test("reports no change by the program")
        func program() throws {
            let app = try GTKApp()
            defer { app.end() }
            let toggle: WidgetPointer = gtk_switch_new()
            let check: WidgetPointer = gtk_check_button_new_with_label("Gift")
            let scale: WidgetPointer = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 100, 1)
            let spin: WidgetPointer = gtk_spin_button_new_with_range(0, 10, 1)
            let button: WidgetPointer = gtk_button_new_with_label("Buy")
            let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, check in
                gtk_check_button_set_active(check?.assumingMemoryBound(to: GtkCheckButton.self), 1)
            }
            g_signal_connect_data(
                button.raw,
                "clicked",
                unsafeBitCast(handler, to: GCallback.self),
                check.raw,
                nil,
                GConnectFlags(rawValue: 0)
            )
            app.show(box(toggle, check, scale, spin, button))
            app.clear()
            gtk_switch_set_active(toggle.opaque, 1)
            gtk_range_set_value(scale.range, 50)
            gtk_spin_button_set_value(spin.opaque, 5)
            gtk_widget_activate(button)
            app.display.run(milliseconds: 600)
            #expect(gtk_check_button_get_active(check.checkButton) == 1)
            #expect(app.clicks == [])
            gtk_check_button_set_active(check.checkButton, 0)
            // A handler of a click changes another control.
            app.display.click(button)
            app.display.run(milliseconds: 300)
            #expect(gtk_check_button_get_active(check.checkButton) == 1)
            #expect(app.clicks == [Click("GtkButton", "button", "Buy")])
        }

        @Test("reports each use of a control by the user once, with the class, the type and the text of the control")
        func controls() throws {
            let app = try GTKApp()
            defer { app.end() }
            let button: WidgetPointer = gtk_button_new_with_mnemonic("_Buy")
            gtk_widget_set_name(button, "buy")
            let toggle: WidgetPointer = gtk_switch_new()
            gtk_widget_set_halign(toggle, GTK_ALIGN_START)
            let check: WidgetPointer = gtk_check_button_new_with_label("Gift")
            let other: WidgetPointer = gtk_check_button_new_with_label("Other")
            gtk_check_button_set_group(other.checkButton, check.checkButton)
            gtk_check_button_set_active(other.checkButton, 1)
            let scale: WidgetPointer = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 100, 1)
            let spin: WidgetPointer = gtk_spin_button_new_with_range(0, 10, 1)
            let entry: WidgetPointer = gtk_entry_new()
            app.show(box(button, toggle, check, other, scale, spin, entry))

            let steps: [(WidgetPointer, Double, Click)] = [
                (button, 0.5, Click("GtkButton", "button", "Buy", name: "buy")),
                (toggle, 0.5, Click("GtkSwitch", "toggle")),
                (check, 0.1, Click("GtkCheckButton", "toggle", "Gift")),
                (scale, 0.8, Click("GtkScale", "slider")),
                (spin, 0.97, Click("GtkSpinButton", "stepper")),
            ]
            for (widget, x, click) in steps {
                app.clear()
                app.display.click(widget, x)
                app.display.run(seconds: 3) { !app.clicks.isEmpty }
                app.display.run(milliseconds: 300)
                #expect(app.clicks == [click])
                #expect(app.clickCounts == [1, 1])
                #expect(app.names(GTKApp.touches).filter { $0 == "6" }.count == 1)
            }

            app.clear()
            app.display.click(entry)
            app.display.xdotool("type", "secret text")
            app.display.xdotool("key", "Return")
            app.display.run(seconds: 3) { !app.clicks.isEmpty }
            #expect(app.clicks == [Click("GtkEntry", "button", length: 11)])
            #expect(!app.text.contains("secret"))
        }
    }
}
#endif
