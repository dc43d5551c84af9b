#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Testing

extension DisplayTests {
    @Suite("Facts for assistive technologies")
    @MainActor
    struct GTKAccessibilityTests {
        private func setLabel(_ text: String, of widget: WidgetPointer) {
            var value = GValue()
            g_value_init(&value, GType(16 << 2))
            g_value_set_string(&value, text)
            defer { g_value_unset(&value) }
            var property = GTK_ACCESSIBLE_PROPERTY_LABEL
            gtk_accessible_update_property_value(widget.opaque, 1, &property, &value)
        }

        /// Returns a drawing area with a role, which an app can set at the creation of a widget only.
        private func area(_ role: GtkAccessibleRole) throws -> WidgetPointer {
            var value = GValue()
            g_value_init(&value, gtk_accessible_role_get_type())
            g_value_set_enum(&value, Int32(bitPattern: role.rawValue))
            defer { g_value_unset(&value) }
            let object = "accessible-role".withCString { name in
                var name: UnsafePointer<CChar>? = name
                return g_object_new_with_properties(gtk_drawing_area_get_type(), 1, &name, &value)
            }
            let area = try #require(object).withMemoryRebound(to: GtkWidget.self, capacity: 1) { $0 }
            gtk_widget_set_size_request(area, 200, 60)
            return area
        }

        @Test("give controls without a text their label, before the name of an icon")
        func labels() throws {
            let app = try GTKApp()
            defer { app.end() }
            let save: WidgetPointer = gtk_button_new_from_icon_name("document-save-symbolic")
            let plain: WidgetPointer = gtk_button_new_from_icon_name("go-home-symbolic")
            let buy: WidgetPointer = gtk_button_new_with_label("Buy")
            let toggle: WidgetPointer = gtk_switch_new()
            gtk_widget_set_halign(toggle, GTK_ALIGN_START)
            setLabel("Save \"all\"", of: save)
            setLabel("Buy now", of: buy)
            setLabel("Notifications", of: toggle)
            app.show(box(save, plain, buy, toggle))
            let steps: [(WidgetPointer, Click)] = [
                (save, Click("GtkButton", "button", "Save \"all\"")),
                (plain, Click("GtkButton", "button", "go-home-symbolic")),
                (buy, Click("GtkButton", "button", "Buy")),
                (toggle, Click("GtkSwitch", "toggle", "Notifications")),
            ]
            for (widget, click) in steps {
                app.clear()
                app.display.click(widget)
                app.display.run(seconds: 3) { !app.clicks.isEmpty }
                #expect(app.clicks == [click])
            }
        }

        @Test("make the target of a touch responsive if its role is that of a control")
        func roles() throws {
            let app = try GTKApp()
            defer { app.end() }
            let button = try area(GTK_ACCESSIBLE_ROLE_BUTTON)
            let picture = try area(GTK_ACCESSIBLE_ROLE_IMG)
            app.show(box(button, picture))
            for (widget, responds) in [(button, true), (picture, false)] {
                app.clear()
                app.display.click(widget)
                let tap = app.events(GTKApp.touches).last { $0["ea"]?.number?.integer == 6 }
                #expect(tap != nil)
                #expect(tap?["ur"]?.boolean == responds)
            }
        }
    }
}
#endif
