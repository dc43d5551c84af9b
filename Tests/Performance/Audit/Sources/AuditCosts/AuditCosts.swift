import ClickstreamAudit
import ClickstreamCore
import Foundation
import GRDB

/// Costs of audit scopes.
///
/// - `AuditCosts loop FOLDER plain|idle|scope|outbox WORK ROUNDS ROWS`: one loop on a table of `ROWS` rows, for counters of
///   instructions.
/// - `AuditCosts times FOLDER`: nanoseconds per row with a scope, minus those without, as JSON.
/// - `AuditCosts memory FOLDER write|read ROWS`: the peak of the process's memory in bytes, as JSON.
/// - `AuditCosts large FOLDER MEGABYTES`: times of a scope of ten rows on a small and on a large database, and of a scope
///   that reads all rows of a million, as JSON.
@main
struct AuditCosts {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { throw CostError.usage }
        let rest = Array(arguments.dropFirst(2))
        switch (arguments[0], rest.count) {
        case ("loop", 4):
            guard let mode = Mode(rawValue: rest[0]), let work = Work(rawValue: rest[1]), let rounds = Int(rest[2]),
                let rows = Int(rest[3])
            else {
                throw CostError.usage
            }
            let app = try AuditedApp(folder: arguments[1], mode)
            try app.run(work, rounds: rounds, rows: rows)
        case ("times", 0): try times(folder: arguments[1])
        case ("memory", 2):
            guard let work = Work(rawValue: rest[0]), let rows = Int(rest[1]) else { throw CostError.usage }
            try memory(folder: arguments[1], work, rows: rows)
        case ("large", 1):
            guard let megabytes = Int(rest[0]) else { throw CostError.usage }
            try LargeDatabase(folder: arguments[1], megabytes: megabytes).measure()
        default: throw CostError.usage
        }
    }

    /// Prints the time that a scope adds to a row: the least of several rounds, which alternate.
    private static func times(folder: String) throws {
        let apps = try [Mode.plain, .idle, .scope].map { try AuditedApp(folder: "\(folder)/\($0)", $0) }
        for work in Work.allCases where work != .transaction {
            var least = [Double](repeating: .infinity, count: apps.count)
            for _ in 0..<15 {
                for (index, app) in apps.enumerated() {
                    let start = ContinuousClock.now
                    try app.run(work, rounds: 10_000)
                    least[index] = min(least[index], (ContinuousClock.now - start) / .nanoseconds(10_000))
                }
            }
            figure("\(work), row without observer", least[0], "ns")
            figure("\(work), observer without scope adds", least[1] - least[0], "ns")
            figure("\(work), scope adds", least[2] - least[0], "ns")
        }
    }

    private static func memory(folder: String, _ work: Work, rows: Int) throws {
        let app = try AuditedApp(folder: folder, .scope)
        try app.run(work, rounds: rows)
        figure("peak memory, \(work) of \(rows) rows", Double(peakMemory()), "bytes")
    }

    static func figure(_ name: String, _ value: Double, _ unit: String) {
        print(#"{"name": "\#(name)", "value": \#(value), "unit": "\#(unit)"}"#)
    }

    /// Peak of the process's resident memory, from /proc; 0 on other systems.
    static func peakMemory() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split { !$0.isNumber }.first).flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
    }
}

enum CostError: Error {
    case usage
    case unexpected(String)
}

enum Mode: String {
    /// A database without an observer.
    case plain
    /// An observer without an active scope.
    case idle
    /// One active scope per run.
    case scope
    /// One active scope per run, and an outbox in the database.
    case outbox
}

enum Work: String, CaseIterable {
    /// Inserts of one row each, in one transaction.
    case insert
    /// Updates of one row each by key, in one transaction.
    case update
    /// Updates of one row each by key, in a transaction each.
    case transaction
    /// Deletions of one row each by key, in one transaction.
    case delete
    /// One query that returns a row per round.
    case read
    /// A query by key for each row.
    case find
}
