import ClickstreamCore
import ClickstreamReplay
import ClickstreamSimulation
import TestSupport

/// Kills in the middle of withdrawals of consent: of a decision whose next step is `kill`, the file operations after a random
/// one fail, as if the process had ended there.
final class Interruption: Sendable {
    private let files: MemoryFileSystem
    /// The number of operations that succeed, by step.
    private let points: [Int: Int]
    private let state = Locked(State())

    private struct State: Sendable {
        /// The step that is interrupted now, with the number of decisions stored before it.
        var current: (step: Int, revision: Int)?
        var undone: Set<Int> = []
    }

    init(of script: Script, _ files: MemoryFileSystem) {
        self.files = files
        var random = SplitMix(seed: script.seed &+ 1)
        var points: [Int: Int] = [:]
        for step in script.steps.indices.dropLast() {
            guard case .consent(let decisions) = script.steps[step].action, case .kill = script.steps[step + 1].action,
                decisions.allSatisfy({ $0.decision == .denied }), !Self.mayCorrectClock(script.steps[..<step])
            else { continue }
            points[step] = Int.random(in: 0..<40, using: &random)
        }
        self.points = points
    }

    /// True if the step after these may correct times that were set on a wrong clock, which the kill may undo.
    private static func mayCorrectClock(_ steps: ArraySlice<Step>) -> Bool {
        for step in steps.reversed() {
            switch step.action {
            case .launch: return false
            case .clock: return true
            default: continue
            }
        }
        return false
    }

    /// True while a process is being killed.
    var isNow: Bool { state.withLock { $0.current != nil } }
    /// The steps whose decision was lost.
    var undone: Set<Int> { state.withLock { $0.undone } }

    /// False if the script ends without a launch after the last interruption.
    func isCompleted(by script: Script) -> Bool {
        guard let last = points.keys.max() else { return true }
        return script.steps[last...].contains { step in
            if case .launch = step.action { true } else { false }
        }
    }

    func willBegin(step: Int) {
        let ended = state.withLock { state -> (step: Int, revision: Int)? in
            guard let current = state.current, step == current.step + 2 else { return nil }
            state.current = nil
            return current
        }
        if let ended {
            files.refuse(operations: 0..<0, errno: 0)
            if revision == ended.revision { state.withLock { $0.undone.formUnion([ended.step]) } }
        }
        guard let point = points[step] else { return }
        let before = revision
        state.withLock { $0.current = (step, before) }
        let next = files.operations + point + 1
        files.refuse(operations: next..<Int.max, errno: 5)
    }

    /// The number of decisions that the store has.
    private var revision: Int {
        guard let path = files.paths.first(where: { $0.hasSuffix("/state") || $0.hasSuffix("/state.old") }) else {
            return 0
        }
        let base = path.hasSuffix(".old") ? String(path.dropLast(4)) : path
        // A state that cannot be read has no decisions, and the comparison finds that.
        switch try? StateFile(files, path: base, kind: "clickstream-state", version: 2).load() {
        case .loaded(let bytes), .recovered(let bytes, _): return StoredState(json: bytes)?.consent.revision ?? 0
        default: return 0
        }
    }
}

/// Events and accounting that a script left on the disk.
struct StoredEvents {
    private(set) var ledger = Ledger()
    private(set) var pendingEvents = 0
    private(set) var ids: Set<String> = []
    /// The device's id; `nil` without a state.
    private(set) var deviceID: String?
    /// The ids of all events ever recorded, in order.
    private let recorded: [String]

    init(_ files: MemoryFileSystem, ofStep events: [[JSONValue]]) throws {
        recorded = events.flatMap { $0 }.compactMap { $0["event_id"]?.string }
        guard let mark = files.paths.first(where: { $0.hasSuffix("/" + StoreFolder.mark) }) else { return }
        let folder = try StoreFolder(files, existing: String(mark.dropLast(StoreFolder.mark.count + 1)))
        (ledger, pendingEvents) = try folder.ledger()
        if case .loaded(let bytes) = try folder.state.load() {
            deviceID = try JSONReader.parse(bytes)["device_id"]?.string
        }
        for path in files.paths where path.hasSuffix(".events") {
            for line in (files[path] ?? []).split(separator: UInt8(ascii: "\n")) {
                let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
                guard words.count == 4 else { continue }
                if let id = try JSONReader.parse(Array(words[3]))["event_id"]?.string { ids.insert(id) }
            }
        }
    }

    /// The ids of the last recorded events.
    func idsSinceWithdrawal(_ count: Int) -> Set<String> { Set(recorded.suffix(count)) }

    /// True if the script does not end the last process.
    func isAliveAtEnd(of script: Script) -> Bool {
        for step in script.steps.reversed() {
            switch step.action {
            case .launch: return true
            case .terminate, .kill, .crash: return false
            default: continue
            }
        }
        return false
    }
}
