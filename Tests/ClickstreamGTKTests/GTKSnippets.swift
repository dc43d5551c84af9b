#if GTK
import CGtk4
import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamGTK
import Testing

// Code of ClickstreamGTK.docc and of the doc comments of ClickstreamGTK; see DocumentationTests.

/// Snippets that take over the process: compiled, and executed as the example Docs/Examples/gtk-shop by Tests/GTK/run.
@MainActor
enum GTKIntegration {
    static func landingPage() throws {
        // snippet
        try ClickstreamAnalytics.observeGTK()
        // end
    }

    static func application(_ app: UnsafeMutablePointer<GApplication>) throws {
        // snippet
        try ClickstreamAnalytics.observeGTK()
        g_application_run(app, 0, nil)
        // end
    }
}

@MainActor
@Suite("Code of ClickstreamGTK's documentation", .serialized)
struct GTKSnippets {
    @Test("sets data, masks and opt-out of widgets")
    func widgets() throws {
        final class Source: AutoTrackableEventDataSource {}
        let app = try GTKApp()
        defer { app.end() }
        guard let first = gtk_button_new(), let second = gtk_button_new() else { return }
        for widget in [first, second] { g_object_ref_sink(widget) }
        defer { for widget in [first, second] { g_object_unref(widget) } }
        article(button: first, shop: Source())
        let comment = Comment()
        comment.settings(button: first, contacts: second)
        GTKWidget.setOptBehavior(nil, ofType: "GtkScrolledWindow")
        #expect(GTKWidget(first).masking == .instance)
        #expect(GTKWidget(second).masking == .subtree)
        #expect(GTKWidget(first).autoEventDataSource === comment)
    }

    private func article(button: WidgetPointer, shop: any AutoTrackableEventDataSource) {
        // snippet
        final class Shop: AutoTrackableEventDataSource {
            func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? {
                AutoTrackableEventData(elementName: "buy", trackingGroup: "shop")
            }
        }

        let settings = GTKWidget(button)
        settings.autoEventDataSource = shop
        settings.masking = .instance
        GTKWidget.setOptBehavior(.autoOptOut, ofType: "GtkScrolledWindow")
        // end
    }

    @MainActor
    private final class Comment: @MainActor AutoTrackableEventDataSource {
        func settings(button: WidgetPointer, contacts: WidgetPointer) {
            // snippet
            let buy = GTKWidget(button)  // UnsafeMutablePointer<GtkWidget>
            buy.autoEventDataSource = self
            GTKWidget(contacts).masking = .subtree
            // end
        }
    }
}
#endif
