import ClickstreamCapture
import ClickstreamCore
import ClickstreamReplay
import Foundation
import TestSupport
import Testing

/// Random scripts, through the replayer with the real client and through the model.
@Suite("Random scripts with a user interface")
struct RandomScriptTests {
    @Test("replay to the events that the independent model finds")
    func agreement() async throws {
        let seeds = TestLength.seeds(200, full: 2_000, soak: 100_000)
        let (first, count) = (seeds.lowerBound, seeds.count)
        let workers = max(1, min(count, ProcessInfo.processInfo.activeProcessorCount))
        let counts = try await withThrowingTaskGroup(of: [Substring: Int].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var counts: [Substring: Int] = [:]
                    for number in stride(from: first + worker, to: first + count, by: workers) {
                        let script = RandomScript.script(number: UInt64(number))
                        let expected = ScriptExpectation(script)
                        let replayed = try await ScriptExpectation(of: ScriptReplay(script, capturesAlways: true))
                        for event in expected.events { counts[event.prefix { $0 != " " }, default: 0] += 1 }
                        guard replayed != expected else { continue }
                        try await Self.report(script, number: number)
                        return counts
                    }
                    return counts
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        // A generator without events would agree with any replayer.
        for name in ["_screen_load", "_click", "_gesture", "_scroll", "_items_impression"] {
            #expect(counts[name[...], default: 0] >= count / 20, "\(name) of scripts \(first)...\(first + count - 1)")
        }
    }

    /// Prints the shortest script that still differs, with the first difference.
    private static func report(_ script: Script, number: Int) async throws {
        var shrunk = script
        var index = shrunk.steps.count - 1
        while index > 0 {
            var candidate = shrunk
            candidate.steps.remove(at: index)
            let expected = ScriptExpectation(candidate)
            if try await ScriptExpectation(of: ScriptReplay(candidate, capturesAlways: true)) != expected {
                shrunk = candidate
            }
            index -= 1
        }
        let expected = ScriptExpectation(shrunk)
        let replayed = try await ScriptExpectation(of: ScriptReplay(shrunk, capturesAlways: true))
        var text = "seed \(number), shrunk to \(shrunk.steps.count) steps\n"
        for step in shrunk.steps { text += "\(step.action)\n" }
        for (one, other) in [(replayed.events, expected.events), (replayed.pulse, expected.pulse)] where one != other {
            text += "\(one.count) events, \(other.count) in the model\n"
            let same = zip(one, other).prefix { $0 == $1 }.count
            text += "replay: \(one.dropFirst(same).first ?? "-")\nmodel:  \(other.dropFirst(same).first ?? "-")\n"
        }
        Issue.record("\(text)")
    }
}

/// Events of a script in a form that is the same for the model and for the lines of a replay.
struct ScriptExpectation: Equatable {
    /// Name, time and gesture of each event of the clickstream format.
    var events: [String] = []
    /// Touches of the format that has an event for each.
    var touches: [String] = []
    /// Events of the pulse format, with numbered identifiers.
    var pulse: [String] = []

    /// The model's expectation.
    init(_ script: Script) {
        var lines: [String] = []
        var encoder = PulseEncoder(
            connection: PulseConnection(ClickstreamClient.Device(platform: "Linux"), isOnline: true)
        )
        for (number, process) in ScriptModel(script).processes.enumerated() {
            encoder.previousEvents = []
            // The identifiers of a process differ from those of the others.
            for event in CaptureModel(process).events().map({ $0.renumbered(process: UInt64(number)) }) {
                events += Self.summary(event)
                if case .touch(let gesture, let target) = event.content {
                    touches.append(Self.touch(gesture, target, at: event.time))
                }
                guard let line = encoder.encode(event) else { continue }
                lines.append(String(decoding: line, as: UTF8.self))
                encoder.previousEvents = (encoder.previousEvents + [event.id]).suffix(10)
            }
        }
        pulse = Self.numbered(lines)
    }

    /// The lines of a replay.
    init(of replay: ScriptReplay) throws {
        for line in replay.events[.clickstream] ?? [] {
            let event = try JSONReader.parse(Array(line.utf8))
            let name = try #require(event["event_type"]?.string)
            guard Self.names.contains(name) else { continue }
            let time = try #require(event["timestamp"]?.integer)
            events.append("\(name) \(time) \(event["attributes"]?["_gesture_type"]?.string ?? "-")")
        }
        touches = try Self.touches(of: replay)
        pulse = Self.numbered(replay.events[.pulse] ?? [])
    }

    private static let names: Set<String> = ["_screen_load", "_click", "_gesture", "_scroll", "_items_impression"]

    private static func summary(_ event: CapturedEvent) -> [String] {
        let time = event.time.wall.milliseconds
        switch event.content {
        case .pageView: return []
        case .pageLoad: return ["_screen_load \(time) -"]
        case .click: return ["_click \(time) -"]
        case .scroll: return ["_scroll \(time) -"]
        case .impressions: return ["_items_impression \(time) -"]
        case .touch(let gesture, _):
            let kinds: [TouchGesture.Kind: String] = [
                .tap: "tap", .longPress: "long_press", .drag: "drag", .flick: "flick",
            ]
            return ["_gesture \(time) \(kinds[gesture.kind] ?? "?")"]
        case .gesture(let parameters):
            let type =
                switch parameters {
                case .tap: "tap"
                case .longPress: "long_press"
                case .scale: "scale"
                case .rotate: "rotate"
                case .move: "move"
                }
            return ["_gesture \(time) \(type)"]
        }
    }

    /// The lines with their identifiers numbered in the order of their first use.
    private static func numbered(_ lines: [String]) -> [String] {
        var numbers: [Substring: Int] = [:]
        return lines.map { line in
            line.replacing(/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/) { match in
                let number = numbers[match.output] ?? numbers.count
                numbers[match.output] = number
                return "#\(number)"
            }
        }
    }
}

extension CapturedEvent {
    /// The same event with identifiers that no other process has.
    fileprivate func renumbered(process: UInt64) -> CapturedEvent {
        func moved(_ id: UniqueID) -> UniqueID { UniqueID(high: id.high &+ process << 32, low: id.low) }
        var event = self
        event.id = moved(id)
        event.context.path = context.path.map { .init(key: $0.key, id: moved($0.id)) }
        return event
    }
}
