#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Testing

extension DisplayTests {
    @Suite("Pages and windows")
    @MainActor
    struct GTKPageTests {
        /// Class and event of all pages in the pulse format.
        private func pages(_ app: GTKApp) -> [String] {
            app.events(.pulse).compactMap { event in
                guard let name = event["event_type"]?.string, name.hasPrefix("page_") else { return nil }
                return "\(name) \(event["data"]?["element"]?["class"]?.string ?? "-")"
            }
        }

        private func screens(_ app: GTKApp) -> [String] {
            app.events(.clickstream).filter { $0["event_type"]?.string == "_screen_view" }
                .compactMap { $0["attributes"]?["_screen_name"]?.string }
        }

        @Test("reports windows before the pages of their stacks, each once in every format, and none inside of a page")
        func pages() throws {
            let app = try GTKApp()
            defer { app.end() }
            let stack: WidgetPointer = gtk_stack_new()
            let button: WidgetPointer = gtk_button_new_with_label("Buy")
            gtk_stack_add_titled(stack.opaque, box(button), "list", "Products")
            let notebook: WidgetPointer = gtk_notebook_new()
            for title in ["One", "Two"] {
                gtk_notebook_append_page(notebook.opaque, box(gtk_label_new(title)), gtk_label_new(title))
            }
            gtk_stack_add_named(stack.opaque, notebook, "detail")
            gtk_stack_set_transition_type(stack.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
            let switcher: WidgetPointer = gtk_stack_switcher_new()
            gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
            let window = app.show(box(switcher, stack))
            #expect(pages(app) == ["page_load GtkWindow", "page_view GtkWindow", "page_load list", "page_view list"])
            #expect(screens(app) == ["GtkWindow", "list"])

            app.clear()
            app.display.click(button)
            app.display.run(milliseconds: 50)
            let click = try #require(app.events(.pulse).last { $0["event_type"]?.string == "click" })
            #expect(click["data"]?["parent_info"]?["class"]?.string == "list")
            #expect(click["sub_sids"]?.members?.map(\.name) == ["GtkWindow", "list"])

            app.clear()
            gtk_stack_set_visible_child_name(stack.opaque, "detail")
            app.display.run(milliseconds: 400)
            #expect(pages(app) == ["page_load detail", "page_view detail"])
            app.clear()
            gtk_notebook_set_current_page(notebook.opaque, 1)
            app.display.run(milliseconds: 100)
            #expect(app.names(.pulse) == [])
            let first = gtk_notebook_get_nth_page(notebook.opaque, 0)
            app.display.click(gtk_notebook_get_tab_label(notebook.opaque, first))
            app.display.run(milliseconds: 100)
            #expect(gtk_notebook_get_current_page(notebook.opaque) == 0)
            #expect(app.clicks == [Click("GtkNotebook", "segment", "One")])
            #expect(app.names(.pulse) == ["click"])
            #expect(screens(app) == [])
            app.clear()
            gtk_stack_set_visible_child_name(stack.opaque, "list")
            app.display.run(milliseconds: 400)
            #expect(pages(app) == ["page_view list"])
            #expect(screens(app) == ["list"])

            app.clear()
            let dialog: WidgetPointer = gtk_dialog_new()
            gtk_window_set_transient_for(dialog.window, window.window)
            gtk_window_present(dialog.window)
            app.display.run { gtk_window_is_active(dialog.window) != 0 }
            #expect(pages(app) == ["page_load GtkDialog", "page_view GtkDialog"])
            app.clear()
            gtk_window_destroy(dialog.window)
            app.display.run { gtk_window_is_active(window.window) != 0 }
            app.display.run(milliseconds: 100)
            #expect(pages(app) == ["page_view list"])
            #expect(screens(app) == ["list"])
            #expect(app.names(GTKApp.touches) == ["4"])
        }

        @Test("reports the tabs of the outermost notebook before their pages, and none that the program selects")
        func tabs() throws {
            let app = try GTKApp()
            defer { app.end() }
            let notebook: WidgetPointer = gtk_notebook_new()
            let next: WidgetPointer = gtk_entry_new()
            for (title, content) in [("One", next), ("Two", gtk_label_new("two") as WidgetPointer)] {
                gtk_notebook_append_page(notebook.opaque, box(content), gtk_label_new(title))
            }
            app.show(notebook)
            app.clear()
            let second = gtk_notebook_get_nth_page(notebook.opaque, 1)
            app.display.click(gtk_notebook_get_tab_label(notebook.opaque, second))
            app.display.run(milliseconds: 200)
            #expect(app.clicks == [Click("GtkNotebook", "segment", "Two")])
            #expect(app.names(.pulse) == ["click", "page_load", "page_view"])
            #expect(screens(app) == ["GtkBox:eq(1)"])
            app.clear()
            gtk_notebook_set_current_page(notebook.opaque, 0)
            app.display.run(milliseconds: 100)
            // Input inside of the page belongs to the program's change.
            SimulatedInput.press(next.raw)
            gtk_notebook_set_current_page(notebook.opaque, 1)
            app.display.run(milliseconds: 100)
            #expect(app.names(.pulse) == ["page_view", "page_view"])
        }

        @Test("names the pages of an assistant by their place, and finds none in a calendar")
        func stockPages() throws {
            let app = try GTKApp()
            defer { app.end() }
            app.show(box(gtk_calendar_new()))
            #expect(pages(app) == ["page_load GtkWindow", "page_view GtkWindow"])
            app.clear()
            let assistant: WidgetPointer = gtk_assistant_new()
            gtk_assistant_append_page(assistant.opaque, gtk_label_new("Welcome"))
            gtk_assistant_append_page(assistant.opaque, gtk_label_new("Summary"))
            gtk_window_present(assistant.window)
            app.display.run { pages(app).count == 4 }
            #expect(
                pages(app) == [
                    "page_load GtkAssistant", "page_view GtkAssistant", "page_load GtkLabel:eq(0)",
                    "page_view GtkLabel:eq(0)",
                ]
            )
            gtk_window_destroy(assistant.window)
        }

        @Test("reports windows that exist already once")
        func existing() throws {
            let app = try GTKApp()
            defer { app.end() }
            let stack: WidgetPointer = gtk_stack_new()
            gtk_stack_add_named(stack.opaque, box(gtk_label_new("x")), "list")
            app.show(stack)
            app.capture.stopObservingGTK()
            let next = try GTKApp()
            defer { next.end() }
            next.display.run(milliseconds: 100)
            #expect(pages(next) == ["page_load GtkWindow", "page_view GtkWindow", "page_load list", "page_view list"])
        }

        @Test("shows and hides the app with its windows")
        func visibility() throws {
            let app = try GTKApp()
            defer { app.end() }
            let window = app.show(box(gtk_label_new("x")))
            app.clear()
            gtk_window_minimize(window.window)
            app.display.run { app.names(.clickstream).contains("_app_end") }
            #expect(app.names(GTKApp.touches) == ["2"])
            app.clear()
            gtk_window_present(window.window)
            app.display.run { app.names(.clickstream).contains("_app_start") }
            #expect(app.names(GTKApp.touches).filter { $0 == "1" } == ["1"])

            app.clear()
            // Activity moves between two windows of the app.
            let other = app.show(box(gtk_label_new("y")), title: "Other")
            app.close(other)
            app.display.run { gtk_window_is_active(window.window) != 0 }
            app.display.run(milliseconds: 200)
            #expect(!app.names(GTKApp.touches).contains("2"))
        }
    }
}
#endif
