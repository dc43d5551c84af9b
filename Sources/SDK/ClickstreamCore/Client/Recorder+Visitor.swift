extension Recorder {
    /// Records an event of a visitor instead of this device's user, with the visitor's fields alone; for a tool that records
    /// for others. The session and the screens of the app stay as they are.
    package mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        for visitor: Visitor,
        at moment: Moment
    ) {
        guard isRecording else { return log.store.count(refusal) }
        var found: [Violation] = []
        guard let visitor = visitor.checked(into: &found) else {
            for violation in found { log.store.countRejected(violation.code) }
            notices.append(.rejected(found))
            return
        }
        let includesAttributes = configuration.sendsUserAttributesInEveryEvent || name == EventName.profileSet
        let composer = VisitorComposer(
            writer: VisitorWriter(appID: settings.appID, app: device.app),
            globals: composer.context.globals.attributes,
            ids: composer.ids
        )
        let (composed, rejected) = VisitorFields.of(visitor, at: moment.wall, userAttributes: includesAttributes) {
            composer.compose(
                name,
                attributes,
                items,
                visitor,
                $0,
                session: nil,
                found: found,
                into: &log.line,
                at: moment.wall
            )
        }
        if let rejected {
            log.store.countRejected(rejected.code)
            notices.append(.rejected([rejected]))
        }
        append(composed.name, composed.id, isActive: false, at: moment.wall, violations: composed.violations)
    }
}
