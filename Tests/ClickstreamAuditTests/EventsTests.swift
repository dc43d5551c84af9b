#if Audit
import ClickstreamAudit
import Testing

@Suite("Events of a scope")
struct EventsTests {
    @Test("reads and writes of the document's example")
    func example() throws {
        let database = try AuditedDatabase(
            "CREATE TABLE Person (_id TEXT PRIMARY KEY, employeeId INTEGER, name TEXT, userId TEXT);"
                + "INSERT INTO Person VALUES ('62b3', 2, 'Anthony', NULL)"
        )
        let read = try database.payloads(of: "SELECT * FROM Person")
        #expect(read == [#"{"type":"Person","value":[{"_id":"62b3","employeeId":2,"name":"Anthony","userId":null}]}"#])
        let write = try database.payloads(of: "UPDATE Person SET name = 'Tony'")
        #expect(
            write == [
                #"{"Person":{"modifications":[{"oldValue":{"_id":"62b3","employeeId":2,"name":"Anthony","userId":null},"#
                    + #""newValue":{"name":"Tony"}}]}}"#
            ]
        )
        #expect(database.reports.errors == [])
    }
}
#endif
