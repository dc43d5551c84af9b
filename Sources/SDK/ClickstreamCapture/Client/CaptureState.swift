import ClickstreamCore

/// State of the capture of one client: classifies input, encodes each event, and stores it in every enabled format.
///
/// Owned by the client's recorder, and thus protected by the client's lock.
final class CaptureState: RecorderObserver {
    let configuration: CaptureConfiguration
    var session: CaptureSession
    private var contentsquare = ContentsquareEncoder()
    /// Events in the queue of the pulse format, or sent from it.
    private var history = EventHistory()
    /// Custom variables of the next screen.
    private var variables = CustomVariables()

    init(_ configuration: CaptureConfiguration, ids: any IDSource) {
        self.configuration = configuration
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
        if configuration.pulse != nil, let json = pulseEncoder(access).encode(event) {
            store(pulse: json, event.id, &access, at: event.time)
        }
        guard let context = context(access) else { return }
        let json = contentsquare.encode(event, in: context)
        if let json { store(contentsquare: json, &access, at: event.time) }
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

    private func pulseEncoder(_ access: borrowing RecorderAccess) -> PulseEncoder {
        PulseEncoder(
            connection: PulseConnection(access.device, isOnline: access.isOnline),
            previousEvents: history.ids(in: access.session)
        )
    }

    /// Stores an event in the pulse format. Later events name it, unless its server cannot receive it.
    private func store(pulse json: [UInt8], _ id: UniqueID, _ access: inout RecorderAccess, at moment: Moment) {
        switch access.store(json, partition: nil, format: PulseFormat.name, at: moment) {
        case .stored, .keptInMemory: history.append(id, in: access.session)
        case .disabled, .closed, .dropped, .failed: break
        }
    }

    // MARK: Reported by the app

    func record(_ revenue: RevenueKind, _ properties: Attributes, _ access: inout RecorderAccess, at moment: Moment) {
        let event = session.revenue(revenue, properties, at: moment)
        access.record(EventDraft(event), at: moment, now: moment)
        guard configuration.pulse != nil else { return }
        store(pulse: pulseEncoder(access).encode(event), event.id, &access, at: moment)
    }

    func record(_ transaction: Transaction, id: UniqueID, _ access: inout RecorderAccess, at moment: Moment) {
        access.record(EventDraft(transaction, id: id), at: moment, now: moment)
        record(.transaction(transaction), id: id, &access, at: moment)
    }

    func record(_ variable: DynamicVariable, id: UniqueID, _ access: inout RecorderAccess, at moment: Moment) {
        access.record(EventDraft(variable, id: id), at: moment, now: moment)
        record(.variable(variable), id: id, &access, at: moment)
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
        history = EventHistory()
    }

    func didRecord(_ event: EventDraft, _ access: inout RecorderAccess, at moment: Moment) {
        switch event.name {
        case EventName.appStart where event.preset[AttributeName.isFirstTime] == .boolean(true):
            begin(&access, at: moment)
        case EventName.appStart:
            record(.show, &access, at: moment)
        case EventName.appEnd:
            record(.hide, &access, at: moment)
        case EventName.screenView:
            guard case .string(let name) = event.preset[AttributeName.screenName] else { return }
            var screen = ContentsquareScreen(name: name, className: name)
            if case .string(let id) = event.preset[AttributeName.screenID] { screen.className = id }
            record(.screen(screen, variables), &access, at: moment)
        default:
            break
        }
    }

    /// Records the start of the app.
    private func begin(_ access: inout RecorderAccess, at moment: Moment) {
        contentsquare = ContentsquareEncoder()
        history = EventHistory()
        record(.start, &access, at: moment)
        record(.show, &access, at: moment)
    }

    // MARK: Contentsquare

    /// Records an event of the Contentsquare format, if it is enabled.
    private func record(
        _ action: ContentsquareAction,
        id: UniqueID? = nil,
        _ access: inout RecorderAccess,
        at moment: Moment
    ) {
        guard let context = context(access) else { return }
        let id = id ?? access.newID()
        let json = contentsquare.encode(action, id: id, at: moment, in: context)
        store(contentsquare: json, &access, at: moment)
    }

    private func store(contentsquare json: [UInt8], _ access: inout RecorderAccess, at moment: Moment) {
        let key =
            ContentsquareFormat.partition(user: access.user, session: access.session)
            ?? PartitionKey("\(access.session.number)/")
        access.store(json, partition: key, format: ContentsquareFormat.name, at: moment)
    }

    /// The state of the app for an event of the Contentsquare format; `nil` if the format is disabled.
    private func context(_ access: borrowing RecorderAccess) -> ContentsquareContext? {
        guard let settings = configuration.contentsquare else { return nil }
        return ContentsquareContext(
            appID: access.configuration.appID,
            device: access.device,
            session: access.session,
            isOnline: access.isOnline,
            build: settings.build
        )
    }
}
