#if Audit
import ClickstreamAudit
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import GRDB

/// Player of a script on an observed database and on a twin without an observer.
///
/// The expected events come from the twin: its snapshots, and the rows that its queries return.
struct ScriptPlayer {
    /// Scope that is active, with its model.
    private struct ActiveScope {
        var scope: Audit.Scope?
        var snapshot: Snapshot
        var reads = RecordedReads()
    }

    private let script: RandomScript
    private let observed: ScriptDatabase
    private let twin: ScriptDatabase
    private let events: Audit.Events
    private let store = MemoryAuditStore()
    private var active: [Int: ActiveScope] = [:]
    /// Differences between the events and the model, and between the two databases.
    private(set) var differences: [String] = []
    private var rejectedRows = RejectedRows()
    /// Numbers of the compared read and write events, for the generator's check.
    private(set) var counts: [String: Int] = [:]

    init(_ script: RandomScript, folder: URL) throws {
        self.script = script
        events = Audit.Events(
            EventConfiguration(metadata: ["run": "\(script.seed)"]),
            store: store,
            time: VirtualTime(start: Timestamp(milliseconds: 1_709_201_472_345)),
            ids: SeededIDs(seed: script.seed),
            tracking: script.usesHook ? .hook : .triggers
        )
        let path = folder.appendingPathComponent("\(script.seed)").path
        let events = events
        observed = try ScriptDatabase(path: path + "-observed", script: script) { events.observe(&$0) }
        twin = try ScriptDatabase(path: path + "-twin", script: script) { _ in }
    }

    /// Plays all steps.
    mutating func play() throws {
        try observed.create()
        try twin.create()
        for (number, step) in script.steps.enumerated() {
            switch step {
            case .begin(let number):
                active[number] = ActiveScope(
                    scope: events.beginScope(activity: "scope \(number)"),
                    snapshot: try twin.snapshot()
                )
            case .end(let scope, let ending): try end(scope, ending)
            case .write(let statements):
                var queries: [(RandomQuery, [Row])] = []
                let expected = try twin.write(statements) { queries.append(($0, $1)) }
                compare(try observed.write(statements), expected, statements, step: number, isWriter: true)
                record(queries)
            case .read(let statements):
                var queries: [(RandomQuery, [Row])] = []
                let expected = try twin.read(statements) { queries.append(($0, $1)) }
                compare(try observed.read(statements), expected, statements, step: number, isWriter: !script.isPool)
                record(queries)
            case .maintenance(let sql):
                for database in [observed, twin] {
                    try database.writer.writeWithoutTransaction { db in try db.execute(sql: sql) }
                }
            }
        }
        if try observed.snapshot() != twin.snapshot() { differences.append("the observed database has other rows") }
        if !store.warnings.isEmpty && !script.releases { differences.append("warnings: \(store.warnings)") }
    }

    private mutating func compare(
        _ outcomes: [ScriptDatabase.Outcome],
        _ expected: [ScriptDatabase.Outcome],
        _ statements: [RandomStatement],
        step: Int,
        isWriter: Bool
    ) {
        for (index, statement) in statements.enumerated() {
            var outcome = outcomes[index]
            let wanted = expected[index]
            if isWriter, rejectedRows.explain(outcome, wanted, script) {
                outcome.lastInsertedRowID = wanted.lastInsertedRowID
            }
            guard outcome != wanted else { continue }
            differences.append(
                "step \(step): \(statement.sql)\n  observed \(outcome)\n  twin     \(wanted)"
            )
        }
    }

    private mutating func record(_ queries: [(RandomQuery, [Row])]) {
        for (query, rows) in queries {
            for number in active.keys { active[number]?.reads.add(query, rows: rows, script.schema) }
        }
    }

    private mutating func end(_ number: Int, _ ending: RandomScript.Ending) throws {
        guard var model = active.removeValue(forKey: number), let scope = model.scope else { return }
        model.scope = nil
        switch ending {
        case .commit:
            var failure: AuditError?
            scope.commit { failure = $0 }
            if let failure { differences.append("scope \(number): \(failure)") }
        case .cancel: scope.cancel()
        case .release: break
        }
        if ending != .release, scope.isActive { differences.append("scope \(number) is active after its end") }
        withExtendedLifetime(scope) {}
        let documents = store.takeEvents().map { $0.text }
        guard ending == .commit else {
            if !documents.isEmpty { differences.append("scope \(number), not committed, has events \(documents)") }
            return
        }
        let expected = model.snapshot.changes(to: try twin.snapshot(), script.schema)
        check(documents, scope: number, reads: model.reads, changes: expected)
    }

    /// Compares the events of a scope with the model.
    private mutating func check(_ documents: [String], scope: Int, reads: RecordedReads, changes: RecordedChanges?) {
        var readEvents: [(type: String, rows: [RecordedValue])] = []
        var unattributed: [String] = []
        var writes: [RecordedValue] = []
        var ids: Set<String> = []
        for text in documents {
            guard case .object(let event)? = RecordedValue(json: text), case .text(let id)? = event["_id"],
                case .text(let kind)? = event["event"], case .text(let json)? = event["data"],
                let data = RecordedValue(json: json), id.count == 24, id.allSatisfy(\.isHexDigit),
                event["activity"] == .text("scope \(scope)"), event["run"] == .text("\(script.seed)"),
                event["timestamp"] == .text("2024-02-29T10:11:12.345Z"), event.count == 6
            else {
                differences.append("scope \(scope): the event has another form: \(text)")
                return
            }
            ids.insert(id)
            switch (kind, data) {
            case ("write", _): writes.append(data)
            case ("read", .object(let members)):
                guard case .text(let type)? = members["type"] else { fallthrough }
                if case .array(let rows)? = members["value"] {
                    readEvents.append((type, rows))
                } else {
                    unattributed.append(type)
                }
            default: differences.append("scope \(scope): the event has another form: \(text)")
            }
        }
        if ids.count != documents.count { differences.append("scope \(scope): identifiers are repeated") }
        compare(scope, writes: writes, changes)
        compare(scope, readEvents, reads.events(script.schema))
        let expected = reads.unattributed.keys.map { script.schema.tables[$0].name }.sorted()
        if unattributed.sorted() != expected {
            differences.append("scope \(scope): reads without rows of \(unattributed), expected \(expected)")
        }
        counts["scopes", default: 0] += 1
        counts["unattributed", default: 0] += expected.count
    }

    private mutating func compare(_ scope: Int, writes: [RecordedValue], _ expected: RecordedChanges?) {
        guard let expected else {
            if !writes.isEmpty { differences.append("scope \(scope): a write event without a change: \(writes)") }
            return
        }
        guard writes.count == 1, let changes = RecordedChanges(event: writes[0]) else {
            differences.append("scope \(scope): write events \(writes), expected \(expected)")
            return
        }
        if changes != expected {
            differences.append("scope \(scope), writes:\n  event \(changes)\n  model \(expected)")
        }
        for table in expected.tables.values {
            counts["insertions", default: 0] += table.insertions.values.reduce(0, +)
            counts["modifications", default: 0] += table.modifications.values.reduce(0, +)
            counts["deletions", default: 0] += table.deletions.values.reduce(0, +)
        }
    }

    private mutating func compare(
        _ scope: Int,
        _ events: [(type: String, rows: [RecordedValue])],
        _ expected: [(type: String, rows: [RecordedValue])]
    ) {
        // A row of BLOB columns only has no members.
        func visible(_ rows: [RecordedValue]) -> [RecordedValue] { rows.filter { $0 != .object([:]) } }
        let found = events.map { ($0.type, visible($0.rows)) }.filter { !$0.1.isEmpty }
        let wanted = expected.map { ($0.type, visible($0.rows)) }.filter { !$0.1.isEmpty }
        if !found.elementsEqual(wanted, by: ==) {
            let index = zip(found, wanted).prefix { $0 == $1 }.count
            func lines(_ events: [(String, [RecordedValue])]) -> String {
                events.dropFirst(index).first.map { "\($0.0) \($0.1)" } ?? "none"
            }
            differences.append("scope \(scope), read \(index):\n  event \(lines(found))\n  model \(lines(wanted))")
        }
        counts["rows read", default: 0] += wanted.reduce(0) { $0 + $1.1.count }
    }
}

/// The one tolerated difference of results, with triggers: a row that is rejected by its foreign key is inserted before the
/// key is checked, and `last_insert_rowid` is its number until the next insertion. `TriggerTests` shows it.
private struct RejectedRows {
    private var numbers: (observed: Int64, twin: Int64)?

    /// Returns true if two results have the numbers that a rejected row has left.
    mutating func explain(
        _ outcome: ScriptDatabase.Outcome,
        _ wanted: ScriptDatabase.Outcome,
        _ script: RandomScript
    ) -> Bool {
        let found = (outcome.lastInsertedRowID, wanted.lastInsertedRowID)
        guard !script.usesHook, found.0 != found.1 else {
            numbers = nil
            return false
        }
        if outcome.error == .SQLITE_CONSTRAINT_FOREIGNKEY, wanted.error == outcome.error { numbers = found }
        return numbers.map { $0 == found } ?? false
    }
}

extension RandomScript {
    /// True if a scope is released without an end, which is a warning.
    fileprivate var releases: Bool {
        steps.contains { step in
            if case .end(_, .release) = step { true } else { false }
        }
    }

    /// The script as text, for the report of a difference.
    var text: String {
        var lines = ["\(isPool ? "pool" : "queue"), \(usesHook ? "hook" : "triggers")"] + schema.statements
        for (number, step) in steps.enumerated() {
            switch step {
            case .begin(let scope): lines.append("\(number): begin \(scope)")
            case .end(let scope, let ending): lines.append("\(number): \(ending) \(scope)")
            case .write(let statements):
                lines += statements.map { "\(number): \($0.isCached ? "cached " : "")\($0.sql)" }
            case .read(let statements): lines += statements.map { "\(number): read \($0.sql)" }
            case .maintenance(let sql): lines.append("\(number): \(sql)")
            }
        }
        return lines.joined(separator: "\n")
    }
}
#endif
