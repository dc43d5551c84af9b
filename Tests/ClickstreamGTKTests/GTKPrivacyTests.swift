#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Testing

/// Data and decisions of an app, by the address of a widget.
@MainActor
private final class Source: @MainActor AutoTrackableEventDataSource {
    var named: WidgetPointer?
    var ignored: WidgetPointer?

    func shouldAutoTrack(for element: any AutoTrackableElement) -> Bool {
        (element as? GTKWidget)?.pointer != ignored?.raw
    }

    func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? {
        guard (element as? GTKWidget)?.pointer == named?.raw else { return nil }
        return AutoTrackableEventData(
            elementName: "buy",
            additionalProperties: ["plan": "free"],
            trackingGroup: "g",
            trackingSection: "s"
        )
    }
}

extension DisplayTests {
    @Suite("Masks and decisions")
    @MainActor
    struct GTKPrivacyTests {
        @Test("never captures the text of entries, and nothing of password entries")
        func passwords() throws {
            let app = try GTKApp()
            defer { app.end() }
            let password: WidgetPointer = gtk_password_entry_new()
            let hidden: WidgetPointer = gtk_entry_new()
            gtk_entry_set_visibility(hidden.raw.assumingMemoryBound(to: GtkEntry.self), 0)
            let marked: WidgetPointer = gtk_entry_new()
            GTKWidget(marked).isSecure = true
            let search: WidgetPointer = gtk_search_entry_new()
            app.show(box(password, hidden, marked, search))
            for (entry, click) in [
                (password, Click("GtkPasswordEntry", "button")), (hidden, Click("GtkEntry", "button")),
                (marked, Click("GtkEntry", "button")), (search, Click("GtkSearchEntry", "button", length: 7)),
            ] {
                app.clear()
                app.display.click(entry, 0.3)
                app.display.xdotool("type", "hunter2")
                app.display.xdotool("key", "Return")
                app.display.run(seconds: 3) { !app.clicks.isEmpty }
                #expect(app.clicks == [click])
                #expect(!app.text.contains("hunter2"))
            }
        }

        @Test("masks and opts out instances and types, and adds data of the app")
        func settings() throws {
            let app = try GTKApp()
            defer {
                GTKWidget.setOptBehavior(nil, ofType: "GtkButton")
                app.end()
            }
            let source = Source()
            let buttons = (0..<5).map { gtk_button_new_with_label("Button \($0)") as WidgetPointer }
            let group = box(buttons[0])
            GTKWidget(group).masking = .subtree
            GTKWidget(buttons[1]).masking = .instance
            source.named = buttons[2]
            source.ignored = buttons[3]
            GTKWidget(buttons[2]).autoEventDataSource = source
            GTKWidget(buttons[3]).autoEventDataSource = source
            let toggle: WidgetPointer = gtk_toggle_button_new_with_label("Toggle")
            app.show(box(group, buttons[1], buttons[2], buttons[3], buttons[4], toggle))
            #expect(GTKWidget(buttons[1]).masking == .instance)
            #expect(GTKWidget(toggle).typeName == "GtkToggleButton")
            let press = { (button: WidgetPointer) -> [Click] in
                app.clear()
                app.display.click(button)
                app.display.run(milliseconds: 50)
                return app.clicks
            }
            #expect(press(buttons[0]) == [Click("GtkButton", "button", "*")])
            #expect(press(buttons[1]) == [Click("GtkButton", "button", "*")])
            #expect(press(buttons[2]) == [Click("GtkButton", "button", "Button 2")])
            let data = app.events(.pulse).last { $0["event_type"]?.string == "click" }?["data"]
            #expect(data?["element"]?["id"]?.string == "buy")
            #expect(data?["additional_properties"]?["plan"]?.string == "free")
            #expect(data?["group"]?.string == "g")
            #expect(press(buttons[3]) == [])
            #expect(press(buttons[4]) == [Click("GtkButton", "button", "Button 4")])
            GTKWidget(buttons[4]).optBehavior = .autoOptOut
            #expect(press(buttons[4]) == [])
            GTKWidget.setOptBehavior(.autoOptOut, ofType: "GtkButton")
            #expect(press(toggle) == [])
            GTKWidget(toggle).optBehavior = .autoOptIn
            #expect(press(toggle) == [Click("GtkToggleButton", "button", "Toggle")])
            withExtendedLifetime(source) {}
        }

        @Test("masks everything inside of a masked window, also on the pages of its stacks")
        func maskedWindow() throws {
            let app = try GTKApp()
            defer { app.end() }
            let stack: WidgetPointer = gtk_stack_new()
            let button: WidgetPointer = gtk_button_new_with_label("secret label")
            gtk_stack_add_titled(stack.opaque, box(button), "list", "secret page")
            let window = app.show(stack)
            GTKWidget(window).masking = .subtree
            app.clear()
            app.display.click(button)
            app.display.run(milliseconds: 50)
            #expect(app.clicks == [Click("GtkButton", "button", "*")])
            #expect(app.names(GTKApp.touches) == ["6"])
            #expect(!app.text.contains("secret label"))
        }

        @Test("reports nothing after its end")
        func end() throws {
            let app = try GTKApp()
            defer { app.end() }
            let button: WidgetPointer = gtk_button_new_with_label("Buy")
            app.show(box(button))
            app.capture.stopObservingGTK()
            app.clear()
            app.display.click(button)
            app.display.run(milliseconds: 100)
            #expect(app.names(.clickstream) == [])
            #expect(app.names(GTKApp.touches) == [])
        }
    }
}
#endif
