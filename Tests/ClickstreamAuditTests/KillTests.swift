#if Audit
import Foundation
import GRDB
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Real processes with audit scopes, really killed.
@Suite("Processes with audit scopes killed at random times")
struct AuditKillTests {
    private static let rounds = TestLength.count(8, full: 20, soak: 1_000)

    private func start(
        _ folder: borrowing ProcessFolder,
        seed: Int,
        isDown: Bool,
        ends: Bool,
        hasOutbox: Bool = false,
        output: String
    ) throws -> Process {
        let arguments = [folder.url.path, "\(seed)", folder.path("inbox"), isDown ? "1" : "0", ends ? "1" : "0"]
        return try folder.start("AuditProcess", arguments + (hasOutbox ? ["outbox"] : []), output: output)
    }

    /// Kills processes one after the other.
    /// - Returns: their lines.
    private func killProcesses(_ folder: borrowing ProcessFolder, isDown: Bool, hasOutbox: Bool) throws -> [Substring] {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("AuditKillTests: the moments of the kills come from the seed \(seed)")
        var random = SplitMix(seed: seed)
        var outputs: [Substring] = []
        for round in 0..<max(1, Self.rounds / 2) {
            let process = try start(
                folder,
                seed: round + 1,
                isDown: isDown,
                ends: false,
                hasOutbox: hasOutbox,
                output: "out-\(round)"
            )
            // Some die in the launch, the others with scopes: on a loaded machine a launch takes any time.
            for _ in 0..<(round % 3 > 0 ? 2_000 : 0) {
                if folder.lines(of: "out-\(round)").count >= 4 { break }
                usleep(1_000)
            }
            usleep(UInt32.random(in: 3_000...30_000, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            outputs += folder.lines(of: "out-\(round)")
            try? FileManager.default.removeItem(atPath: folder.path("notes-\(round + 1).sqlite"))  // saves space only
        }
        return outputs
    }

    @Test("deliver each acknowledged scope once, and no scope in part", arguments: [false, true])
    func kills(isDown: Bool) throws {
        let folder = try ProcessFolder()
        var outputs = try killProcesses(folder, isDown: isDown, hasOutbox: false)
        if isDown { #expect(folder.lines(of: "inbox").isEmpty) }
        let process = try start(folder, seed: 0, isDown: false, ends: true, output: "end")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        outputs += folder.lines(of: "end")
        check(outputs, inbox: folder.lines(of: "inbox"))
    }

    @Test("with an outbox, deliver each committed change in one write event of its scope", arguments: [false, true])
    func outbox(isDown: Bool) throws {
        let folder = try ProcessFolder()
        var outputs = try killProcesses(folder, isDown: isDown, hasOutbox: true)
        // Two processes empty the outbox at the same time. One may have sent before the other has stored.
        let first = try start(folder, seed: 0, isDown: false, ends: true, hasOutbox: true, output: "end-1")
        let second = try start(folder, seed: 0, isDown: false, ends: true, hasOutbox: true, output: "end-2")
        first.waitUntilExit()
        second.waitUntilExit()
        let last = try start(folder, seed: 0, isDown: false, ends: true, hasOutbox: true, output: "end-3")
        last.waitUntilExit()
        #expect([first, second, last].map(\.terminationStatus) == [0, 0, 0])
        for number in 1...3 { outputs += folder.lines(of: "end-\(number)") }
        let queue = try DatabaseQueue(path: folder.path("notes.sqlite"))
        let counts = try queue.read { db in
            try Row.fetchAll(db, sql: "SELECT activity, count(*) AS total FROM note GROUP BY activity")
        }
        #expect(
            try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM clickstream_audit_outbox") } == 0
        )
        checkChanges(
            outputs,
            inbox: folder.lines(of: "inbox"),
            committed: counts.map { (activity: $0["activity"] as String, rows: $0["total"] as Int) }
        )
    }

    /// Compares the write events with the rows of the database, which are those of committed transactions.
    private func checkChanges(_ outputs: [Substring], inbox: [Substring], committed: [(activity: String, rows: Int)]) {
        let (stored, cancelled, cancelling) = (
            Self.activities("stored", in: outputs), Self.activities("cancelled", in: outputs),
            Self.activities("cancelling", in: outputs)
        )
        #expect(stored.count + cancelled.count + cancelling.count == outputs.count, "lines about errors")
        // An event that was sent again has the same identifier.
        var writes: [String: [Substring: Substring]] = [:]
        for line in inbox {
            guard let arrival = Arrival(line), arrival.event == "write" else { continue }
            writes[String(arrival.activity), default: [:]][arrival.id] = arrival.rows
        }
        var rebuilt = 0
        for (activity, rows) in committed {
            let found = writes.removeValue(forKey: activity).map { Array($0.values) } ?? []
            if cancelled.contains(activity) {
                #expect(found == [], "\(activity) was cancelled")
            } else if !(found.isEmpty && cancelling.contains(activity)) {
                #expect(found == ["\(rows)"], "\(activity)")
                if !stored.contains(activity) { rebuilt += 1 }
            }
        }
        #expect(writes.isEmpty, "events without committed rows")
        print("\(committed.count) scopes with committed rows, \(rebuilt) of them not acknowledged")
        #expect(stored.count >= Self.rounds / 2)
    }

    private static func activities(_ word: String, in outputs: [Substring]) -> Set<String> {
        Set(outputs.filter { $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.utf8.count + 1)) })
    }

    /// Line of the inbox: an event that arrived.
    private struct Arrival {
        let partition: Int
        let id: Substring
        let event: Substring
        let activity: Substring
        let rows: Substring
        let total: Substring

        init?(_ line: Substring) {
            let parts = line.split(separator: " ")
            guard parts.count == 6, parts[0].hasPrefix("notes-"), let number = Int(parts[0].dropFirst(6)) else {
                return nil
            }
            partition = number
            (id, event, activity, rows, total) = (parts[1], parts[2], parts[3], parts[4], parts[5])
        }
    }

    private func check(_ outputs: [Substring], inbox: [Substring]) {
        let problems = outputs.filter { !$0.hasPrefix("stored ") && !$0.hasPrefix("cancel") }
        #expect(problems.isEmpty)
        let arrivals = inbox.map { Arrival($0) }
        #expect(!arrivals.contains { $0 == nil }, "lines of another form")
        var first: [Substring: Arrival] = [:]
        var order: [Arrival] = []
        for case let arrival? in arrivals where first[arrival.id] == nil {
            first[arrival.id] = arrival
            order.append(arrival)
        }
        // Partitions arrive oldest first.
        #expect(order.map(\.partition) == order.map(\.partition).sorted())
        let scopes = Dictionary(grouping: order, by: \.activity)
        for (activity, events) in scopes {
            let kinds = events.map(\.event).sorted()
            #expect(kinds == ["read", "write"] || kinds == ["pressed"], "\(activity)")
            for event in events where event.event != "pressed" {
                #expect(
                    event.rows == event.total,
                    "\(activity): \(event.rows) of \(event.total) rows in \(event.event)"
                )
            }
            #expect(Set(events.map(\.partition)).count == 1, "\(activity) in several partitions")
        }
        let stored = outputs.filter { $0.hasPrefix("stored ") }.map { $0.dropFirst(7) }
        #expect(Set(stored).count == stored.count)
        let missing = stored.filter { scopes[$0] == nil }
        #expect(missing.isEmpty, "\(missing.count) of \(stored.count) acknowledged scopes missing")
        let cancelled = outputs.filter { $0.hasPrefix("cancelled ") }.map { $0.dropFirst(10) }
        #expect(!cancelled.contains { scopes[$0] != nil }, "cancelled scopes arrived")
        let partitions = Set(order.map(\.partition)).count
        print(
            "\(stored.count) scopes acknowledged, \(scopes.count) arrived in \(partitions) partitions,"
                + " \(cancelled.count) cancelled, \(arrivals.count - order.count) events sent again"
        )
        // A test without scopes or changes of partitions would not fail.
        #expect(stored.count >= Self.rounds / 2 && partitions > 1)
    }
}
#endif
