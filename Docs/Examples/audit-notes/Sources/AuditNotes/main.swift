import Clickstream
import ClickstreamAudit
import GRDB

struct Note: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var title: String
    var done: Bool
}

let server = "http://127.0.0.1:9090"
try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withAppId("notes").withEndpoint(server + "/collect"))
guard let client = ClickstreamAnalytics.client else { fatalError("The SDK is not started") }

let events = try Audit.Events(EventConfiguration(metadata: ["username": "carl"]), in: client)
var configuration = GRDB.Configuration()
events.observe(&configuration)
let database = try DatabaseQueue(path: "notes.sqlite", configuration: configuration)

let scope = events.beginScope(activity: "finish notes")
let unfinished = try await database.read { db in
    try Note.filter(Column("done") == false).fetchAll(db)
}
try await database.write { db in
    for note in unfinished {
        var finished = note
        try finished.updateChanges(db) { $0.done = true }
    }
}
try await scope.commit()
print("finished \(unfinished.count) notes")

let report = await ClickstreamAnalytics.flush()
print("sent \(report.sent), retained \(report.retained)")
ClickstreamAnalytics.shutdown()
