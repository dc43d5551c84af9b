import Testing

@testable import ClickstreamCore

@Suite("Visibility")
struct VisibilityTests {
    private typealias Row = (
        before: Visibility, signal: Visibility.Signal, change: Visibility.Change, after: Visibility
    )

    private static let table: [Row] = [
        (.launched, .foreground, .appeared, .foreground), (.launched, .background, .left, .background),
        (.launched, .terminate, .left, .ended), (.launched, .vanish, .nothing, .ended),
        (.foreground, .foreground, .nothing, .foreground), (.foreground, .background, .left, .background),
        (.foreground, .terminate, .left, .ended), (.foreground, .vanish, .nothing, .ended),
        (.background, .foreground, .returned, .foreground), (.background, .background, .nothing, .background),
        (.background, .terminate, .nothing, .ended), (.background, .vanish, .nothing, .ended),
        (.outside, .foreground, .nothing, .outside), (.outside, .background, .nothing, .outside),
        (.outside, .terminate, .nothing, .ended), (.outside, .vanish, .nothing, .ended),
        (.ended, .foreground, .nothing, .ended), (.ended, .background, .nothing, .ended),
        (.ended, .terminate, .nothing, .ended), (.ended, .vanish, .nothing, .ended),
    ]

    @Test("every signal in every state has the documented effect", arguments: Visibility.allCases)
    func exhaustive(before: Visibility) {
        for signal in Visibility.Signal.allCases {
            var state = before
            let change = state.receive(signal)
            let rows = Self.table.filter { $0.before == before && $0.signal == signal }
            #expect(rows.map(\.change) == [change])
            #expect(rows.map(\.after) == [state])
        }
    }

    @Test("the app is visible from its launch until it is left")
    func visible() {
        #expect(Visibility.allCases.filter(\.isVisible) == [.launched, .foreground])
    }
}
