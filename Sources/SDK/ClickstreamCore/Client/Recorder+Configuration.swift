extension Recorder {
    /// Changes the configuration: each key from the next call on, a destination or an app id by a queue or store of its own.
    package mutating func configure(_ changed: ClickstreamClient.Configuration, at moment: Moment) {
        let before = configuration
        guard access.settings.take(changed, warnings: &access.notices) else { return }
        if access.settings.namesAnotherApp, isRecording, launchAnotherApp(from: before, at: moment) { return }
        let now = configuration
        if now.endpoint != before.endpoint || now.authCookie != before.authCookie { redirect(from: before) }
        if now.sampling != before.sampling { access.admission.sample(now.sampling) }
        access.composer.context.sendsUserAttributes = now.sendsUserAttributesInEveryEvent
        setGlobals(now.newGlobals(since: before), at: moment)
    }

    /// Records later events for another endpoint. State, session and screens stay.
    private mutating func redirect(from before: ClickstreamClient.Configuration) {
        guard access.log.store.isOpen else { return }
        let run = access.log.store.run
        access.changeState { access in
            var destination = Destination(access.configuration)
            destination.appID = access.settings.appID
            do {
                try access.log.store.redirect(to: destination)
            } catch {
                access.settings.restoreDestination(of: before)
                access.warn(.settingNotChanged, "The endpoint stays \"\(before.endpoint)\": \(error)")
                return
            }
            guard access.log.store.run != run, access.lifecycle.visibility != .ended else { return }
            access.log.store.state?.sessions.removeAll { $0.run == run }
            access.saveState()
            // The file for a crash belongs to the run folder of the session.
            access.crashDraft.move()
        }
    }
}

extension ClickstreamClient.Configuration {
    /// Global attributes that this configuration sets; none if they are the same as before.
    func newGlobals(since before: ClickstreamClient.Configuration) -> Attributes {
        globalAttributes == before.globalAttributes ? [:] : globalAttributes
    }
}
