import ClickstreamCore

/// Recorder of events in the pulse format.
final class PulseRecorder: FormatRecorder {
    /// Events in the queue of the format, or sent from it.
    private var history = EventHistory()

    init(_ settings: PulseSettings) {}

    func record(_ event: CapturedEvent, _ access: inout RecorderAccess) {
        guard let json = encoder(access).encode(event) else { return }
        store(json, event.id, &access, at: event.time)
    }

    func record(_ event: AppEvent, _ access: inout RecorderAccess, at moment: Moment) {
        switch event {
        case .start: history = EventHistory()
        case .revenue(let event): store(encoder(access).encode(event), event.id, &access, at: moment)
        case .show, .hide, .screen, .transaction, .variable: break
        }
    }

    func didRemoveEvents() {
        history = EventHistory()
    }

    private func encoder(_ access: borrowing RecorderAccess) -> PulseEncoder {
        PulseEncoder(
            connection: PulseConnection(access.device, isOnline: access.isOnline),
            previousEvents: history.ids(in: access.session)
        )
    }

    /// Stores an event. Later events name it, unless its server cannot receive it.
    private func store(_ json: [UInt8], _ id: UniqueID, _ access: inout RecorderAccess, at moment: Moment) {
        switch access.store(json, partition: nil, format: .pulse, at: moment) {
        case .stored, .keptInMemory: history.append(id, in: access.session)
        case .disabled, .closed, .dropped, .failed: break
        }
    }
}
