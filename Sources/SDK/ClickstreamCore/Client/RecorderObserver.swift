/// Observer of the lifecycle of a recorder, such as automatic capture. Calls are made under the client's lock, in the
/// order of the events, and may record further events. The recorder owns the observer: another thread has no reference to it.
package protocol RecorderObserver: AnyObject {
    /// The app is about to become invisible or to end. Events that are recorded here precede `_app_end`.
    func willLeave(_ access: inout RecorderAccess, at moment: Moment)
    /// The app became visible; its session is decided.
    func didAppear(_ access: inout RecorderAccess, at moment: Moment)
    /// Events of all formats were removed before they were sent: consent was withdrawn, or everything was erased, by this
    /// process or another one.
    func didRemoveEvents()
    /// An event of the lifecycle was recorded, such as `_app_start`, `_app_end` or `_screen_view`.
    func didRecord(_ event: EventDraft, _ access: inout RecorderAccess, at moment: Moment)
}

extension RecorderAccess {
    /// Sets the observer, which a change of the app id keeps. A later call replaces it.
    package mutating func observe(_ observer: any RecorderObserver) {
        self.observer = observer
    }
}
