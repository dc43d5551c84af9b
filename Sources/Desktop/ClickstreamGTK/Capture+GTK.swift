#if GTK
import CGtk4
public import ClickstreamAnalytics
public import ClickstreamCapture

extension Capture {
    /// Enables types of auto events, and reports the input of GTK that they need to this object.
    ///
    /// Call it after `gtk_init`, or before `g_application_run`, in which case it takes effect when the application starts
    /// up. Windows that exist already are reported at once. Installs emission hooks on the signals that report the input,
    /// for all widgets of the process; signals of types that are not enabled have none. A second object replaces the
    /// first. The object is retained until ``stopObservingGTK()``. Costs less than 5 ms.
    /// - Parameters:
    ///   - types: the types of auto events; all unless given.
    ///   - tracksVisibility: true if the app enters the background and the foreground with its windows: it is visible
    ///     while one of them is active.
    @MainActor
    public func observeGTK(_ types: [AutoEventType] = AutoEventType.all, tracksVisibility: Bool = true) {
        MainQueueSource.attach()
        enable(types)
        GTKAdapter.start(self, types, tracksVisibility: tracksVisibility)
    }

    /// Removes all hooks, if this object observes GTK. Types of auto events remain enabled.
    @MainActor
    public func stopObservingGTK() {
        GTKAdapter.stop(self)
    }
}

extension ClickstreamAnalytics {
    /// Starts the SDK, unless it is running, and captures all input of GTK: the only call that an application needs.
    ///
    /// ```swift
    /// try ClickstreamAnalytics.observeGTK()
    /// g_application_run(app, 0, nil)
    /// ```
    /// - Parameters:
    ///   - configuration: settings of capture; all types of auto events and no further formats unless given. Without
    ///     types, all are enabled.
    ///   - sdk: settings of the SDK, as in `initSDK(_:)`.
    /// - Throws: as `initSDK(_:)`, except that a running SDK is used.
    /// - Returns: the capture, which is retained.
    @MainActor
    @discardableResult
    public static func observeGTK(
        _ configuration: CaptureConfiguration = CaptureConfiguration(),
        sdk: ClickstreamConfiguration? = nil
    ) throws -> Capture? {
        if client == nil { try initSDK(sdk) }
        guard let client else { return nil }
        var configuration = configuration
        if configuration.autoEvents.isEmpty { configuration.autoEvents = AutoEventType.all }
        let capture = Capture(client: client, configuration: configuration)
        capture.observeGTK(configuration.autoEvents)
        return capture
    }
}
#endif
