extension Recorder {
    /// Changes the configuration: each key from the next call on, a destination or an app id by a queue or store of its own.
    package mutating func configure(_ changed: Configuration, at moment: Moment) {
        let before = configuration
        guard settings.take(changed, warnings: &notices) else { return }
        if settings.namesAnotherApp, isRecording { return launchAnotherApp(from: before, at: moment) }
        let now = configuration
        if now.endpoint != before.endpoint || now.authCookie != before.authCookie { redirect(from: before) }
        if now.sampling != before.sampling { admission.sample(now.sampling) }
        composer.context.sendsUserAttributes = now.sendsUserAttributesInEveryEvent
        setGlobals(now.newGlobals(since: before), at: moment)
    }

    /// Records later events for another endpoint. State, session and screens stay.
    private mutating func redirect(from before: Configuration) {
        guard log.store.isOpen else { return }
        let run = log.store.run
        changeState { recorder in
            var destination = Destination(recorder.configuration)
            destination.appID = recorder.settings.appID
            do {
                try recorder.log.store.redirect(to: destination)
            } catch {
                recorder.settings.restoreDestination(of: before)
                recorder.notices.append(.warning("The endpoint stays \"\(before.endpoint)\": \(error)"))
                return
            }
            guard recorder.log.store.run != run, recorder.lifecycle.visibility != .ended else { return }
            recorder.log.store.state?.sessions.removeAll { $0.run == run }
            recorder.saveState()
            // The file for a crash belongs to the run folder of the session.
            recorder.crashDraft.move()
        }
    }
}

extension Configuration {
    /// Global attributes that this configuration sets; none if they are the same as before.
    func newGlobals(since before: Configuration) -> Attributes {
        globalAttributes == before.globalAttributes ? [:] : globalAttributes
    }
}
