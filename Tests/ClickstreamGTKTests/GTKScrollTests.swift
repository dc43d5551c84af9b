#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore
import ClickstreamGTK
import Testing

/// Data of items by their position.
private final class Products: ItemsViewDataSource {
    func itemData(for index: Int) -> Attributes? { ["id": "p\(index)"] }
}

extension DisplayTests {
    @Suite("Scrolls and visible items")
    @MainActor
    struct GTKScrollTests {
        private func tallList(_ count: Int) -> (scroller: WidgetPointer, list: WidgetPointer) {
            let list: WidgetPointer = gtk_list_box_new()
            for index in 0..<count {
                let label: WidgetPointer = gtk_label_new("row \(index)")
                gtk_widget_set_size_request(label, -1, 50)
                gtk_list_box_append(list.opaque, label)
            }
            let scroller: WidgetPointer = gtk_scrolled_window_new()
            gtk_scrolled_window_set_child(scroller.opaque, list)
            gtk_widget_set_vexpand(scroller, 1)
            return (scroller, list)
        }

        @Test("reports a scroll by the user, and none by the program")
        func scrolls() throws {
            let app = try GTKApp()
            defer { app.end() }
            let (scroller, _) = tallList(40)
            app.show(box(scroller))
            let adjustment = gtk_scrolled_window_get_vadjustment(scroller.opaque)
            app.clear()
            gtk_adjustment_set_value(adjustment, 100)
            app.display.run(milliseconds: 400)
            #expect(!app.names(.pulse).contains("scroll"))

            app.display.point(at: scroller)
            app.display.xdotool("click", "--repeat", "3", "--delay", "30", "5")
            app.display.run(seconds: 3) { app.names(.pulse).contains("scroll") }
            app.display.run(milliseconds: 300)
            #expect(app.names(.pulse) == ["scroll"])
            #expect(app.names(.clickstream) == ["_scroll"])
            let scroll = app.events(.pulse).last?["data"]?["scroll_info"]
            #expect(scroll?["start_position"]?.number?.integer == 100)
            #expect(scroll?["end_position"]?.number?.integer == Int64(gtk_adjustment_get_value(adjustment)))
            #expect(scroll?["direction"]?.string == "up")
            #expect(app.events(.pulse).last?["data"]?["element"]?["type"]?.string == "scroll_view")
        }

        @Test("reports a scroll of a view whose adjustment the program has replaced")
        func replacedAdjustment() throws {
            let app = try GTKApp()
            defer { app.end() }
            let (scroller, _) = tallList(40)
            app.show(box(scroller))
            for _ in 0..<3 { gtk_scrolled_window_set_vadjustment(scroller.opaque, nil) }
            app.display.run(milliseconds: 100)
            app.clear()
            app.display.point(at: scroller)
            app.display.xdotool("click", "--repeat", "3", "--delay", "30", "5")
            app.display.run(seconds: 3) { app.names(.pulse).contains("scroll") }
            #expect(app.names(.pulse) == ["scroll"])
        }

        @Test("reports the items that were seen when their page disappears")
        func impressions() throws {
            let app = try GTKApp()
            defer { app.end() }
            let (scroller, list) = tallList(40)
            let products = Products()
            GTKWidget(list).itemsViewDataSource = products
            let stack: WidgetPointer = gtk_stack_new()
            gtk_stack_add_named(stack.opaque, scroller, "list")
            gtk_stack_add_named(stack.opaque, gtk_label_new("detail"), "detail")
            app.show(stack, height: 260)
            app.display.run(milliseconds: 3_600)
            app.clear()
            gtk_stack_set_visible_child_name(stack.opaque, "detail")
            app.display.run(milliseconds: 100)
            #expect(app.names(.pulse) == ["items_impression", "page_load", "page_view"])
            let event = app.events(.pulse).first
            #expect(event?["data"]?["items_count"]?.number?.integer == 5)
            #expect(event?["data"]?["params"]?.array?.first?["id"]?.string == "p0")
            #expect(event?["data"]?["element"]?["type"]?.string == "table_view_cell")
            #expect(event?["data"]?["parent_info"]?["class"]?.string == "list")
            withExtendedLifetime(products) {}
        }

        @Test(
            "reports the items of a list with a factory by their positions, also after a scroll",
            arguments: ["GtkListView", "GtkColumnView"]
        )
        func factoryImpressions(type: String) throws {
            let app = try GTKApp()
            defer { app.end() }
            let products = Products()
            let list: WidgetPointer
            if type == "GtkListView" {
                list = gtk_list_view_new(stringSelection(200), labelFactory())
            } else {
                list = gtk_column_view_new(stringSelection(200))
                for title in ["A", "B"] {
                    gtk_column_view_append_column(list.opaque, gtk_column_view_column_new(title, labelFactory()))
                }
            }
            GTKWidget(list).itemsViewDataSource = products
            let scroller: WidgetPointer = gtk_scrolled_window_new()
            gtk_scrolled_window_set_child(scroller.opaque, list)
            let stack: WidgetPointer = gtk_stack_new()
            gtk_stack_add_named(stack.opaque, scroller, "list")
            gtk_stack_add_named(stack.opaque, gtk_label_new("detail"), "detail")
            app.show(stack, height: 260)
            let adjustment = gtk_scrolled_window_get_vadjustment(scroller.opaque)
            let rowHeight = gtk_adjustment_get_upper(adjustment) / 200
            gtk_adjustment_set_value(adjustment, rowHeight * 100)
            app.display.run(milliseconds: 3_800)
            app.clear()
            gtk_stack_set_visible_child_name(stack.opaque, "detail")
            app.display.run(milliseconds: 100)
            #expect(app.names(.pulse) == ["items_impression", "page_load", "page_view"])
            let data = app.events(.pulse).first?["data"]
            let ids = data?["params"]?.array?.compactMap { $0["id"]?.string }
            let first = try #require(ids?.first.flatMap { Int($0.dropFirst()) })
            #expect((98...101).contains(first))
            let count = try #require(ids?.count)
            #expect(count >= 3)
            #expect(ids == (first..<first + count).map { "p\($0)" })
            #expect(data?["element"]?["class"]?.string == nil)
            #expect(data?["element"]?["type"]?.string == "table_view_cell")
            withExtendedLifetime(products) {}
        }
    }
}
#endif
