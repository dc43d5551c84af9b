#if Audit
import Foundation
import TestSupport
import Testing

/// Random scripts with scopes, on an observed database and in the model: at least as many scopes as there are seeds, with
/// each mechanism.
@Suite("Random scopes")
struct RandomScopesTests {
    @Test(
        "record the difference of two snapshots, and the rows that queries returned",
        arguments: ["hook", "triggers"]
    )
    func agreement(mechanism: String) async throws {
        let seeds = TestLength.seeds(140, full: 400, soak: 100_000)
        let (first, count) = (seeds.lowerBound, seeds.count)
        let usesHook = mechanism == "hook"
        print("RandomScopesTests: \(mechanism), scripts from the seed \(first)")
        let workers = max(1, min(count / 70, ProcessInfo.processInfo.activeProcessorCount))
        let counts = await withTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var counts: [String: Int] = [:]
                    var number = first + worker
                    while counts["scopes", default: 0] < count / workers {
                        guard Self.agrees(number, usesHook, &counts) else { break }
                        number += workers
                    }
                    return counts
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        print("RandomScopesTests: \(mechanism), \(counts.sorted { $0.key < $1.key })")
        // A generator without events would agree with any recorder.
        for name in ["insertions", "modifications", "deletions", "rows read"] {
            #expect(counts[name, default: 0] >= count / 4, "\(name)")
        }
        #expect(counts["unattributed", default: 0] >= count / 20)
    }

    /// Plays a script; reports the first differences of the shortest part that differs.
    private static func agrees(_ number: Int, _ usesHook: Bool, _ counts: inout [String: Int]) -> Bool {
        let script = RandomScript(seed: UInt64(number), usesHook: usesHook)
        guard let difference = difference(script, &counts) else { return true }
        let shrunk = shrunk(script)
        var other: [String: Int] = [:]
        let last = Self.difference(shrunk, &other) ?? difference
        Issue.record("seed \(number)\n\(last)\n\(shrunk.text)")
        return false
    }

    private static func difference(_ script: RandomScript, _ counts: inout [String: Int]) -> String? {
        let folder = scratch.appendingPathComponent("random-scopes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // leftover files have no effect
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var player = try ScriptPlayer(script, folder: folder)
            try player.play()
            counts.merge(player.counts, uniquingKeysWith: +)
            return player.differences.isEmpty ? nil : player.differences.prefix(3).joined(separator: "\n")
        } catch {
            return "\(error)"
        }
    }

    /// Removes steps, then statements, as long as the script still differs.
    private static func shrunk(_ script: RandomScript) -> RandomScript {
        var shrunk = script
        var counts: [String: Int] = [:]
        func attempt(_ change: (inout RandomScript) -> Void) {
            var candidate = shrunk
            change(&candidate)
            if difference(candidate, &counts) != nil { shrunk = candidate }
        }
        for index in script.steps.indices.reversed() { attempt { $0.steps.remove(at: index) } }
        for index in shrunk.steps.indices {
            guard case .write(let statements) = shrunk.steps[index] else { continue }
            for number in statements.indices.reversed() {
                attempt { candidate in
                    guard case .write(var rest) = candidate.steps[index] else { return }
                    rest.remove(at: number)
                    candidate.steps[index] = .write(rest)
                }
            }
        }
        for index in shrunk.schema.triggers.indices.reversed() { attempt { $0.schema.triggers.remove(at: index) } }
        return shrunk
    }

    /// Folder of the databases: in memory if there is one.
    private static var scratch: URL {
        let memory = URL(fileURLWithPath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    }
}
#endif
