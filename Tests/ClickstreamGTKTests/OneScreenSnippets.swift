#if GTK
import CGtk4
import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamGTK

// Code of ClickstreamGTK.docc/OnOneScreen.md; see DocumentationTests and OneScreenTests.

/// Calls that take over the process: compiled, and executed as the example Docs/Examples/gtk-shop by Tests/GTK/run.
@MainActor
private func calls(_ button: UnsafeMutablePointer<GtkWidget>, _ client: ClickstreamClient) throws {
    // snippet
    // Start: on the main thread, before g_application_run or after gtk_init
    let types: [AutoEventType] = [.viewController, .buttonClick, .scroll]
    let capture: Capture? = try ClickstreamAnalytics.observeGTK(
        CaptureConfiguration(autoEvents: types),
        sdk: ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
    )

    // Or with a client and a capture of the app's own
    let own = Capture(client: client, configuration: CaptureConfiguration())
    own.observeGTK(types, tracksVisibility: true)

    // Data of the app about widgets
    final class Shop: AutoTrackableEventDataSource, ItemsViewDataSource {
        func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? {
            AutoTrackableEventData(elementName: "buy", trackingGroup: "shop")
        }

        func itemData(for index: Int) -> Attributes? { ["id": "p\(index)"] }
    }
    let shop = Shop()

    // Settings of a widget: an UnsafeMutablePointer<GtkWidget>, stored in the object itself
    let settings = GTKWidget(button)
    settings.autoEventDataSource = shop
    settings.itemsViewDataSource = shop
    settings.optBehavior = OptBehavior.autoOptIn
    settings.masking = Capture.Masking.subtree
    settings.isSecure = true  // neither text nor its length
    settings.tag = 7
    print(settings.pointer)
    GTKWidget.setOptBehavior(.autoOptOut, ofType: "GtkScrolledWindow")

    // End
    own.stopObservingGTK()
    capture?.stopObservingGTK()
    // end
}
#endif
