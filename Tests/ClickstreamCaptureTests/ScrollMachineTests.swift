import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("ScrollMachine")
struct ScrollMachineTests {
    private func position(
        _ y: Double,
        x: Double = 0,
        visible: Double = 400,
        content: Double = 1_500
    ) -> Capture.ScrollPosition {
        Capture.ScrollPosition(
            horizontal: .init(offset: x, visible: 300, content: 600),
            vertical: .init(offset: y, visible: visible, content: content)
        )
    }

    /// Returns the scroll from a rest position through the given ones.
    private func scroll(_ rest: Capture.ScrollPosition, _ changes: [(Capture.ScrollPosition, Int64)]) -> Scroll? {
        var machine = ScrollMachine(at: rest)
        for (position, time) in changes { machine.move(to: position, at: .at(time)) }
        return machine.close(at: .at(100_000))?.scroll
    }

    @Test("describes the scroll of the document's example")
    func example() {
        let scroll = scroll(
            position(0, content: 1_600),
            [(position(10, content: 1_600), 13), (position(36, content: 1_600), 500)]
        )
        #expect(
            scroll
                == Scroll(distance: 36, speed: 73, direction: .up, depth: 27, start: 0, end: 36, duration: 487)
        )
    }

    @Test(
        "ends 200 ms after the last change",
        arguments: [(199, false), (200, true), (201, true), (5_000, true)] as [(Int64, Bool)]
    )
    func idle(wait: Int64, ends: Bool) {
        var machine = ScrollMachine(at: position(0))
        #expect(machine.deadline == nil)
        machine.move(to: position(10), at: .at(1_000))
        machine.move(to: position(20), at: .at(1_150))
        #expect(machine.deadline == 1_350)
        let end = machine.expire(at: .at(1_150 + wait))
        #expect((end != nil) == ends)
        // The time is that of the end, not that of the timer.
        if ends {
            #expect(end?.time == .at(1_350))
            #expect(machine.deadline == nil)
            #expect(machine.close(at: .at(9_000)) == nil)
        }
    }

    @Test("is not extended by a report of the same offset")
    func same() {
        var machine = ScrollMachine(at: position(0))
        machine.move(to: position(10), at: .at(0))
        machine.move(to: position(10, content: 2_000), at: .at(150))
        #expect(machine.deadline == 200)
        machine.move(to: position(0), at: .at(160))
        #expect(machine.deadline == 360)
    }

    @Test("starts at the position before the first change, after each end")
    func next() {
        var machine = ScrollMachine(at: position(5))
        machine.move(to: position(30), at: .at(0))
        #expect(machine.expire(at: .at(200))?.scroll?.start == 5)
        machine.move(to: position(60), at: .at(200))
        #expect(machine.close(at: .at(201))?.scroll?.start == 30)
    }

    @Test("without net movement is no scroll")
    func back() {
        #expect(scroll(position(10), [(position(50), 10), (position(10), 20)]) == nil)
        #expect(scroll(position(10), []) == nil)
    }

    @Test(
        "has the direction of the larger movement, vertical if equal",
        arguments: [
            (0, 1, .up), (0, -1, .down), (1, 0, .left), (-1, 0, .right), (10, 10, .up), (10, -10, .down),
            (11, 10, .left), (-11, 10, .right), (10, 11, .up),
        ] as [(Double, Double, Scroll.Direction)]
    )
    func direction(x: Double, y: Double, direction: Scroll.Direction) {
        let changes: [(Capture.ScrollPosition, Int64)] = [(position(100 + y, x: 100 + x), 0)]
        #expect(scroll(position(100, x: 100), changes)?.direction == direction)
    }

    @Test(
        "has a depth between 0 and 100",
        arguments: [
            (1_100, 1_500, 100), (1_099, 1_500, 99), (1_101, 1_500, 100), (350, 1_500, 50), (349.99, 1_500, 49),
            (-500, 1_500, 0), (10, 400, 100), (10, 0, 100), (10, -1, 100),
        ] as [(Double, Double, Int)]
    )
    func depth(end: Double, content: Double, depth: Int) {
        #expect(scroll(position(0, content: content), [(position(end, content: content), 0)])?.depth == depth)
    }

    @Test(
        "truncates lengths and speed, with a duration of at least 1 ms",
        arguments: [(0, 1, 40_875), (1, 1, 40_875), (2, 2, 20_437), (1_000, 1_000, 40)] as [(Int64, Int64, Int)]
    )
    func truncation(time: Int64, duration: Int64, speed: Int) {
        let scroll = scroll(position(0.25), [(position(1), 0), (position(41.125), time)])
        #expect(scroll?.duration == duration)
        #expect(scroll?.speed == speed)
        #expect(scroll?.distance == 40)
        #expect(scroll?.start == 0)
        #expect(scroll?.end == 41)
    }

    @Test("accepts positions that are no numbers", arguments: [Double.nan, .infinity, -.infinity])
    func hostile(value: Double) {
        _ = scroll(position(0), [(position(value), 0), (position(1, x: value, visible: value, content: value), 1)])
    }
}
