import ClickstreamAnalytics
import Testing

/// The schedule on its own, in virtual time.
@Suite("Overlapping connection attempts")
struct HappyEyeballsTests {
    /// Behaviour of one address, in milliseconds after the start of its attempt.
    enum Address: Sendable {
        case accepts(after: Int64)
        case refuses(after: Int64)
        case silent
    }

    struct Outcome: Sendable, Equatable {
        /// The start of each attempt, in the order of the addresses.
        var starts: [Int64]
        /// The address that was connected first; `nil` if none was.
        var winner: Int?
        var end: Int64
    }

    @Test(
        "start at once after a failure, otherwise every 250 ms, until one succeeds or the timeout passes",
        arguments: [
            ([.accepts(after: 5), .accepts(after: 0)], 15_000, Outcome(starts: [0], winner: 0, end: 5)),
            ([.accepts(after: 249), .accepts(after: 0)], 15_000, Outcome(starts: [0], winner: 0, end: 249)),
            ([.silent, .accepts(after: 10)], 15_000, Outcome(starts: [0, 250], winner: 1, end: 260)),
            ([.accepts(after: 300), .accepts(after: 10)], 15_000, Outcome(starts: [0, 250], winner: 1, end: 260)),
            ([.accepts(after: 300), .accepts(after: 90)], 15_000, Outcome(starts: [0, 250], winner: 0, end: 300)),
            ([.accepts(after: 300), .refuses(after: 10)], 15_000, Outcome(starts: [0, 250], winner: 0, end: 300)),
            ([.refuses(after: 1), .accepts(after: 10)], 15_000, Outcome(starts: [0, 1], winner: 1, end: 11)),
            (
                [.silent, .refuses(after: 1), .silent, .accepts(after: 1)], 15_000,
                Outcome(starts: [0, 250, 251, 501], winner: 3, end: 502)
            ),
            ([.refuses(after: 1), .refuses(after: 2)], 15_000, Outcome(starts: [0, 1], winner: nil, end: 3)),
            ([.refuses(after: 1), .silent], 15_000, Outcome(starts: [0, 1], winner: nil, end: 15_000)),
            ([.silent, .silent], 15_000, Outcome(starts: [0, 250], winner: nil, end: 15_000)),
            ([.silent, .accepts(after: 300)], 500, Outcome(starts: [0, 250], winner: nil, end: 500)),
            ([.silent, .accepts(after: 0)], 250, Outcome(starts: [0], winner: nil, end: 250)),
            ([.silent, .accepts(after: 0)], .max, Outcome(starts: [0, 250], winner: 1, end: 250)),
            ([.accepts(after: 0)], .min, Outcome(starts: [], winner: nil, end: 0)),
            ([], 15_000, Outcome(starts: [], winner: nil, end: 0)),
        ] as [([Address], Int64, Outcome)]
    )
    func attempts(addresses: [Address], timeout: Int64, expected: Outcome) {
        let start: Int64 = 7_000
        var schedule = HappyEyeballs(addressCount: addresses.count, start: start, timeout: timeout)
        var outcome = Outcome(starts: [], winner: nil, end: 0)
        /// Ends of pending attempts.
        var ends: [Int: Int64] = [:]
        while true {
            switch schedule.next(at: start + outcome.end) {
            case .connect(let index):
                #expect(index == outcome.starts.count)
                outcome.starts.append(outcome.end)
                switch addresses[index] {
                case .accepts(let delay), .refuses(let delay): ends[index] = outcome.end + delay
                case .silent: break
                }
            case .wait(let milliseconds):
                let first = ends.min { $0.value < $1.value }
                guard let first, first.value <= outcome.end + milliseconds else {
                    outcome.end += milliseconds
                    continue
                }
                (ends[first.key], outcome.end) = (nil, first.value)
                if case .accepts = addresses[first.key] {
                    outcome.winner = first.key
                    #expect(outcome == expected)
                    return
                }
                schedule.attemptFailed()
            case .stop:
                #expect(outcome == expected)
                return
            }
        }
    }

    @Test(
        "alternate between the families, the first one first",
        arguments: [
            ("", ""), ("6a", "6a"), ("6a 6b", "6a 6b"), ("6a 6b 4a", "6a 4a 6b"), ("6a 4a 6b 4b", "6a 4a 6b 4b"),
            ("4a 4b 4c 6a", "4a 6a 4b 4c"), ("6a 4a 4b 4c", "6a 4a 4b 4c"), ("6a 6b 6c 4a 4b", "6a 4a 6b 4b 6c"),
        ]
    )
    func order(addresses: String, expected: String) {
        let ordered = HappyEyeballs.interleaved(addresses.split(separator: " ")) { $0.first }
        #expect(ordered.joined(separator: " ") == expected)
    }
}
