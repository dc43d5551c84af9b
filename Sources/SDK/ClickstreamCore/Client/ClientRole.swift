/// Role of a process in an app's store.
package enum ClientRole: Sendable {
    /// The app, whose launch is recorded. With `goesToMemory`, events are kept in memory while the store's folder is unusable.
    case app(goesToMemory: Bool)
    /// A tool that records events from outside the app: in the stored session or the next, without lifecycle events. It
    /// continues the run folder with the number `runAfter`, to which it recorded before.
    case recording(runAfter: Int? = nil)
    /// A tool that delivers the queue or changes it, and records nothing.
    case delivery

    package var launches: Bool {
        if case .app = self { true } else { false }
    }

    /// True if a tool records.
    var records: Bool {
        if case .recording = self { true } else { false }
    }
}
