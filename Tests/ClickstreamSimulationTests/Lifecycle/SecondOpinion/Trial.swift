import ClickstreamCore
import ClickstreamSimulation

/// One script, played through the real library and judged by the second opinion and by what must hold of any events.
struct Trial {
    /// The recorded events of each step.
    private(set) var recorded: [[JSONValue]] = []
    /// Everything that is wrong; nothing, when library and second opinion agree.
    private(set) var findings: [String] = []

    /// Plays `script`, which has no `repeat`.
    init(of script: Script) async throws {
        let heard = Locked((lines: [[[UInt8]]()], warnings: [String]()))
        var setup = Replayer.Setup(
            host: Device(platform: "Linux"),
            files: MemoryFileSystem(),
            storage: "/s",
            deliveryTime: VirtualTime(start: Timestamp(milliseconds: 0)),
            start: Timestamp(milliseconds: RandomHistory.start),
            observe: { notice in
                heard.withLock { heard in
                    switch notice {
                    case .recorded(_, _, let line, _): heard.lines[heard.lines.count - 1].append(line)
                    case .warning(let text): heard.warnings.append(text)
                    case .unstored(let name, _, let reason): heard.warnings.append("\(name) lost: \(reason)")
                    case .captured, .rejected, .sessionDecided, .uploaded, .retained, .deliveryRefused, .setAside,
                        .evicted:
                        break
                    }
                }
            }
        )
        setup.advanced = { _ in heard.withLock { $0.lines.append([]) } }
        var replayer = Replayer(script, setup: setup)
        try await replayer.run()
        replayer.end()
        let (lines, warnings) = heard.withLock { $0 }
        recorded = try lines.dropLast().map { try $0.map { try JSONReader.parse($0) } }
        findings = warnings + Self.findings(in: recorded, of: script)
    }

    /// Mistakes in the events recorded by `script`, step by step.
    static func findings(in recorded: [[JSONValue]], of script: Script) -> [String] {
        differences(recorded, from: script) + Invariants.broken(by: recorded, in: script)
    }

    private static func differences(_ recorded: [[JSONValue]], from script: Script) -> [String] {
        let predicted = SecondOpinion.predictions(for: script, start: script.start?.milliseconds ?? RandomHistory.start)
        var testimony = Testimony()
        for (place, (events, expected)) in zip(recorded, predicted).enumerated() {
            let names = events.map { $0["event_type"]?.string ?? "?" }
            guard names == expected.map(\.name) else {
                return ["step \(place + 1) records \(names), should record \(expected.map(\.name))"]
            }
            for (event, sighting) in zip(events, expected) {
                if let difference = testimony.difference(event, sighting) {
                    return ["step \(place + 1), \(sighting.name): \(difference)"]
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
                var place = 0
                while place < best.steps.count {
                    var steps = best.steps
                    steps.removeSubrange(place..<min(place + length, steps.count))
                    if try await holds(steps) {
                        best.steps = steps
                        hasShrunk = true
                    } else {
                        place += 1
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
            for place in best.steps.indices {
                guard case .wait(let milliseconds) = best.steps[place].action else { continue }
                for shorter in [1, 1_000, milliseconds / 2, milliseconds - 1]
                where 0 < shorter && shorter < milliseconds {
                    var steps = best.steps
                    steps[place].action = .wait(shorter)
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
