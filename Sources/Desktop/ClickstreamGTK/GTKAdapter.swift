#if GTK
import CGtk4
import ClickstreamCapture
import ClickstreamCore

/// Adapter of GTK: describes widgets as input of one capture. Signals reach it on the thread of the user interface.
@MainActor
final class GTKAdapter {
    private static var current: GTKAdapter?

    let capture: Capture
    private let types: [AutoEventType]
    let tracksVisibility: Bool
    private var hooks: [SignalHook] = []

    // State of the concepts, each changed in the file of its name.
    var pages = VisiblePages()
    var input = UserInput()
    var fingers = Fingers()
    var pointerPosition = PointerPosition()
    var visibility = AppVisibility()
    let visibilityTimeout = Timeout()
    var pendingValue: (id: InstanceID, path: Capture.ElementPath)?
    let valueTimeout = Timeout()
    var pendingAction: String?
    /// Set while the toolkit handles a release or a key.
    let dispatchTimeout = Timeout()
    /// Kinds of widgets whose signals have no hooks yet: none of them was on the screen.
    var unhookedKinds: Set<WidgetClass.Kind> = []
    var scrollViews: [UnsafeMutableRawPointer: ScrollView] = [:]
    var lists: [UnsafeMutableRawPointer: VisibleItems?] = [:]
    /// Items of lists that are bound to a position.
    var boundItems: Set<UnsafeMutableRawPointer> = []
    let listTimeout = Timeout()
    var gestureValues: [UnsafeMutableRawPointer: Double] = [:]
    var gestureStarts: [UnsafeMutableRawPointer: (point: Capture.Point, widget: InstanceID?)] = [:]
    /// Objects with an observer of their end, and handlers of their signals.
    var observed: [UnsafeMutableRawPointer: [gulong]] = [:]

    private init(_ capture: Capture, _ types: [AutoEventType], tracksVisibility: Bool) {
        self.capture = capture
        self.types = types
        self.tracksVisibility = tracksVisibility
    }

    // MARK: Start and end

    static func start(_ capture: Capture, _ types: [AutoEventType], tracksVisibility: Bool) {
        current?.stop()
        let adapter = GTKAdapter(capture, types, tracksVisibility: tracksVisibility)
        current = adapter
        guard gtk_is_initialized() == 0 else { return adapter.install() }
        // The class handler of the signal, which runs before the hook, initializes the toolkit.
        adapter.hook(g_application_get_type(), "startup") { adapter, _ in adapter.installOnce() }
    }

    static func stop(_ capture: Capture) {
        guard let current, current.capture === capture else { return }
        current.stop()
        self.current = nil
    }

    /// The adapter that observes GTK.
    static var active: GTKAdapter? { current }

    private var isInstalled = false

    private func installOnce() {
        guard !isInstalled, gtk_is_initialized() != 0 else { return }
        install()
    }

    private func install() {
        isInstalled = true
        hookSurfaces()
        hookPages()
        if isEnabled(Self.clickTypes) { hookActions() }
        if isEnabled([.scroll]) { hookScrolls() }
        if isEnabled([.tableViewImpression, .collectionViewImpression]) { hookLists() }
        if isEnabled([.gesture]) { hookGestures() }
        reportExistingWindows()
    }

    private func stop() {
        for hook in hooks { hook.remove() }
        hooks = []
        for timeout in [visibilityTimeout, valueTimeout, dispatchTimeout, listTimeout] { timeout.cancel() }
        for object in Array(observed.keys) { forget(object) }
    }

    private static let clickTypes: [AutoEventType] = [
        .buttonClick, .sliderControlClick, .switchControlClick, .stepperControlClick, .segmentedControlClick,
        .barButtonClick, .tableViewClick, .collectionViewClick,
    ]

    func isEnabled(_ wanted: [AutoEventType]) -> Bool { types.contains { wanted.contains($0) } }

    // MARK: Signals

    /// Installs an emission hook until the end of the adapter.
    func hook(
        _ type: GType,
        _ signal: String,
        _ body: @escaping @MainActor (GTKAdapter, UnsafePointer<GValue>) -> Void
    ) {
        let hook = SignalHook(type, signal) { [weak self] values in
            guard let self else { return }
            body(self, values)
        }
        if let hook { hooks.append(hook) }
    }

    // MARK: Objects

    /// Observes the end of an object, and signals of it until then.
    func observe(_ object: UnsafeMutableRawPointer, notifications: [String] = []) {
        guard observed[object] == nil else { return }
        g_object_weak_ref(object.assumingMemoryBound(to: GObject.self), objectEnded, nil)
        observed[object] = notifications.map { clickstream_connect_notify(object, $0, propertyChanged) }
    }

    /// Ends the observation of an object that exists.
    private func forget(_ object: UnsafeMutableRawPointer) {
        guard let handlers = observed.removeValue(forKey: object) else { return }
        for handler in handlers { g_signal_handler_disconnect(object, handler) }
        g_object_weak_unref(object.assumingMemoryBound(to: GObject.self), objectEnded, nil)
    }

    /// Handles the end of an object: its address may be reused.
    fileprivate func ended(_ object: UnsafeMutableRawPointer) {
        observed[object] = nil
        perform(pages.unmap(InstanceID(object)))
        capture.unload(InstanceID(object))
        let isScrollView = scrollViews.contains { $0.value.widget.object == object }
        if isScrollView { scrollViews = scrollViews.filter { $0.value.widget.object != object } }
        let isList = lists.removeValue(forKey: object) != nil
        if isList || isScrollView { capture.remove(InstanceID(object)) }
    }

    // MARK: Time

    /// The time of the client's clock.
    var now: Int64 { capture.client.time.now().steady }
}

/// Receiver of the end of an object, called on the thread that releases it, which is that of the user interface.
private let objectEnded: GWeakNotify = { _, object in
    guard let object else { return }
    let end = UnsafeMutableRawPointer(object)
    nonisolated(unsafe) let ended = end
    MainActor.assumeIsolated { GTKAdapter.active?.ended(ended) }
}

/// Receiver of property changes of windows.
private let propertyChanged:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<GParamSpec>?, UnsafeMutableRawPointer?) -> Void = {
        _,
        _,
        _ in MainActor.assumeIsolated { GTKAdapter.active?.activityChanged() }
    }
#endif
