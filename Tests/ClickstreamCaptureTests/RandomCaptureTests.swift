import ClickstreamCapture
import ClickstreamCore
import Foundation
import TestSupport
import Testing

/// Random scripts, through the session and through the model.
@Suite("Random capture scripts")
struct RandomCaptureTests {
    @Test("produce the events that the independent model finds")
    func agreement() async {
        let seeds = TestLength.seeds(400, full: 5_000, soak: 100_000)
        let (first, count) = (seeds.lowerBound, seeds.count)
        let workers = max(1, min(count, ProcessInfo.processInfo.activeProcessorCount))
        let counts = await withTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var counts: [String: Int] = [:]
                    for number in stride(from: first + worker, to: first + count, by: workers) {
                        let script = RandomCapture.script(number: UInt64(number))
                        let model = CaptureModel(script)
                        let (events, unclassified) = CapturePlayer.play(script)
                        for event in events { counts[event.content.name, default: 0] += 1 }
                        counts["unclassified", default: 0] += unclassified
                        guard events.numbered == model.events().numbered, unclassified == model.unclassified() else {
                            Self.report(script, number: number)
                            return counts
                        }
                    }
                    return counts
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        // A generator without events would agree with any session.
        for name in [
            "pageLoad", "pageView", "click", "touch tap", "touch longPress", "touch drag", "touch flick", "scroll",
            "gesture", "impressions", "unclassified",
        ] {
            #expect(counts[name, default: 0] >= count / 20, "\(name) of scripts \(first)...\(first + count - 1)")
        }
    }

    private static func agree(_ script: CaptureScript) -> Bool {
        let model = CaptureModel(script)
        let played = CapturePlayer.play(script)
        return played.events.numbered == model.events().numbered && played.unclassified == model.unclassified()
    }

    /// Prints the shortest script that still differs, with the first difference.
    private static func report(_ script: CaptureScript, number: Int) {
        var shrunk = script
        var index = shrunk.steps.count - 1
        while index >= 0 {
            var candidate = shrunk
            candidate.steps.remove(at: index)
            if !agree(candidate) { shrunk = candidate }
            index -= 1
        }
        let events = CapturePlayer.play(shrunk).events.numbered
        let expected = CaptureModel(shrunk).events().numbered
        let difference = zip(events, expected).first { $0 != $1 }
        var text = "seed \(number), shrunk to \(shrunk.steps.count) steps\n"
        for step in shrunk.steps { text += "\(step.time.steady) \(step.input)\n" }
        text += "\(events.count) events, \(expected.count) in the model\n"
        if let difference {
            text += "session: \(difference.0)\nmodel:   \(difference.1)"
        } else {
            text += "session: \(events.dropFirst(expected.count))\nmodel:   \(expected.dropFirst(events.count))"
        }
        Issue.record("\(text)")
    }

    @Test(
        "fail the comparison if an event is missing, repeated or changed",
        arguments: TestLength.sample([UInt64](1...20), short: 6)
    )
    func changed(number: UInt64) {
        let script = RandomCapture.script(number: number)
        let events = CapturePlayer.play(script).events
        let expected = CaptureModel(script).events().numbered
        #expect(events.numbered == expected)
        for index in events.indices {
            func differs(_ change: (inout [CapturedEvent]) -> Void) -> Bool {
                var other = events
                change(&other)
                return other.numbered != expected
            }
            #expect(differs { $0.remove(at: index) })
            #expect(differs { $0.insert(events[index], at: index) })
            #expect(differs { $0[index].isInBackground.toggle() })
            #expect(differs { $0[index].time.steady += 1 })
            #expect(differs { $0[index].context.sources.append(PageReference(className: "X")) })
        }
    }
}

extension CapturedEvent.Content {
    /// The kind of event, for counts.
    fileprivate var name: String {
        switch self {
        case .pageLoad: "pageLoad"
        case .pageView: "pageView"
        case .click: "click"
        case .touch(let gesture, _): "touch \(gesture.kind)"
        case .scroll: "scroll"
        case .gesture: "gesture"
        case .impressions: "impressions"
        }
    }
}
