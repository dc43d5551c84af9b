/// Effects of the lifecycle, and screens.
extension RecorderAccess {
    // MARK: Lifecycle

    /// Performs the effects of a lifecycle input, in order.
    mutating func perform(_ effects: [Lifecycle.Effect], at moment: Moment) {
        for effect in effects {
            switch effect {
            case .decideSession:
                changeState { access in
                    let next = access.lifecycle.decideSession(
                        lastNumber: access.log.store.lastNumber,
                        timeout: access.configuration.sessionTimeout.wholeMilliseconds,
                        uniqueID: access.user.uniqueID,
                        at: moment
                    )
                    access.perform(next, at: moment)
                }
            case .report(let decision): report(decision)
            case .enter(let session): composer.context.session = session
            case .show(let screen): composer.context.screen = screen
            case .becomeActive(let isActive): composer.context.isActive = isActive
            case .save(let events, let lastView): saveState(owing: events, viewBefore: lastView)
            case .saveIfFailing: if log.isFailing { saveState() }
            case .emit(let draft): record(lifecycleEvent: draft, at: moment)
            case .view(let view, let own, let items):
                perform(lifecycle.view(view, own: own, items: items, at: moment), at: moment)
            }
        }
    }

    mutating func report(_ decision: SessionMachine.Decision) {
        let number = lifecycle.session.number
        notices.append(.sessionDecided(number: number, isNew: decision.isNew, reason: decision.reason))
    }

    /// Records an event of the lifecycle, and reports it to the observer.
    mutating func record(lifecycleEvent draft: EventDraft, at moment: Moment) {
        emit(draft, at: moment)
        if let observer { observer.didRecord(draft, &self, at: moment) }
    }

    // MARK: Screens

    /// The platform reports that a screen appeared.
    package mutating func screen(_ screen: Screen, at moment: Moment) {
        guard isRecording, configuration.tracksScreenViews else { return }
        if let violation = Validator.checkScreenName(.string(screen.name)) { return reject(violation, at: moment) }
        show(screen.withUsableIDs, at: moment)
    }

    mutating func show(
        _ screen: Screen,
        own: Attributes = [:],
        items: [Attributes] = [],
        at moment: Moment
    ) {
        let tracksEngagement = configuration.tracksUserEngagement
        perform(
            lifecycle.show(screen, own: own, items: items, tracksEngagement: tracksEngagement, at: moment),
            at: moment
        )
    }
}
