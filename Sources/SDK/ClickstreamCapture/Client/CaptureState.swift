import ClickstreamCore

/// State of the capture of one client: classifies input, encodes each event, and stores it in every enabled format.
///
/// Sendable without a lock of its own: each method is called with the client's recorder, and thus under the client's
/// lock, as an observer or from `ClickstreamClient.perform`. A class, because client and capture share it.
final class CaptureState: RecorderObserver, @unchecked Sendable {
    let configuration: CaptureConfiguration
    private var session: CaptureSession
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

    /// Reads or changes the session.
    func withSession<Result>(_ recorder: borrowing Recorder, _ body: (inout CaptureSession) -> Result) -> Result {
        body(&session)
    }

    /// The monotonic time at which the next scroll ends.
    func deadline(_ recorder: borrowing Recorder) -> Int64 { session.deadline }

    /// Starts to observe, and opens the queues of the enabled formats.
    func attach(to recorder: inout Recorder, at moment: Moment) {
        recorder.observe(self)
        for destination in configuration.destinations(appID: recorder.configuration.appID) {
            recorder.open(destination)
        }
        begin(&recorder, at: moment)
    }

    // MARK: Captured events

    /// Performs an input, and records its events.
    func receive(
        _ recorder: inout Recorder,
        at moment: Moment,
        _ body: (inout CaptureSession, Moment) -> [CapturedEvent]
    ) {
        var events = body(&session, moment)
        // The usual one is moved, not copied.
        if events.count == 1, let event = events.popLast() { return record(event, &recorder, now: moment) }
        for event in events { record(event, &recorder, now: moment) }
    }

    /// Records a captured event in every enabled format.
    private func record(_ event: CapturedEvent, _ recorder: inout Recorder, now: Moment) {
        if !recordEncoded(event, &recorder, now: now), let draft = EventDraft(event) {
            recorder.record(draft, at: event.time, now: now)
        }
        if configuration.pulse != nil, let json = pulseEncoder(recorder).encode(event) {
            store(pulse: json, event.id, &recorder, at: event.time)
        }
        guard let context = context(recorder) else { return }
        let json = contentsquare.encode(event, in: context)
        if let json { store(contentsquare: json, &recorder, at: event.time) }
    }

    /// Records an event without data of the app in the clickstream format, without a draft.
    /// - Returns: false if that is not possible.
    private func recordEncoded(_ event: CapturedEvent, _ recorder: inout Recorder, now: Moment) -> Bool {
        if case .impressions = event.content { return false }
        guard let name = event.content.clickstreamName, event.properties.isEmpty, event.ids.isEmpty else {
            return false
        }
        return recorder.record(name, event.id, at: event.time, now: now) { event.appendFields(to: &$0) }
    }

    private func pulseEncoder(_ recorder: borrowing Recorder) -> PulseEncoder {
        PulseEncoder(
            connection: PulseConnection(recorder.device, isOnline: recorder.isOnline),
            previousEvents: history.ids(in: recorder.session)
        )
    }

    /// Stores an event in the pulse format. Later events name it, unless its server cannot receive it.
    private func store(pulse json: [UInt8], _ id: UniqueID, _ recorder: inout Recorder, at moment: Moment) {
        switch recorder.store(json, partition: nil, format: PulseFormat.name, at: moment) {
        case .stored, .keptInMemory: history.append(id, in: recorder.session)
        case .disabled, .closed, .dropped, .failed: break
        }
    }

    // MARK: Reported by the app

    func record(_ revenue: RevenueKind, _ properties: Attributes, _ recorder: inout Recorder, at moment: Moment) {
        let event = session.revenue(revenue, properties, at: moment)
        recorder.record(EventDraft(event), at: moment, now: moment)
        guard configuration.pulse != nil else { return }
        store(pulse: pulseEncoder(recorder).encode(event), event.id, &recorder, at: moment)
    }

    func record(_ transaction: Transaction, id: UniqueID, _ recorder: inout Recorder, at moment: Moment) {
        recorder.record(EventDraft(transaction, id: id), at: moment, now: moment)
        record(.transaction(transaction), id: id, &recorder, at: moment)
    }

    func record(_ variable: DynamicVariable, id: UniqueID, _ recorder: inout Recorder, at moment: Moment) {
        recorder.record(EventDraft(variable, id: id), at: moment, now: moment)
        record(.variable(variable), id: id, &recorder, at: moment)
    }

    /// Reports a screen with custom variables.
    func show(_ screen: Screen, _ variables: [CustomVariable], _ recorder: inout Recorder, at moment: Moment) {
        let variables = CustomVariables(variables)
        for warning in variables.warnings { recorder.warn(warning) }
        self.variables = variables
        recorder.screen(screen, at: moment)
        self.variables = CustomVariables()
    }

    // MARK: Lifecycle

    func willLeave(_ recorder: inout Recorder, at moment: Moment) {
        receive(&recorder, at: moment) { $0.background(at: $1) }
    }

    func didAppear(_ recorder: inout Recorder, at moment: Moment) {
        receive(&recorder, at: moment) { $0.foreground(at: $1) }
    }

    func didRemoveEvents(_ recorder: inout Recorder) {
        history = EventHistory()
    }

    func didRecord(_ event: EventDraft, _ recorder: inout Recorder, at moment: Moment) {
        switch event.name {
        case EventName.appStart where event.preset[AttributeName.isFirstTime] == .boolean(true):
            begin(&recorder, at: moment)
        case EventName.appStart:
            record(.show, &recorder, at: moment)
        case EventName.appEnd:
            record(.hide, &recorder, at: moment)
        case EventName.screenView:
            guard case .string(let name) = event.preset[AttributeName.screenName] else { return }
            var screen = ContentsquareScreen(name: name, className: name)
            if case .string(let id) = event.preset[AttributeName.screenID] { screen.className = id }
            record(.screen(screen, variables), &recorder, at: moment)
        default:
            break
        }
    }

    /// Records the start of the app.
    private func begin(_ recorder: inout Recorder, at moment: Moment) {
        contentsquare = ContentsquareEncoder()
        history = EventHistory()
        record(.start, &recorder, at: moment)
        record(.show, &recorder, at: moment)
    }

    // MARK: Contentsquare

    /// Records an event of the Contentsquare format, if it is enabled.
    private func record(
        _ action: ContentsquareAction,
        id: UniqueID? = nil,
        _ recorder: inout Recorder,
        at moment: Moment
    ) {
        guard let context = context(recorder) else { return }
        let id = id ?? recorder.newID()
        let json = contentsquare.encode(action, id: id, at: moment, in: context)
        store(contentsquare: json, &recorder, at: moment)
    }

    private func store(contentsquare json: [UInt8], _ recorder: inout Recorder, at moment: Moment) {
        let key =
            ContentsquareFormat.partition(user: recorder.user, session: recorder.session)
            ?? PartitionKey("\(recorder.session.number)/")
        recorder.store(json, partition: key, format: ContentsquareFormat.name, at: moment)
    }

    /// The state of the app for an event of the Contentsquare format; `nil` if the format is disabled.
    private func context(_ recorder: borrowing Recorder) -> ContentsquareContext? {
        guard let settings = configuration.contentsquare else { return nil }
        return ContentsquareContext(
            appID: recorder.configuration.appID,
            device: recorder.device,
            session: recorder.session,
            isOnline: recorder.isOnline,
            build: settings.build
        )
    }
}
