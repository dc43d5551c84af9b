#if Audit
import ClickstreamAudit
import ClickstreamCore
import Foundation
import GRDB

/// One call of `audit`: a scope around the statements of a script.
struct AuditRun: Sendable {
    private let command: AuditCommand

    /// Maximum bytes of a script.
    private static let maxBytes = 268_435_456

    init(_ command: AuditCommand) {
        self.command = command
    }

    func run() async throws -> ExitStatus {
        let scripts = try scripts()
        try checkDatabase()
        let queue = try command.dryRun ? nil : AuditQueue(command.store.location())
        defer { queue?.close() }
        let store = EventTee(try queue?.store(configuration))
        let events = Audit.Events(configuration, store: store, time: SystemDependencies.time, ids: SystemIDs())
        let database = try open(events)
        let scope = events.beginScope(activity: command.activity)
        do {
            try await execute(scripts, database)
        } catch {
            scope.cancel()
            throw error
        }
        var failure: AuditError?
        scope.commit { failure = $0 }
        if let failure, store.events.isEmpty {
            throw CommandFailure(.inputOutput, "the audit events are not stored: \(failure)")
        }
        for event in store.events {
            try ResultStream.standard.write(line: command.dryRun ? event.json : Array(Self.id(of: event).utf8))
        }
        try ResultStream.standard.flush()
        if let failure { throw CommandFailure(.inputOutput, "the audit events are incomplete: \(failure)") }
        return .done
    }

    private var configuration: EventConfiguration {
        EventConfiguration(
            metadata: Dictionary(uniqueKeysWithValues: command.metadata.map { ($0.name, $0.value) }),
            logger: { Console.warn($0) },
            errorHandler: { Console.warn("\($0)") }
        )
    }

    private static func id(of event: AuditEvent) -> String {
        // The library's own documents are JSON.
        (try? JSONReader.parse(event.json))?["_id"]?.string ?? ""
    }

    // MARK: Input

    private func scripts() throws -> [SQLScript] {
        guard let path = command.script else {
            let arguments = command.statements
            // Words of one statement that was written without quotation marks.
            let isOne = arguments.count > 1 && !arguments.contains { $0.contains(where: \.isWhitespace) }
            let texts = isOne ? [arguments.joined(separator: " ")] : arguments
            return texts.enumerated().map { SQLScript(Array($1.utf8), name: "statement \($0 + 1)") }
        }
        let bytes = try InputFile.bytes(
            of: path,
            maxBytes: Self.maxBytes + 1,
            folderAdvice: "name a file with SQL statements"
        )
        if bytes.count > Self.maxBytes {
            throw CommandFailure(
                .badData,
                "\(InputFile.name(of: path)) is longer than \(Self.maxBytes) bytes; divide it"
            )
        }
        return [SQLScript(bytes, name: InputFile.name(of: path))]
    }

    private func checkDatabase() throws(CommandFailure) {
        let path = command.database
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            if command.create { return }
            throw CommandFailure(
                .inputMissing,
                "cannot open \(path): no such file; check the name, or create the database with --create"
            )
        }
        if isFolder.boolValue {
            throw CommandFailure(.inputMissing, "cannot open \(path): it is a folder; name a file")
        }
        try CommandFailure.refuseForbidden(reading: path)
    }

    private func open(_ events: Audit.Events) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        // A script may begin a transaction in one statement and end it in another.
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(5)
        events.observe(&configuration)
        do {
            return try DatabaseQueue(path: command.database, configuration: configuration)
        } catch let error as DatabaseError {
            let status: ExitStatus =
                switch error.resultCode {
                case .SQLITE_NOTADB, .SQLITE_CORRUPT: .badData
                case .SQLITE_CANTOPEN: ExitStatus.isForbidden(command.database) ? .noPermission : .cannotCreate
                default: .inputOutput
                }
            let reason = error.message ?? "\(error.resultCode)"
            throw CommandFailure(status, "cannot open \(command.database): \(reason); name a SQLite database")
        }
    }

    // MARK: Statements

    /// Runs the statements of all scripts. A failing one ends them, with the transaction that is open.
    private func execute(_ scripts: [SQLScript], _ database: DatabaseQueue) async throws {
        try await withTaskCancellationHandler {
            try database.inDatabase { database in
                defer { Self.endTransaction(database) }
                for var script in scripts { try Self.execute(&script, database) }
            }
        } onCancel: {
            database.interrupt()
        }
        try Task.checkCancellation()
    }

    private static func execute(_ script: inout SQLScript, _ database: Database) throws {
        do {
            while let statement = try script.next(database) {
                do {
                    try database.execute(sql: statement.sql)
                } catch {
                    throw script.failure(of: statement, error)
                }
            }
        } catch let failure as SQLScript.Failure {
            try Task.checkCancellation()
            Console.log("\(failure.location): error: \(failure.message)")
            throw CommandFailure(
                .badData,
                "the script ended at this statement; the scope is cancelled, nothing is recorded"
            )
        }
    }

    /// Ends a transaction that the script left open.
    private static func endTransaction(_ database: Database) {
        guard database.isInsideTransaction else { return }
        Console.warn("the script ended within a transaction, which is rolled back")
        // The file is closed next, which rolls back as well.
        try? database.rollback()
    }
}

/// Store of audit events that also keeps them: all of a scope, or only in memory.
private final class EventTee: AuditStore {
    private let inner: ClientAuditStore?
    private let memory = MemoryAuditStore()

    init(_ inner: ClientAuditStore?) {
        self.inner = inner
    }

    var events: [AuditEvent] { memory.events }

    func store(_ events: [AuditEvent], at moment: Moment) -> AuditError? {
        if let error = inner?.store(events, at: moment) { return error }
        return memory.store(events, at: moment)
    }

    func warn(_ text: String) { Console.warn(text) }
}

/// Client of the app's store, for the queue of audit events.
private struct AuditQueue {
    private let client: ClickstreamClient

    init(_ store: StoreOfApp) throws(CommandFailure) {
        client = try store.client(as: .recording()) { notice in
            switch notice {
            case .warning(let warning): Console.warn(warning.message)
            case .evicted(let events, let reason): Console.warn("removed \(Plural.events(events, "unsent")): \(reason)")
            default: break
            }
        }
    }

    func store(_ configuration: EventConfiguration) throws -> ClientAuditStore {
        try ClientAuditStore(client, configuration)
    }

    func close() { client.terminate() }
}
#endif
