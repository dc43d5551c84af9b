#if Audit
import ClickstreamAudit
import ClickstreamCore
import GRDB
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// App with audit scopes, to be killed: it changes and reads a database as fast as it can.
///
/// `AuditProcess FOLDER SEED INBOX DOWN END [outbox]`: prints `stored ACTIVITY` once the events of a scope or a custom event
/// would survive, and `cancelling ACTIVITY` before and `cancelled ACTIVITY` after a scope ends without events. The rows of a scope contain its activity and
/// their number, so that an incomplete scope can be recognised. A request is appended to the file `INBOX`, as a server
/// would store it, one line per event: partition, id, event, activity, rows of its data, rows of the scope. With `DOWN` 1
/// the server is unavailable. With `END` 1 the process sends what is pending, and ends. With `outbox` all processes of the
/// folder use one database, with an outbox.
///
/// `AuditProcess share FILE USER SEED SCOPES ROWS hook|triggers`: two connections change the rows of a database with the
/// scopes of ``SharedUser``, and the process ends with their lines.
@main
struct AuditProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 8, arguments[1] == "share" { return try await share(arguments) }
        let hasOutbox = arguments.last == "outbox"
        guard arguments.count == (hasOutbox ? 7 : 6), let seed = UInt64(arguments[2]) else {
            return print("AuditProcess FOLDER SEED INBOX DOWN END [outbox]")
        }
        let inbox = try Inbox(path: arguments[3], isDown: arguments[4] == "1")
        var configuration = ClickstreamClient.Configuration(appID: "notes", endpoint: "http://clickstream.test/collect")
        configuration.sendInterval = .zero
        configuration.compressesEvents = false
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: arguments[1] + "/store",
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: inbox
            ),
            observe: { notice in
                if case .warning(let warning) = notice { say("warning \(warning)") }
            }
        )
        var settings = EventConfiguration(metadata: ["user": "carl"], partitionPrefix: "notes")
        settings.maxPartitionBytes = 3_000
        settings.errorHandler = { error in say("error \(error)") }
        settings.usesOutbox = hasOutbox
        let events = try Audit.Events(settings, in: client)
        var database = GRDB.Configuration()
        database.busyMode = .timeout(60)
        events.observe(&database)
        let name = hasOutbox ? "notes" : "notes-\(seed)"
        if arguments[5] == "1" {
            // Sends the rows of killed processes.
            if hasOutbox { _ = try DatabaseQueue(path: "\(arguments[1])/\(name).sqlite", configuration: database) }
            _ = await client.flush()
            return client.terminate()
        }
        let queue = try DatabaseQueue(path: "\(arguments[1])/\(name).sqlite", configuration: database)
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS note(id INTEGER PRIMARY KEY, activity TEXT, total INTEGER)")
        }
        try await use(client, events, queue, seed: seed)
    }

    private static func share(_ arguments: [String]) async throws {
        guard let seed = UInt64(arguments[4]), let scopes = Int(arguments[5]), let rows = Int(arguments[6]) else {
            return print("AuditProcess share FILE USER SEED SCOPES ROWS hook|triggers")
        }
        let tracking: ChangeTracking = arguments[7] == "hook" ? .hook : .triggers
        let lines = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 1...2 {
                group.addTask {
                    var user = try SharedUser(
                        "\(arguments[3])\(number)",
                        file: arguments[2],
                        seed: seed &* 2 &+ UInt64(number),
                        rows: rows,
                        tracking: tracking
                    )
                    return user.run(scopes: scopes)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for line in lines { say(line) }
    }

    /// Scopes without end.
    private static func use(
        _ client: ClickstreamClient,
        _ events: Audit.Events,
        _ queue: DatabaseQueue,
        seed: UInt64
    ) async throws {
        var dice = Dice(seed: seed)
        for number in 0... {
            let activity = "a\(seed)-\(number)"
            if dice.roll(8) == 0 {
                events.recordEvent(activity: activity, eventType: "pressed", data: "1") { error in
                    say(error == nil ? "stored \(activity)" : "failed \(activity)")
                }
                continue
            }
            let total = 1 + dice.roll(12)
            let scope = events.beginScope(activity: activity)
            for _ in 0..<total {
                try await queue.write { db in
                    try db.execute(
                        sql: "INSERT INTO note(activity, total) VALUES (?, ?)",
                        arguments: [activity, total]
                    )
                }
            }
            _ = try await queue.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM note WHERE activity = ?", arguments: [activity]).count
            }
            switch dice.roll(8) {
            case 0:
                say("cancelling \(activity)")
                scope.cancel()
                say("cancelled \(activity)")
            case 1, 2:
                scope.commit { error in say(error == nil ? "stored \(activity)" : "failed \(activity)") }
            default:
                try await scope.commit()
                say("stored \(activity)")
            }
            if dice.roll(6) == 0 { _ = await client.flush() }
        }
    }

    private static func say(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        bytes.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Server in a file: a request is stored by one append.
private final class Inbox: ClickstreamClient.Transport {
    private let file: any AppendableFile
    private let isDown: Bool

    init(path: String, isDown: Bool) throws {
        file = try LocalFileSystem().open(path)
        self.isDown = isDown
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        if isDown { return UploadResponse(status: 503) }
        let parts = request.url.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].hasSuffix("/audit?partition") else { return UploadResponse(status: 200) }
        let partition = parts[1]
        // A body that cannot be read is stored as no event: the test misses it.
        let events = (try? JSONReader.parse(request.body))?.array ?? []
        let lines = events.map { "\(partition) \(Self.summary($0))\n" }.joined()
        var failure: FileError?
        Array(lines.utf8).withUnsafeBytes { bytes in
            do throws(FileError) {
                try file.append(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw .cut("\(failure)") }
        return UploadResponse(status: 200)
    }

    /// Id, event, activity, rows, and the number of rows that the first row names.
    private static func summary(_ event: JSONValue) -> String {
        let members = ["_id", "event", "activity"].map { event[$0]?.string ?? "?" }.joined(separator: " ")
        // The data of a custom event is a number.
        let data = event["data"]?.string.flatMap { try? JSONReader.parse(Array($0.utf8)) }
        let rows = data?["value"]?.array ?? data?["note"]?["insertions"]?.array ?? []
        let total = rows.first?["total"]
        let complete = rows.allSatisfy { $0["activity"]?.string == event["activity"]?.string }
        guard case .number(let number)? = total?.kind, complete else { return "\(members) \(rows.count) ?" }
        return "\(members) \(rows.count) \(number.text)"
    }
}
#else
/// Without the trait `Audit` there are no scopes.
@main enum AuditProcess {
    static func main() {}
}
#endif
