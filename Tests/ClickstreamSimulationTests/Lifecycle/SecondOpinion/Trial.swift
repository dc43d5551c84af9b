import ClickstreamCore
import ClickstreamReplay
import ClickstreamSimulation

/// One script, played through the real library and judged by the second opinion and by what must hold of any events.
struct Trial {
    /// The recorded events of each step.
    private(set) var recorded: [[JSONValue]] = []
    /// The consent steps whose decision was lost in a kill.
    private(set) var undone: Set<Int> = []
    /// Everything that is wrong; nothing, when library and second opinion agree.
    private(set) var findings: [String] = []

    /// Plays `script`, which has no `repeat`.
    init(of script: Script) async throws {
        let heard = Locked((lines: [[[UInt8]]()], warnings: [String]()))
        let files = MemoryFileSystem()
        let interruption = Interruption(of: script, files)
        var setup = Replayer.Setup(
            host: ClickstreamClient.Device(platform: "Linux"),
            files: files,
            storage: "/s",
            deliveryTime: VirtualTime(start: Timestamp(milliseconds: 0)),
            start: Timestamp(milliseconds: RandomHistory.start),
            observe: { notice in
                heard.withLock { heard in
                    switch notice {
                    case .recorded(_, _, let line, _): heard.lines[heard.lines.count - 1].append(line)
                    case .warning(let warning):
                        // Of a process that is being killed, no file operation succeeds.
                        if !interruption.isNow { heard.warnings.append(warning.message) }
                    case .unstored(let name, _, let reason): heard.warnings.append("\(name) lost: \(reason)")
                    case .captured, .rejected, .sessionDecided, .uploaded, .retained, .deliveryRefused, .setAside,
                        .evicted:
                        break
                    }
                }
            }
        )
        interruption.willBegin(step: 0)
        setup.advanced = { _ in
            let next = heard.withLock { heard in
                heard.lines.append([])
                return heard.lines.count - 1
            }
            interruption.willBegin(step: next)
        }
        var replayer = Replayer(script, setup: setup)
        try await replayer.run()
        replayer.end()
        let (lines, warnings) = heard.withLock { $0 }
        recorded = try lines.dropLast().map { try $0.map { try JSONReader.parse($0) } }
        undone = interruption.undone
        let store = try StoredEvents(files, ofStep: recorded)
        findings =
            warnings + Self.findings(in: recorded, of: script, undone: undone)
            // The next launch completes a removal that a kill has interrupted.
            + (interruption.isCompleted(by: script)
                ? Self.findings(in: store, recorded, of: script, undone: undone) : [])
    }

    /// Mistakes in the events recorded by `script`, step by step.
    static func findings(in recorded: [[JSONValue]], of script: Script, undone: Set<Int> = []) -> [String] {
        differences(recorded, from: script, undone: undone) + Invariants.broken(by: recorded, in: script)
    }

    /// Mistakes in what is left on the disk, and in the accounting.
    private static func findings(
        in store: StoredEvents,
        _ recorded: [[JSONValue]],
        of script: Script,
        undone: Set<Int>
    ) -> [String] {
        var findings: [String] = []
        let expected = predictions(for: script, recorded, deviceID: store.deviceID, undone: undone).outcomes
        let ledger = store.ledger
        if ledger.recorded != ledger.settled + store.pendingEvents {
            let (settled, pending) = (ledger.settled, store.pendingEvents)
            findings.append("\(ledger.recorded) events, but \(settled) settled and \(pending) pending")
        }
        if store.ids.count != store.pendingEvents || store.ids.count != expected.stored.count {
            findings.append(
                "\(store.ids.count) events on disk, \(store.pendingEvents) pending, should be \(expected.stored.count)"
            )
        }
        let others = store.ids.subtracting(store.idsSinceWithdrawal(expected.stored.count))
        if !others.isEmpty { findings.append("\(others.count) withdrawn events on the disk") }
        let isExact = script.steps.allSatisfy { step in
            switch step.action {
            case .kill, .crash: false
            default: true
            }
        }
        // The process that is alive at the end is killed too: its counts are in the store only if it wrote its manifest.
        guard isExact, !store.isAliveAtEnd(of: script) else { return findings }
        if ledger[.consentDropped] != expected.consentDropped {
            findings.append("\(ledger[.consentDropped]) consent-dropped, should be \(expected.consentDropped)")
        }
        if ledger[.sampledOut] != expected.sampledOut {
            findings.append("\(ledger[.sampledOut]) sampled-out, should be \(expected.sampledOut)")
        }
        return findings
    }

    /// - Parameter deviceID: the device of a history without a recorded event.
    private static func predictions(
        for script: Script,
        _ recorded: [[JSONValue]],
        deviceID: String? = nil,
        undone: Set<Int>
    ) -> (events: [[Sighting]], outcomes: SecondOpinion.Outcomes) {
        SecondOpinion.predictions(
            for: script,
            start: script.start?.milliseconds ?? RandomHistory.start,
            deviceID: recorded.lazy.flatMap { $0 }.first?["device_id"]?.string ?? deviceID ?? "",
            undone: undone
        )
    }

    private static func differences(
        _ recorded: [[JSONValue]],
        from script: Script,
        undone: Set<Int>
    ) -> [String] {
        let predicted = predictions(for: script, recorded, undone: undone).events
        var testimony = Testimony()
        for (position, (events, expected)) in zip(recorded, predicted).enumerated() {
            let names = events.map { $0["event_type"]?.string ?? "?" }
            guard names == expected.map(\.name) else {
                return ["step \(position + 1) records \(names), should record \(expected.map(\.name))"]
            }
            for (event, sighting) in zip(events, expected) {
                if let difference = testimony.difference(event, sighting) {
                    return ["step \(position + 1), \(sighting.name): \(difference)"]
                }
            }
        }
        return []
    }

    /// True if the steps can be played at all: `launch` first, and nothing but time between two processes.
    static func isPlayable(_ steps: [Step]) -> Bool {
        var isAlive = false
        guard case .launch? = steps.first?.action else { return false }
        for step in steps {
            switch step.action {
            case .launch:
                if isAlive { return false }
                isAlive = true
            case .terminate, .kill, .crash:
                if !isAlive { return false }
                isAlive = false
            case .wait, .clock, .network: break
            default: if !isAlive { return false }
            }
        }
        return true
    }

    /// The shortest script of which `isWrong` still holds: steps are left out, alone and in pairs, and waits cut.
    static func shrunk(_ script: Script, while isWrong: (Script) async throws -> Bool) async rethrows -> Script {
        var best = script
        func holds(_ steps: [Step]) async throws -> Bool {
            guard isPlayable(steps) else { return false }
            var candidate = best
            candidate.steps = steps
            return try await isWrong(candidate)
        }
        var hasShrunk = true
        while hasShrunk {
            hasShrunk = false
            for length in [16, 8, 4, 2, 1] {
                var position = 0
                while position < best.steps.count {
                    var steps = best.steps
                    steps.removeSubrange(position..<min(position + length, steps.count))
                    if try await holds(steps) {
                        best.steps = steps
                        hasShrunk = true
                    } else {
                        position += 1
                    }
                }
            }
            for one in best.steps.indices.reversed() {
                for other in best.steps.indices.reversed() where other > one && other < best.steps.count {
                    var steps = best.steps
                    steps.remove(at: other)
                    steps.remove(at: one)
                    if try await holds(steps) {
                        best.steps = steps
                        hasShrunk = true
                    }
                }
            }
            for position in best.steps.indices {
                guard case .wait(let milliseconds) = best.steps[position].action else { continue }
                for shorter in [1, 1_000, milliseconds / 2, milliseconds - 1]
                where 0 < shorter && shorter < milliseconds {
                    var steps = best.steps
                    steps[position].action = .wait(shorter)
                    if try await holds(steps) {
                        best.steps = steps
                        hasShrunk = true
                        break
                    }
                }
            }
        }
        return best
    }
}
