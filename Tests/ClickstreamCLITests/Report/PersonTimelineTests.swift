import ClickstreamCore
import TestSupport
import Testing

@testable import clickstream_cli

@Suite("Events of a person")
struct PersonTimelineTests {
    /// An element of `/api/events`.
    private func element(
        _ sequence: Int,
        _ name: String = "tap",
        at time: Int,
        session: String = "s-1",
        device: String = "d-1",
        user: String = "u-1",
        attributes: String = ""
    ) throws -> ReceivedEvent {
        let text = """
            {"seq":\(sequence),"status":"good","violations":[],"request_id":"r","received_at":1700000000000,\
            "event":{"event_type":"\(name)","timestamp":\(1_700_000_000_000 + time),"unique_id":"\(user)","device_id":"\(device)",\
            "platform":"iOS","app_version":"1.2","attributes":{"_session_id":"\(session)"\(attributes)}}}
            """
        return try ReceivedEvent(text: Array(text.utf8)[...])
    }

    @Test("are in the order of time, then of arrival, with a run for each change of session or device")
    func order() throws {
        let timeline = PersonTimeline([
            try element(1, "c", at: 30), try element(2, "a", at: 10), try element(3, "b", at: 10),
            try element(4, "d", at: 40, session: "s-2"), try element(5, "e", at: 50, session: "s-2", device: "d-2"),
        ])
        #expect(timeline.runs.map { $0.events.compactMap(\.name) } == [["a", "b", "c"], ["d"], ["e"]])
        #expect(timeline.runs.map(\.session) == ["s-1", "s-2", "s-2"])
        #expect(
            timeline.devices == [
                PersonTimeline.Device(id: "d-1", platform: "iOS", version: "1.2", events: 4),
                PersonTimeline.Device(id: "d-2", platform: "iOS", version: "1.2", events: 1),
            ]
        )
        let json = try JSONReader.parse(Array(timeline.json(of: "u-1").utf8))
        #expect(json["user"]?.string == "u-1")
        #expect(json["events"]?.array?.map { $0["seq"]?.integer } == [2, 3, 1, 4, 5])
    }

    @Test("take linear time if each is of another device")
    func manyDevices() throws {
        let growth = try TimeGrowth(from: 2_000) { count in
            try (0..<count).map { try element($0 + 1, at: $0, device: "device-\($0)") }
        } of: { events in
            #expect(PersonTimeline(events).devices.count == events.count)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    /// - Parameter events: events of the crash's session in the order of arrival.
    private func timeline(
        of crash: ReceivedEvent,
        _ events: [ReceivedEvent],
        maxBytes: Int = EventsBeforeCrash.maxBytes
    ) -> CrashTimeline {
        var before = EventsBeforeCrash(crash, maxBytes: maxBytes)
        for event in events { before.add(event) }
        return before.timeline
    }

    @Test(
        "before a crash are those of its last 30 s",
        arguments: [(60_000, ["a"]), (35_000, ["b", "a"]), (29_999, ["b"]), (100_000, [])] as [(Int, [String])]
    )
    func crash(time: Int, before: [String]) throws {
        let crash = try element(9, "_app_exception", at: time)
        let far = try element(3, "c", at: .min)
        let events = [try element(1, "a", at: 30_000), try element(2, "b", at: 5_000), far, crash]
        #expect(timeline(of: crash, events).before.compactMap(\.name) == before)
    }

    @Test("of a crash end with its breadcrumbs and its stack, within the width")
    func crashLines() throws {
        let attributes =
            ##","_exception_message":"cold \u001bcoffee","_exception_stack":"#0 main\n#1 start","##
            + ##""_exception_breadcrumbs":"heating""##
        let crash = try element(9, "_app_exception", at: 20, attributes: attributes)
        let style = Style(isColoured: false)
        let report = timeline(of: crash, [try element(1, "brew", at: 10), crash])
        let lines = report.lines(TailLine(format: .human, style: style, width: 60), style)
        #expect(lines.first == #"cold \u001bcoffee"#)
        #expect(lines.contains { $0.contains("brew") })
        #expect(lines.suffix(6) == ["Breadcrumbs", "  heating", "", "Stack", "  #0 main", "  #1 start"])
        #expect(lines.allSatisfy { $0.count <= 60 })
    }

    @Test(
        "before a crash are the latest ones within the number and the size, also if they arrive in another order",
        arguments: [false, true]
    )
    func manyBeforeCrash(isReversed: Bool) throws {
        let crash = try element(1, "_app_exception", at: 20_000)
        let count = 5 * EventsBeforeCrash.maxCount
        let events = try (0..<count).map { try element($0 + 2, at: $0) }
        let bytes = try #require(events.last).heldBytes
        for maxCount in [EventsBeforeCrash.maxCount, 7] {
            let found = timeline(of: crash, isReversed ? events.reversed() : events, maxBytes: maxCount * (bytes + 4))
            #expect(found.before.map(\.key.sequence) == (count - maxCount..<count).map { Int64($0 + 2) })
            #expect(found.omitted == count - maxCount)
            #expect(found.json.hasSuffix("],\"omitted\":\(count - maxCount)}"))
        }
    }

    @Test("before several crashes are selected in one pass over each session, for the same person")
    func severalCrashes() throws {
        let crashes = [
            try element(9, "_app_exception", at: 70_000), try element(8, "_app_exception", at: 40_000),
            try element(7, "_app_exception", at: 40_000, user: "u-2"),
            try element(6, "_app_exception", at: 40_000, session: "s-2"),
        ]
        var selection = EventsBeforeCrashes(crashes)
        #expect(selection.sessions == ["s-1", "s-2"])
        let events = [
            try element(1, at: 9_999), try element(2, at: 10_000), try element(3, at: 40_000),
            try element(4, at: 40_001),
            try element(5, at: 39_999, user: "u-2"),
        ]
        // Crashes are events of their sessions, too.
        for event in events + crashes[...2] { selection.add(event, of: "s-1") }
        selection.add(try element(10, at: 40_000, session: "s-2"), of: "s-2")
        selection.add(crashes[3], of: "s-2")
        selection.add(events[1], of: "another")
        let found = selection.timelines.map { $0.before.map(\.key.sequence) }
        #expect(found == [[3, 8, 4], [2, 3], [5], [10]])
        // As of each crash alone.
        let alone = crashes[..<2].map { timeline(of: $0, Array(events.dropLast()) + crashes[..<2]) }
        #expect(alone.map { $0.before.map(\.key.sequence) } == Array(found[..<2]))
        #expect(selection.timelines.map(\.crash.key.sequence) == [9, 8, 7, 6])
    }

    @Test("before many crashes of one session take linear time")
    func manyCrashes() throws {
        // One in ten events is a crash, and precedes three others at most.
        let growth = try TimeGrowth(from: 1_000) { count in
            try (0..<count).map { try element($0 + 1, $0 % 10 == 0 ? "_app_exception" : "tap", at: $0 * 1_000) }
        } of: { events in
            var selection = EventsBeforeCrashes(events.filter { $0.name == "_app_exception" })
            for event in events { selection.add(event, of: "s-1") }
            #expect(selection.timelines.count == events.count / 10)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("before a crash is at least one event, whatever its size")
    func largeBeforeCrash() throws {
        let crash = try element(1, "_app_exception", at: 20_000)
        let long = #","a":"\#(String(repeating: "x", count: 5_000))""#
        let events = try (0..<3).map { try element($0 + 2, at: $0, attributes: long) }
        let found = timeline(of: crash, events, maxBytes: 100)
        #expect(found.before.map(\.key.sequence) == [4])
        #expect(found.omitted == 2)
    }
}
