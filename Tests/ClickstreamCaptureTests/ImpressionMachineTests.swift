import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("ImpressionMachine")
struct ImpressionMachineTests {
    private let viewport = Capture.Frame(x: 0, y: 0, width: 100, height: 100)

    /// A layout with these items fully visible.
    private func layout(_ indices: Int...) -> VisibleItems {
        VisibleItems(
            viewport: viewport,
            items: indices.map { .init(index: $0, frame: Capture.Frame(x: 0, y: 0, width: 10, height: 10)) }
        )
    }

    private func seen(_ layouts: [(VisibleItems, Int64)], closedAt end: Int64) -> [ItemImpression] {
        var machine = ImpressionMachine()
        for (layout, time) in layouts { machine.update(layout, at: .at(time)) }
        return machine.close(at: .at(end))
    }

    private func impression(_ index: Int, _ start: Int64, _ seconds: Int) -> ItemImpression {
        ItemImpression(index: index, start: Timestamp(milliseconds: 1_000_000 + start), viewTime: seconds)
    }

    @Test(
        "counts items that were visible for more than 3 s, in rounded seconds",
        arguments: [
            (2_999, nil), (3_000, nil), (3_001, 3), (3_499, 3), (3_500, 4), (3_501, 4), (4_499, 4), (60_000, 60),
        ] as [(Int64, Int?)]
    )
    func duration(length: Int64, seconds: Int?) {
        let expected: [ItemImpression] =
            seconds.map { (time: Int) -> [ItemImpression] in [impression(0, 10, time)] } ?? []
        #expect(seen([(layout(0), 10)], closedAt: 10 + length) == expected)
    }

    @Test(
        "counts items of which more than half is visible",
        arguments: [
            (Capture.Frame(x: 0, y: 51, width: 100, height: 100), false),
            (Capture.Frame(x: 0, y: 50, width: 100, height: 100), false),
            (Capture.Frame(x: 0, y: 49, width: 100, height: 100), true),
            (Capture.Frame(x: 0, y: -50, width: 100, height: 100), false),
            (Capture.Frame(x: 0, y: -49, width: 100, height: 100), true),
            (Capture.Frame(x: 30, y: 30, width: 100, height: 100), false),
            (Capture.Frame(x: 29, y: 29, width: 100, height: 100), true),
            (Capture.Frame(x: 0, y: 0, width: 100, height: 0), false),
            (Capture.Frame(x: 0, y: 0, width: -100, height: -100), false),
            (Capture.Frame(x: 200, y: 0, width: 10, height: 10), false),
        ]
    )
    func area(frame: Capture.Frame, counts: Bool) {
        let layout = VisibleItems(viewport: viewport, items: [.init(index: 0, frame: frame)])
        #expect(seen([(layout, 0)], closedAt: 4_000).isEmpty == !counts)
    }

    @Test("continues a period over changes of the layout, and interrupts it when an item is hidden")
    func interruption() {
        #expect(seen([(layout(0), 0), (layout(0, 1), 2_000)], closedAt: 4_000) == [impression(0, 0, 4)])
        #expect(seen([(layout(0), 0), (layout(1), 2_000), (layout(0), 2_000)], closedAt: 4_000) == [])
    }

    @Test("uses the longest period, the first of equal ones")
    func longest() {
        let periods =
            [
                (layout(0), 0), (layout(), 4_000), (layout(0), 5_000), (layout(), 10_000), (layout(0), 11_000),
                (layout(), 16_000), (layout(0), 20_000), (layout(), 21_000),
            ] as [(VisibleItems, Int64)]
        #expect(seen(periods, closedAt: 30_000) == [impression(0, 5_000, 5)])
    }

    @Test("is ordered by start, then by index")
    func order() {
        let layouts =
            [(layout(7, 3), 0), (layout(7, 3, 1), 100), (layout(9, 3, 1, 0, 7), 200)]
            as [(VisibleItems, Int64)]
        #expect(seen(layouts, closedAt: 10_000).map(\.index) == [3, 7, 1, 0, 9])
    }

    @Test("begins anew after it was closed")
    func closed() {
        var machine = ImpressionMachine()
        machine.update(layout(0), at: .at(0))
        #expect(machine.close(at: .at(4_000)).count == 1)
        #expect(machine == ImpressionMachine())
        #expect(machine.close(at: .at(9_000)) == [])
    }

    @Test("takes the start from the wall clock and the length from the monotonic one")
    func clocks() {
        var machine = ImpressionMachine()
        machine.update(layout(0), at: Moment(wall: Timestamp(milliseconds: 77), steady: 0))
        let seen = machine.close(at: Moment(wall: Timestamp(milliseconds: 5), steady: 4_000))
        #expect(seen == [ItemImpression(index: 0, start: Timestamp(milliseconds: 77), viewTime: 4)])
    }
}
