#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Testing

extension DisplayTests {
    @Suite("Touches and gestures")
    @MainActor
    struct GTKTouchTests {
        @Test("classifies presses of the pointer, with the control under the down point as target")
        func touches() throws {
            let app = try GTKApp()
            defer { app.end() }
            let button: WidgetPointer = gtk_button_new_with_label("Buy")
            let tagged: WidgetPointer = gtk_button_new_with_label("Sell")
            GTKWidget(tagged).tag = 7
            let named: WidgetPointer = gtk_button_new_with_label("Named")
            gtk_widget_set_name(named, "named")
            let area: WidgetPointer = gtk_drawing_area_new()
            gtk_widget_set_size_request(area, 200, 100)
            app.show(box(gtk_button_new_with_label("First"), button, tagged, named, area))
            let touch = { (action: String) -> JSONValue? in
                app.events(GTKApp.touches).last { $0["ea"]?.number?.integer == Int64(action) }
            }

            app.display.click(button)
            app.display.run { touch("6") != nil }
            #expect(touch("6")?["tvp"]?.string == "[root]>GtkBox:eq(0)>GtkButton:eq(1)")
            #expect(touch("6")?["tvid"]?.string == "")
            #expect(touch("6")?["ur"]?.boolean == true)
            app.clear()
            app.display.click(tagged)
            #expect(touch("6")?["tvp"]?.string == "[root]>GtkBox:eq(0)>GtkButton[tg:7]")
            app.clear()
            app.display.click(named)
            #expect(touch("6")?["tvp"]?.string == "GtkButton[ai:GtkWindow.named]")

            app.clear()
            app.display.point(at: area)
            app.display.xdotool("mousedown", "1")
            app.display.run(milliseconds: 600)
            app.display.xdotool("mouseup", "1")
            #expect(touch("8")?["tvp"]?.string == "[root]>GtkBox:eq(0)>GtkDrawingArea:eq(0)")
            #expect(touch("8")?["ur"] == nil)

            app.clear()
            app.display.point(at: area, 0.1, 0.5)
            app.display.xdotool("mousedown", "1")
            app.display.xdotool("mousemove_relative", "60", "0")
            app.display.xdotool("mouseup", "1")
            #expect(touch("10")?["fd"]?.number?.integer == 4)
            #expect(touch("10")?["tvd"]?.number?.integer == 60)
            #expect(app.names(GTKApp.touches) == ["10"])

            app.clear()
            app.display.xdotool("mousedown", "1")
            app.display.xdotool("mousemove_relative", "--", "-30", "0")
            app.display.run(milliseconds: 600)
            app.display.xdotool("mousemove_relative", "--", "-30", "0")
            app.display.xdotool("mouseup", "1")
            #expect(touch("9")?["fd"]?.number?.integer == 3)

            // The pointer leaves the window.
            app.clear()
            app.display.xdotool("mousedown", "1")
            app.display.xdotool("mousemove", "1000", "760")
            app.display.xdotool("mouseup", "1")
            #expect(app.names(GTKApp.touches) == [])
        }

        @Test("reports recognizers of the app, and none of the toolkit")
        func gestures() throws {
            let app = try GTKApp()
            defer { app.end() }
            let area: WidgetPointer = gtk_drawing_area_new()
            gtk_widget_set_size_request(area, 200, 200)
            for gesture in [gtk_gesture_click_new(), gtk_gesture_long_press_new(), gtk_gesture_drag_new()] {
                gtk_widget_add_controller(area, gesture)
            }
            let button: WidgetPointer = gtk_button_new_with_label("Buy")
            app.show(box(area, button))
            let gestures = {
                app.events(.pulse).compactMap { $0["data"]?["gesture_params"]?["type"]?.string }
            }
            app.clear()
            app.display.click(area, 0.25, 0.25)
            app.display.run(milliseconds: 50)
            #expect(gestures() == ["tap"])
            #expect(app.names(.clickstream).filter { $0 == "_gesture" }.count == 2)  // with the touch

            app.clear()
            app.display.xdotool("mousedown", "1")
            app.display.run(milliseconds: 700)
            app.display.xdotool("mouseup", "1")
            #expect(gestures() == ["long_press"])

            app.clear()
            app.display.xdotool("mousedown", "1")
            app.display.xdotool("mousemove_relative", "30", "40")
            app.display.xdotool("mouseup", "1")
            let move = app.events(.pulse).last?["data"]?["gesture_params"]
            #expect(move?["move_distance_x"]?.number?.integer == 30)
            #expect(move?["move_distance_y"]?.number?.integer == 40)
            #expect(gestures() == ["move"])

            app.clear()
            app.display.click(button)
            app.display.run(milliseconds: 50)
            #expect(gestures() == [])
        }
    }
}
#endif
