import ClickstreamAudit
import ClickstreamCore
import Foundation
import GRDB

// Observer and scope of GRDB's own tests; `Tests/Audit/grdb` adds this file to them.

/// Server that is never available.
private struct NoServer: ClickstreamClient.Transport {
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        UploadResponse(status: 503)
    }
}

/// Events in a store that is removed at the end of the process.
private final class AuditedTests: @unchecked Sendable {
    // Tests run one after the other on the main thread; no other code uses the scope.
    var scope: Audit.Scope?
    let events: Audit.Events
    let client: ClickstreamClient

    init() throws {
        let folder = NSTemporaryDirectory() + "audited-grdb-\(ProcessInfo.processInfo.globallyUniqueString)"
        var settings = ClickstreamClient.Configuration(appID: "grdb", endpoint: "http://127.0.0.1:9/collect")
        settings.sendInterval = .seconds(3_600)
        client = try ClickstreamClient(
            configuration: settings,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: folder,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: NoServer()
            )
        )
        var audit = EventConfiguration()
        audit.errorHandler = { error in report("audit error: \(error)") }
        let tracking: ChangeTracking =
            ProcessInfo.processInfo.environment["CLICKSTREAM_AUDIT_GRDB"] == "triggers" ? .triggers : .hook
        events = try Audit.Events(
            audit,
            store: ClientAuditStore(client, audit),
            time: SystemTime(),
            ids: SystemIDs(),
            tracking: tracking
        )
    }
}

private let audited: AuditedTests? =
    ["hook", "triggers"].contains(ProcessInfo.processInfo.environment["CLICKSTREAM_AUDIT_GRDB"])
    ? try! AuditedTests()  // a test run without its store has no result
    : nil

private func report(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

/// Configuration of a database of a test: observed, unless the run is the one without scopes.
func auditedConfiguration() -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    audited?.events.observe(&configuration)
    return configuration
}

func beginAuditScope() {
    audited?.scope = audited?.events.beginScope(activity: "test")
}

func commitAuditScope() {
    audited?.scope?.commit { error in
        if let error { report("audit error: \(error)") }
    }
    audited?.scope = nil
}
