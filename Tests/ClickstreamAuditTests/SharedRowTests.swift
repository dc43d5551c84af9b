#if Audit
import Foundation
import GRDB
import TestSupport
import Testing

/// Random scopes of two processes, each with two connections, that change the same rows at the same time.
///
/// Each change adds 1 to the version of its row and returns it, so that the model contains the scope that wrote each version.
@Suite("Random scopes of two processes on the same rows")
struct SharedRowTests {
    struct Form: Sendable, CustomTestStringConvertible {
        let mechanism: String
        let journal: String
        let rows: Int
        /// The scopes of each of the four connections.
        let scopes: Int

        var testDescription: String { "\(mechanism), \(journal), \(rows) rows, \(scopes) scopes" }
    }

    static let forms = [
        Form(mechanism: "hook", journal: "WAL", rows: 1, scopes: TestLength.count(60, full: 120, soak: 8_000)),
        Form(mechanism: "triggers", journal: "DELETE", rows: 1, scopes: TestLength.count(60, full: 120, soak: 8_000)),
        Form(mechanism: "hook", journal: "DELETE", rows: 4, scopes: TestLength.count(30, full: 120, soak: 8_000)),
        Form(mechanism: "triggers", journal: "WAL", rows: 4, scopes: TestLength.count(30, full: 120, soak: 8_000)),
    ]

    @Test("have each version in the event of the scope that wrote it, and refuse no change", arguments: forms)
    func versions(form: Form) throws {
        try withFreshFolder { folder in
            let file = folder + "/cells.sqlite"
            let seed = Int.random(in: 1...1_000_000)
            print("SharedRowTests: \(form.testDescription), from the seed \(seed)")
            let database = try DatabaseQueue(path: file)
            try database.inDatabase { db in
                _ = try Row.fetchAll(db, sql: "PRAGMA journal_mode = \(form.journal)")
                try db.execute(
                    sql: "CREATE TABLE cell (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, writer TEXT NOT NULL)"
                )
                for row in 1...form.rows { try db.execute(sql: "INSERT INTO cell VALUES (\(row), 0, 'none')") }
            }
            let processes = try ["a", "b"].enumerated().map { number, user in
                try start(form, file: file, user: user, seed: seed + number, output: "\(folder)/\(user)")
            }
            for process in processes {
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            let texts = try ["a", "b"].map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
            let lines = texts.flatMap { $0.split(separator: "\n") }
            let model = SharedRows(lines)
            #expect(model.problems == [])
            let cells = try database.inDatabase { db in try Row.fetchAll(db, sql: "SELECT * FROM cell ORDER BY id") }
            for cell in cells { model.check(row: cell["id"], last: cell["version"], writer: cell["writer"]) }
            model.checkEvents()
            print("SharedRowTests: \(model.versionCount) versions in \(model.scopeCount) scopes")
            // A run without changes would agree with any recorder.
            #expect(model.scopeCount >= form.scopes * 2)
        }
    }

    private func start(_ form: Form, file: String, user: String, seed: Int, output: String) throws -> Process {
        let process = Process()
        process.executableURL = TestProgram.url("AuditProcess")
        process.arguments = ["share", file, user, "\(seed)", "\(form.scopes)", "\(form.rows)", form.mechanism]
        #expect(FileManager.default.createFile(atPath: output, contents: nil))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.run()
        return process
    }
}

/// Model of the rows: the scope that wrote each version, and the write events.
private struct SharedRows {
    /// Versions of one row that a scope wrote.
    private struct Span {
        var first: Int
        var last: Int
    }

    private struct Version: Hashable {
        let row: Int
        let number: Int
    }

    /// The users, whose scopes have a name and a number.
    private var writers: [Version: String] = [:]
    private var spans: [String: [Int: Span]] = [:]
    private var events: [String: [String]] = [:]
    /// Lines about a refused change or an incomplete event, and versions that were written twice.
    private(set) var problems: [String] = []

    var versionCount: Int { writers.count }
    var scopeCount: Int { spans.count }

    init(_ lines: [Substring]) {
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch parts.first {
            case "wrote"? where parts.count == 3: add(parts[1], parts[2].split(separator: " ").compactMap { Int($0) })
            case "event"? where parts.count == 3: events[parts[1], default: []].append(parts[2])
            default: problems.append(String(line))
            }
        }
    }

    private mutating func add(_ scope: String, _ numbers: [Int]) {
        guard numbers.count == 2 else { return problems.append("\(scope) \(numbers)") }
        let version = Version(row: numbers[0], number: numbers[1])
        let user = String(scope.prefix { $0 != "-" })
        if let other = writers.updateValue(user, forKey: version) { problems.append("\(version) of \(other), \(user)") }
        spans[scope, default: [:]][version.row, default: Span(first: version.number, last: 0)].last = version.number
    }

    /// Compares the last version of a row with the database; all before it were written by a user.
    func check(row: Int, last: Int, writer: String) {
        #expect(self.writer(of: row, last) == writer)
        let missing = (1...max(1, last)).filter { writers[Version(row: row, number: $0)] == nil }
        #expect(missing == [], "versions of row \(row) without a scope")
        let count = writers.keys.filter { $0.row == row }.count
        #expect(count == last, "versions of row \(row)")
    }

    private func writer(of row: Int, _ number: Int) -> String {
        number == 0 ? "none" : writers[Version(row: row, number: number)] ?? "unknown"
    }

    /// Compares the write event of each scope with the versions that the scope wrote.
    func checkEvents() {
        #expect(Set(events.keys) == Set(spans.keys), "scopes with an event and with a change")
        for (scope, rows) in spans {
            var expected = RecordedChanges.Table()
            for (row, span) in rows {
                let (before, after) = (writer(of: row, span.first - 1), writer(of: row, span.last))
                let old = cell(span.first - 1, before).merging(["id": .integer(Int64(row))]) { $1 }
                let new = cell(span.last, after).filter { $0.key != "writer" || before != after }
                expected.modifications[RecordedChanges.Modification(old: .object(old), new: .object(new))] = 1
            }
            let found = (events[scope] ?? []).map { RecordedValue(json: $0).flatMap { RecordedChanges(event: $0) } }
            #expect(found.count == 1 && found[0]?.tables == ["cell": expected], "\(scope): \(events[scope] ?? [])")
        }
    }

    private func cell(_ version: Int, _ writer: String) -> [String: RecordedValue] {
        ["version": .integer(Int64(version)), "writer": .text(writer)]
    }
}
#endif
