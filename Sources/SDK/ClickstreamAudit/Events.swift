#if Audit
import CClickstreamSQLite
public import ClickstreamCore
public import GRDB

extension Audit {
    /// Audit events of an app: what it reads and writes in its databases while a scope is active, and events of its own.
    ///
    /// Events are stored in a queue of the client's store, and uploaded with the guarantees of all its events. Every call is
    /// callable from any thread, and synchronous unless it is awaited.
    ///
    /// ```swift
    /// let events = try Audit.Events(EventConfiguration(metadata: ["username": "carl"]), in: client)
    /// var configuration = GRDB.Configuration()
    /// events.observe(&configuration)
    /// let database = try DatabasePool(path: path, configuration: configuration)
    ///
    /// let scope = events.beginScope(activity: "read object")
    /// let person = try database.read { try Person.fetchOne($0, key: 1) }
    /// scope.commit()
    /// ```
    public final class Events: Sendable {
        /// Metadata of the next scope, and what has been assigned and begun.
        private struct State: Sendable {
            var metadata: [UInt8] = []
            var ids: ObjectIDSource
            var recordings: [ScopeRecording] = []
            /// The schemas of tables, by their definition: the same for all connections to a database.
            var schemas: [SchemaKey: TableSchema] = [:]
        }

        private struct SchemaKey: Hashable, Sendable {
            let database: String
            let table: ExactText
            let signature: ExactText
        }

        /// The counter that connections compare with: changed when a scope begins or ends.
        final class Generation: Sendable {
            // The counter is atomic, and freed with the last reference.
            nonisolated(unsafe) let counter: OpaquePointer

            init() {
                guard let counter = clickstream_generation_new() else { preconditionFailure("out of memory") }
                self.counter = counter
            }

            deinit {
                clickstream_generation_free(counter)
            }
        }

        let configuration: EventConfiguration
        let tracking: ChangeTracking
        let generation = Generation()
        private let auditStore: any AuditStore
        private let time: any TimeSource
        private let state: Locked<State>
        /// The file system of databases, which SQLite opens on the machine itself.
        let files: any FileSystem = LocalFileSystem()
        /// The name of this process in outboxes; `nil` without an outbox.
        private let outboxID: String?
        /// The outboxes of this process, by the file of the database.
        private let outboxes = Locked<[String: OutboxOwner]>([:])

        /// Opens the queue of audit events in the client's store.
        /// - Throws: ``AuditError/invalidPartitionPrefix(_:)``.
        public convenience init(_ configuration: EventConfiguration, in client: ClickstreamClient) throws(AuditError) {
            let store = try ClientAuditStore(client, configuration)
            self.init(configuration, store: store, time: client.time, ids: client.ids)
        }

        /// - Parameter tracking: the mechanism that reports changes.
        package init(
            _ configuration: EventConfiguration,
            store: any AuditStore,
            time: any TimeSource,
            ids: any IDSource,
            tracking: ChangeTracking = .automatic
        ) {
            self.configuration = configuration
            self.tracking = tracking.usable
            auditStore = store
            self.time = time
            state = Locked(State(ids: ObjectIDSource(ids)))
            outboxID = configuration.usesOutbox ? OutboxOwner.newID(ids) : nil
            updateMetadata(configuration.metadata)
        }

        // MARK: Databases

        /// Observes databases that are opened with a configuration: of a queue or a pool, the writer and the readers. Call it
        /// before opening.
        ///
        /// Uses SQLite's trace function and pre-update hook, of which a connection has one each: an app does not use GRDB's
        /// `Database.trace(options:_:)` or another pre-update hook on the same connection. Without a scope, the cost is one
        /// comparison per statement.
        public func observe(_ configuration: inout GRDB.Configuration) {
            configuration.prepareDatabase { [self] database in ObservedConnection.attach(to: database, self) }
        }

        // MARK: Scopes

        /// Begins a scope: reads and writes are recorded until it is committed or cancelled. Scopes may overlap; each records.
        public func beginScope(activity: String) -> Scope {
            let budget = ScopeBudget(
                rows: max(0, configuration.maxScopeEvents),
                bytes: max(0, configuration.maxScopeBytes)
            )
            let recording = state.withLock { state in
                let recording = ScopeRecording(activity: activity, metadata: state.metadata, budget: budget)
                state.recordings.append(recording)
                return recording
            }
            clickstream_generation_increment(generation.counter)
            return Scope(self, recording)
        }

        /// The recordings of the active scopes.
        var recordings: [ScopeRecording] { state.withLock { $0.recordings } }

        /// Returns the schema with the same definition that a connection has read before, so that rows read by several
        /// connections are compared by one schema.
        func shared(_ schema: TableSchema, in database: String) -> TableSchema {
            let key = SchemaKey(
                database: database,
                table: ExactText(schema.name),
                signature: ExactText(schema.signature)
            )
            return state.withLock { state in
                if let known = state.schemas[key] { return known }
                state.schemas[key] = schema
                return schema
            }
        }

        /// Ends a recording.
        /// - Returns: `nil` if it has ended before.
        func end(_ recording: ScopeRecording) -> ScopeRecording.Logs? {
            let logs = recording.end()
            state.withLock { $0.recordings.removeAll { $0 === recording } }
            clickstream_generation_increment(generation.counter)
            return logs
        }

        /// Ends a recording, and stores its events together.
        func commit(_ recording: ScopeRecording) -> AuditError? {
            guard let logs = end(recording) else { return .scopeEnded }
            let moment = time.now()
            let events = ScopeDocuments.payloads(logs).map { payload in
                AuditEvent(
                    id: payload.id ?? nextID(at: moment.wall),
                    event: payload.kind.rawValue,
                    activity: recording.activity,
                    time: moment.wall,
                    data: payload.data,
                    truncated: payload.truncated,
                    metadata: recording.metadata
                )
            }
            let failure = store(events, at: moment)
            // Rows of events that are not stored remain, and are sent at the next launch.
            if Self.isFinal(failure) { endRows(of: logs.outboxes) }
            return failure ?? logs.failure
        }

        /// Ends a recording, and drops its events.
        /// - Returns: false if it has ended before.
        func cancel(_ recording: ScopeRecording) -> Bool {
            guard let logs = end(recording) else { return false }
            endRows(of: logs.outboxes)
            return true
        }

        // MARK: Outbox

        /// Returns the outbox of this process for a database file; `nil` without outboxes.
        func outbox(of database: String) throws(FileError) -> OutboxOwner? {
            guard let outboxID else { return nil }
            return try outboxes.withLock { known throws(FileError) -> OutboxOwner? in
                if let owner = known[database] { return owner }
                let owner = try OutboxOwner.open(outboxID, of: database, files)
                known[database] = owner
                return owner
            }
        }

        /// The rows of a scope are obsolete.
        private func endRows(of outboxes: [ScopeRecording.ScopeOutbox]) {
            for outbox in outboxes {
                do throws(FileError) {
                    try outbox.owner.end(outbox.event)
                } catch {
                    report(.outbox(database: outbox.owner.database, reason: "\(error)"))
                }
            }
        }

        /// Stores an event of an ended process.
        /// - Returns: false if it has to be stored later.
        func storeRecovered(_ event: AuditEvent) -> Bool {
            Self.isFinal(store([event], at: time.now()))
        }

        /// True for events that are stored, or dropped for good.
        private static func isFinal(_ error: AuditError?) -> Bool { error == nil || error == .disabled }

        var now: Timestamp { time.now().wall }

        // MARK: Other events

        /// Records an event of the app. The handler of the configuration receives an error of storing.
        /// - Parameters:
        ///   - activity: any text, such as `user registration`.
        ///   - eventType: any text, such as `pressed submit`.
        ///   - data: the payload.
        public func recordEvent(activity: String, eventType: String, data: String? = nil) {
            _ = storeEvent(activity, eventType, data)
        }

        /// Records an event of the app, and calls a handler with the outcome.
        /// - Parameters:
        ///   - activity: any text, such as `user registration`.
        ///   - eventType: any text, such as `pressed submit`.
        ///   - data: the payload.
        ///   - completion: called before the return, with `nil` when the event would survive the death of the process, or with the
        ///     reason why not.
        public func recordEvent(
            activity: String,
            eventType: String,
            data: String? = nil,
            completion: (AuditError?) -> Void
        ) {
            completion(storeEvent(activity, eventType, data))
        }

        /// Records an event of the app, on another thread; returns when the event would survive the death of the process. In
        /// asynchronous functions, a call without a handler is this one.
        /// - Parameters:
        ///   - activity: any text, such as `user registration`.
        ///   - eventType: any text, such as `pressed submit`.
        ///   - data: the payload.
        /// - Throws: the reason why the event would not survive.
        public func recordEvent(activity: String, eventType: String, data: String? = nil) async throws(AuditError) {
            if let error = storeEvent(activity, eventType, data) { throw error }
        }

        private func storeEvent(_ activity: String, _ eventType: String, _ data: String?) -> AuditError? {
            let moment = time.now()
            let event = AuditEvent(
                id: nextID(at: moment.wall),
                event: eventType,
                activity: activity,
                time: moment.wall,
                data: data.map { Array($0.utf8) },
                metadata: state.withLock { $0.metadata }
            )
            return store([event], at: moment)
        }

        /// Replaces the metadata, for scopes that begin and events that are recorded from now on. Active scopes keep theirs.
        ///
        /// Members with the names of an event's own members are left out, and reported.
        public func updateMetadata(_ metadata: [String: String]) {
            let reserved = metadata.keys.filter(AuditEvent.memberNames.contains).sorted()
            let members = AuditEvent.members(metadata.filter { !AuditEvent.memberNames.contains($0.key) })
            state.withLock { $0.metadata = members }
            if !reserved.isEmpty { report(.reservedMetadata(reserved)) }
        }

        // MARK: Reports

        /// Returns a new identifier of an event.
        func nextID(at time: Timestamp) -> String {
            state.withLock { $0.ids.next(at: time) }
        }

        private func store(_ events: [AuditEvent], at moment: Moment) -> AuditError? {
            guard !events.isEmpty else { return nil }
            let error = auditStore.store(events, at: moment)
            if let error { report(error) }
            return error
        }

        /// Reports an error to the handler, or logs it.
        func report(_ error: AuditError) {
            if let handler = configuration.errorHandler { handler(error) } else { warn("\(error)") }
        }

        func warn(_ text: String) {
            if let logger = configuration.logger { logger(text) } else { auditStore.warn(text) }
        }
    }
}
#endif
