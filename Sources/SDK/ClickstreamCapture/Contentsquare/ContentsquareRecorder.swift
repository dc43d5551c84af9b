import ClickstreamCore

/// Recorder of events in the Contentsquare format.
final class ContentsquareRecorder: FormatRecorder {
    private let build: ContentsquareBuild
    private var encoder = ContentsquareEncoder()

    init(_ settings: ContentsquareSettings) {
        build = settings.build
    }

    func record(_ event: CapturedEvent, _ access: inout RecorderAccess) {
        guard let json = encoder.encode(event, in: context(access)) else { return }
        store(json, &access, at: event.time)
    }

    func record(_ event: AppEvent, _ access: inout RecorderAccess, at moment: Moment) {
        switch event {
        case .start:
            encoder = ContentsquareEncoder()
            record(.start, id: access.newID(), &access, at: moment)
        case .show:
            record(.show, id: access.newID(), &access, at: moment)
        case .hide:
            record(.hide, id: access.newID(), &access, at: moment)
        case .screen(let name, let id, let variables):
            let screen = ContentsquareScreen(name: name, className: id ?? name)
            record(.screen(screen, variables), id: access.newID(), &access, at: moment)
        case .transaction(let transaction, let id):
            record(.transaction(transaction), id: id, &access, at: moment)
        case .variable(let variable, let id):
            record(.variable(variable), id: id, &access, at: moment)
        case .revenue:
            break
        }
    }

    private func record(
        _ action: ContentsquareAction,
        id: UniqueID,
        _ access: inout RecorderAccess,
        at moment: Moment
    ) {
        store(encoder.encode(action, id: id, at: moment, in: context(access)), &access, at: moment)
    }

    private func store(_ json: [UInt8], _ access: inout RecorderAccess, at moment: Moment) {
        let key =
            ContentsquareFormat.partition(user: access.user, session: access.session)
            ?? PartitionKey("\(access.session.number)/")
        access.store(json, partition: key, format: .contentsquare, at: moment)
    }

    private func context(_ access: borrowing RecorderAccess) -> ContentsquareContext {
        ContentsquareContext(
            appID: access.configuration.appID,
            device: access.device,
            session: access.session,
            isOnline: access.isOnline,
            build: build
        )
    }
}
