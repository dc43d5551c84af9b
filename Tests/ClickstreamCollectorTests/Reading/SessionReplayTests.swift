import ClickstreamCore
import Testing

@testable import ClickstreamCollector

@Suite("Session replay")
struct SessionReplayTests {
    /// A step: the event's name, its time, the screen that it names, its engagement.
    private typealias Step = (name: String, time: Int64, screen: String?, engagement: Int64?)

    private func replay(_ steps: [Step]) -> SessionReplay {
        SessionReplay(
            steps.enumerated().map { index, step in
                SessionEvent(
                    sequence: Int64(index + 1),
                    name: step.name,
                    timestamp: Timestamp(milliseconds: step.time),
                    screenName: step.screen,
                    engagement: step.engagement,
                    reportsError: false
                )
            }
        )
    }

    @Test("adds an engagement to its screen once, whichever event contains it")
    func stays() {
        let replay = replay([
            ("_screen_view", 0, "A", nil), ("_user_engagement", 3_000, "A", 3_000), ("_screen_view", 3_000, "B", 3_000),
            ("_screen_view", 3_400, "C", 400), ("_user_engagement", 5_400, "C", 2_000), ("_app_end", 5_400, "C", nil),
            ("_app_start", 9_000, "C", nil), ("_screen_view", 9_700, "A", 700),
        ])
        #expect(replay.screens.map(\.name) == ["A", "B", "C", "A"])
        #expect(replay.screens.map(\.engagement) == [3_000, 400, 2_700, 0])
        #expect(replay.engagement == 5_000)
    }

    @Test("uses the next view's time if engagement is not tracked")
    func untracked() {
        let replay = replay([("_screen_view", 0, "A", nil), ("_screen_view", 8_000, "B", 8_000)])
        #expect(replay.screens.map(\.engagement) == [8_000, 0])
        #expect(replay.engagement == 0)
    }

    @Test("counts engagement without a screen for the session only, and ignores negative times")
    func withoutScreen() {
        let replay = replay([
            ("_user_engagement", 1_000, nil, 1_000), ("_screen_view", 2_000, "A", nil),
            ("_user_engagement", 3_000, "B", 1_000), ("_user_engagement", 4_000, "A", -5),
        ])
        #expect(replay.screens.map(\.engagement) == [0])
        #expect(replay.engagement == 2_000)
    }

    @Test("orders by the time of the events, not by their arrival")
    func order() {
        let replay = replay([
            ("_screen_view", 2_000, "B", nil), ("_screen_view", 1_000, "A", nil), ("_screen_view", 2_000, "C", nil),
        ])
        #expect(replay.screens.map(\.name) == ["A", "B", "C"])
        let session = replay.session(id: "s", appID: nil)
        #expect(session.start == Timestamp(milliseconds: 1_000))
        #expect(session.duration == 1_000)
    }
}
