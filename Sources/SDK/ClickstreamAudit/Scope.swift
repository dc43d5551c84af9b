#if Audit
import ClickstreamCore

extension Audit {
    /// Period in which the app's reads and writes are recorded, as one activity.
    ///
    /// The app keeps the object: a scope that is released without ``commit(completion:)`` or ``cancel()`` is cancelled, with a
    /// warning. Callable from any thread.
    public final class Scope: Sendable {
        private let events: Events
        private let recording: ScopeRecording

        init(_ events: Events, _ recording: ScopeRecording) {
            self.events = events
            self.recording = recording
        }

        deinit {
            guard events.cancel(recording) else { return }
            events.warn("The scope \"\(recording.activity)\" was released without commit or cancel: it is cancelled.")
        }

        /// The name of the activity.
        public var activity: String { recording.activity }

        /// True until the scope is committed or cancelled.
        public var isActive: Bool { recording.isActive }

        /// Ends the scope and stores its events, as ``commit(completion:)``. The handler of the configuration receives
        /// an error of storing; for a scope that has ended, the call does nothing.
        public func commit() {
            _ = events.commit(recording)
        }

        /// Ends the scope and stores its events: all of them or none.
        ///
        /// The write event contains committed changes only. Takes time for the recorded rows, about a second for the largest
        /// scope.
        /// - Parameter completion: called before the return, with `nil` when the events would survive the death of the process,
        ///   or with the reason why not. With ``AuditError/incomplete(database:reason:)`` they are stored, and rows are missing.
        public func commit(completion: (AuditError?) -> Void) {
            completion(events.commit(recording))
        }

        /// Ends the scope and stores its events, as ``commit(completion:)``, on another thread. In asynchronous functions, a call
        /// without a handler is this one.
        /// - Throws: the reason why the events would not survive the death of the process.
        public func commit() async throws(AuditError) {
            if let error = events.commit(recording) { throw error }
        }

        /// Ends the scope and drops its events.
        public func cancel() {
            _ = events.cancel(recording)
        }
    }
}
#endif
