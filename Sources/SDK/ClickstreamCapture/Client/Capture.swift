public import ClickstreamCore

/// Automatic capture of one client: classifies input of the user interface, and records the events in every enabled
/// format.
///
/// An adapter of a toolkit reports input; an app without one reports its own. Input is classified once. The events are
/// recorded by the client in the clickstream format, and stored for other servers in queues of their own: an unavailable
/// server delays no other. Visibility of the app, screens, user and session are those of the client.
///
/// Every call is synchronous and callable from any thread; on return, the events would survive the death of the process.
/// Times are those of the client's clock at the call. The app keeps the object as long as it captures.
///
/// ```swift
/// let capture = Capture(
///     client: client,
///     configuration: CaptureConfiguration(autoEvents: [.viewController, .buttonClick])
/// )
/// capture.appear(Capture.Page(id: InstanceID(1), className: "HomeViewController"))
/// ```
public final class Capture: Sendable {
    package let client: ClickstreamClient
    /// The settings at the start.
    package let configuration: CaptureConfiguration
    /// Timer of the next scroll that ends.
    private let timer: FlushTimer

    /// Starts to capture, and opens the queues of the enabled formats. One capture per client: a later one replaces it, and
    /// receives the calls of both.
    /// - Parameters:
    ///   - client: the client that records the events, which the capture retains.
    ///   - configuration: the formats, and the types of events to capture.
    public init(client: ClickstreamClient, configuration: CaptureConfiguration) {
        self.client = client
        self.configuration = configuration
        timer = FlushTimer(time: client.time, isNeeded: true)
        client.withAccess { access, moment in
            CaptureState(configuration, ids: client.ids).attach(to: &access, at: moment)
        }
    }

    deinit {
        timer.cancel()
    }

    // MARK: Settings

    /// Enables types of auto events. They cannot be disabled again.
    public func enable(_ types: [AutoEventType]) {
        withState { state, _, _ in state.session.enable(types) }
    }

    /// Adds a localized string to the table that finds the key of a text.
    public func resolve(key: String, to text: String) {
        withState { state, _, _ in state.session.resolve(key: key, to: text) }
    }

    /// The number of touch gestures without a class, for which no event is created.
    package var unclassifiedGestures: Int {
        var count = 0
        withState { state, _, _ in count = state.session.unclassified }
        return count
    }

    // MARK: Pages

    /// A page was created.
    public func load(_ page: Page) {
        receive { $0.load(page, at: $1) }
    }

    /// A page appeared; one that was not loaded is loaded before. It is also a screen, unless it is a container.
    public func appear(_ page: Page) {
        let isScreen = configuration.tracksScreens && !page.isContainer
        change { state, access, moment in
            state.receive(&access, at: moment) { $0.appear(page, at: $1) }
            if isScreen { state.show(Screen(name: page.className), CustomVariables(), &access, at: moment) }
        }
    }

    /// A page disappeared: its scrolls and impressions end.
    public func disappear(_ page: InstanceID) {
        receive { $0.disappear(page, at: $1) }
    }

    /// A page was removed: its identifier may be reused.
    public func unload(_ page: InstanceID) {
        receive { $0.unload(page, at: $1) }
    }

    // MARK: Elements

    /// An element was removed: its scroll and impressions end, its identifier may be reused.
    public func remove(_ element: InstanceID) {
        receive { $0.remove(element, at: $1) }
    }

    /// The user activated an element.
    public func click(_ path: ElementPath) {
        receive { $0.click(path, at: $1) }
    }

    /// A finger touched the screen, moved or left it. Costs less than a microsecond, and no allocation, unless a gesture
    /// is complete.
    /// - Parameters:
    ///   - touch: the touch event of one finger.
    ///   - target: returns the element that was at a point when the finger came down. Called on this thread when a
    ///     gesture is complete.
    public func touch(_ touch: Touch, target: (Point) -> ElementPath) {
        var complete: (gesture: TouchGesture, moment: Moment)?
        withState { state, _, moment in
            guard let gesture = state.session.receive(touch, at: moment) else { return }
            complete = (gesture, moment)
        }
        guard let (gesture, moment) = complete else { return }
        let path = target(gesture.start)
        receive(at: moment) { $0.record(gesture, on: path, at: $1) }
    }

    /// A recognizer of the toolkit fired.
    public func gesture(_ gesture: RecognizedGesture, on path: ElementPath) {
        receive { $0.gesture(gesture, on: path, at: $1) }
    }

    /// A scroll view has this position. The first report is its position at rest.
    public func scroll(_ path: ElementPath, to position: ScrollPosition) {
        receive { $0.scroll(path, to: position, at: $1) }
    }

    /// A table or collection has this layout.
    /// - Parameters:
    ///   - layout: the visible items.
    ///   - path: the table or collection.
    ///   - source: the source of the items' data, called for items that were not visible before; not retained.
    public func show(_ layout: VisibleItems, in path: ElementPath, source: (any ItemsViewDataSource)? = nil) {
        var data = ItemsData()
        if let source {
            var missing: [Int] = []
            withState { state, _, _ in missing = state.session.itemsWithoutData(layout, in: path) }
            data.event = source.eventData() ?? [:]
            for index in missing { data.items[index] = source.itemData(for: index) ?? [:] }
        }
        receive { [data] in $0.show(layout, in: path, data: data, at: $1) }
    }

    // MARK: Reported by the app

    /// A screen appeared, with custom variables. As `ClickstreamClient.screen(name:id:uniqueID:)`; the variables are
    /// part of the event in formats with custom variables. A screen has at most 20 variables with different indexes;
    /// further ones are dropped with a warning.
    public func screen(name: String, id: String? = nil, uniqueID: String? = nil, variables: [CustomVariable] = []) {
        let variables = CustomVariables(variables)
        for warning in variables.warnings { client.note(.warning(warning)) }
        withState { state, access, moment in
            state.show(Screen(name: name, id: id, uniqueID: uniqueID), variables, &access, at: moment)
        }
    }

    /// The user purchased something.
    public func transaction(_ transaction: Transaction) {
        let id = client.ids.next()
        withState { state, access, moment in state.record(transaction, id: id, &access, at: moment) }
    }

    /// The app assigns a variable to the session.
    public func variable(_ variable: DynamicVariable) {
        let id = client.ids.next()
        withState { state, access, moment in state.record(variable, id: id, &access, at: moment) }
    }

    /// The app reports revenue, with data of its own.
    public func revenue(_ kind: RevenueKind, properties: Attributes = [:]) {
        withState { state, access, moment in state.record(kind, properties, &access, at: moment) }
    }

    // MARK: Input

    private func receive(at moment: Moment? = nil, _ body: (inout CaptureSession, Moment) -> [CapturedEvent]) {
        change(at: moment) { state, access, moment in state.receive(&access, at: moment, body) }
    }

    /// Performs a change, and sets the timer for the next scroll that ends, unless it is set.
    private func change(at moment: Moment? = nil, _ body: (CaptureState, inout RecorderAccess, Moment) -> Void) {
        var wait: Int64?
        withState(at: moment) { state, access, moment in
            body(state, &access, moment)
            let deadline = state.session.deadline
            if deadline < .max { wait = max(1, deadline - moment.steady) }
        }
        guard let wait, timer.isIdle else { return }
        timer.arm(after: wait) { [weak self] in self?.receive { $0.advance(to: $1) } }
    }

    /// Runs `body` with the state of the client's capture, under the client's lock.
    private func withState(at moment: Moment? = nil, _ body: (CaptureState, inout RecorderAccess, Moment) -> Void) {
        client.withAccess(at: moment) { access, moment in
            guard let state = access.observer as? CaptureState else { return }
            body(state, &access, moment)
        }
    }
}
