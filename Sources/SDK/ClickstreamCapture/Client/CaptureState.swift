import ClickstreamCore

/// State of the capture of one client: classifies input, encodes each event, and stores it in every enabled format.
///
/// Owned by the client's recorder, and thus protected by the client's lock.
final class CaptureState: RecorderObserver {
    let configuration: CaptureConfiguration
    var session: CaptureSession
    private let recorders: CaptureConfiguration.Recorders
    /// Custom variables of the next screen.
    private var variables = CustomVariables()

    init(_ configuration: CaptureConfiguration, ids: any IDSource) {
        self.configuration = configuration
        recorders = CaptureConfiguration.Recorders(configuration)
        var session = CaptureSession(rules: configuration.classRules, ids: ids)
        session.enable(configuration.autoEvents)
        self.session = session
    }

    /// Starts to observe, and opens the queues of the enabled formats.
    func attach(to access: inout RecorderAccess, at moment: Moment) {
        access.observe(self)
        for destination in configuration.destinations(appID: access.configuration.appID) {
            access.open(destination)
        }
        begin(&access, at: moment)
    }

    // MARK: Captured events

    /// Performs an input, and records its events.
    func receive(
        _ access: inout RecorderAccess,
        at moment: Moment,
        _ body: (inout CaptureSession, Moment) -> [CapturedEvent]
    ) {
        var events = body(&session, moment)
        // The usual one is moved, not copied.
        if events.count == 1, let event = events.popLast() { return record(event, &access, now: moment) }
        for event in events { record(event, &access, now: moment) }
    }

    /// Records a captured event in every enabled format.
    private func record(_ event: CapturedEvent, _ access: inout RecorderAccess, now: Moment) {
        if !recordEncoded(event, &access, now: now), let draft = EventDraft(event) {
            access.record(draft, at: event.time, now: now)
        }
        recorders.record(event, &access)
    }

    /// Records an event without data of the app in the clickstream format, without a draft.
    /// - Returns: false if that is not possible.
    private func recordEncoded(_ event: CapturedEvent, _ access: inout RecorderAccess, now: Moment) -> Bool {
        if case .impressions = event.content { return false }
        guard let name = event.content.clickstreamName, event.properties.isEmpty, event.ids.isEmpty else {
            return false
        }
        return access.record(name, event.id, at: event.time, now: now) { event.appendFields(to: &$0) }
    }

    // MARK: Reported by the app

    func record(_ revenue: RevenueKind, _ properties: Attributes, _ access: inout RecorderAccess, at moment: Moment) {
        let event = session.revenue(revenue, properties, at: moment)
        access.record(EventDraft(event), at: moment, now: moment)
        recorders.record(.revenue(event), &access, at: moment)
    }

    func record(_ transaction: Capture.Transaction, id: UniqueID, _ access: inout RecorderAccess, at moment: Moment) {
        access.record(EventDraft(transaction, id: id), at: moment, now: moment)
        recorders.record(.transaction(transaction, id: id), &access, at: moment)
    }

    func record(_ variable: DynamicVariable, id: UniqueID, _ access: inout RecorderAccess, at moment: Moment) {
        access.record(EventDraft(variable, id: id), at: moment, now: moment)
        recorders.record(.variable(variable, id: id), &access, at: moment)
    }

    /// Reports a screen with custom variables.
    func show(_ screen: Screen, _ variables: CustomVariables, _ access: inout RecorderAccess, at moment: Moment) {
        self.variables = variables
        access.screen(screen, at: moment)
        self.variables = CustomVariables()
    }

    // MARK: Lifecycle

    func willLeave(_ access: inout RecorderAccess, at moment: Moment) {
        receive(&access, at: moment) { $0.background(at: $1) }
    }

    func didAppear(_ access: inout RecorderAccess, at moment: Moment) {
        receive(&access, at: moment) { $0.foreground(at: $1) }
    }

    func didRemoveEvents() {
        recorders.didRemoveEvents()
    }

    func didRecord(_ event: EventDraft, _ access: inout RecorderAccess, at moment: Moment) {
        switch event.name {
        case EventName.appStart where event.preset[AttributeName.isFirstTime] == .boolean(true):
            begin(&access, at: moment)
        case EventName.appStart:
            recorders.record(.show, &access, at: moment)
        case EventName.appEnd:
            recorders.record(.hide, &access, at: moment)
        case EventName.screenView:
            guard case .string(let name) = event.preset[AttributeName.screenName] else { return }
            var id: String?
            if case .string(let text) = event.preset[AttributeName.screenID] { id = text }
            recorders.record(.screen(name: name, id: id, variables), &access, at: moment)
        default:
            break
        }
    }

    /// Records the start of the app.
    private func begin(_ access: inout RecorderAccess, at moment: Moment) {
        recorders.record(.start, &access, at: moment)
        recorders.record(.show, &access, at: moment)
    }
}
