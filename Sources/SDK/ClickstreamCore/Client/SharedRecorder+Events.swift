extension SharedRecorder {
    /// Records an event without items: see ``Recorder/record(_:_:_:at:)``.
    func record(_ name: String, _ attributes: Attributes, _ attempt: FastPathEvent.Attempt) {
        receive { $0.record(name, attributes, attempt, at: $1) }
    }

    /// Counts the outcome of the middleware for an event of the app, and records the event unless it was dropped.
    /// - Parameters:
    ///   - found: violations found before.
    ///   - userID: the user whose event it is; `nil` for the current one.
    ///   - moment: the time of the event; `nil` for now.
    func record(
        _ draft: DraftEvent,
        after outcome: MiddlewareOutcome,
        found: [Violation],
        as userID: String?,
        at moment: Moment?
    ) {
        let (name, attributes, items) = (draft.name, draft.attributes, draft.items)
        if outcome.droppedBy != nil {
            change { $0.count(outcome) }
        } else if items.isEmpty, found.isEmpty, userID == nil {
            FastPathEvent.attempt(name, attributes) { attempt in
                receive(at: moment) { recorder, moment in
                    if !outcome.changedBy.isEmpty { recorder.count(outcome) }
                    recorder.record(name, attributes, attempt, at: moment)
                }
            }
        } else {
            receive(at: moment) { recorder, moment in
                if !outcome.changedBy.isEmpty { recorder.count(outcome) }
                if let userID {
                    recorder.record(name, attributes, items, as: userID, at: moment)
                } else {
                    recorder.record(name, attributes, items, found: found, at: moment)
                }
            }
        }
    }
}
