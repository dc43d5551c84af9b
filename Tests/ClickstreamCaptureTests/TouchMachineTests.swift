import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("TouchMachine")
struct TouchMachineTests {
    /// Returns the gestures of a sequence of touches of one finger.
    private func gestures(_ steps: [(Capture.Touch.Phase, Double, Double, Int64)]) -> [TouchGesture] {
        var machine = TouchMachine()
        return steps.compactMap {
            machine.receive(Capture.Touch($0.0, at: Capture.Point(x: $0.1, y: $0.2)), at: .at($0.3))
        }
    }

    /// Returns the gesture of a straight move to the right that ends after `duration`.
    private func swipe(_ distance: Double, _ duration: Int64) -> TouchGesture? {
        gestures([(.down, 10, 10, 0), (.move, 10 + distance, 10, duration / 2), (.up, 10 + distance, 10, duration)])
            .first
    }

    @Test(
        "classifies by distance and duration",
        arguments: [
            (0, 0, .tap), (0, 499, .tap), (0, 500, .tap), (0, 501, .longPress), (23.75, 500, .tap),
            (23.75, 501, .longPress), (24, 500, .unclassified), (24, 501, .unclassified), (24.25, 500, .unclassified),
            (47.75, 100, .unclassified), (48, 100, .unclassified), (48.25, 100, .flick), (48.25, 10_000, .drag),
        ] as [(Double, Int64, TouchGesture.Kind)]
    )
    func kinds(distance: Double, duration: Int64, kind: TouchGesture.Kind) {
        #expect(swipe(distance, duration)?.kind == kind)
    }

    @Test(
        "distinguishes drags from flicks by velocity",
        arguments: [
            (100, 1_001, .drag, 99), (100, 1_000, .flick, 100), (100, 999, .flick, 100), (99.75, 1_000, .drag, 99),
            (100.25, 1_000, .flick, 100), (60, 0, .flick, 60_000), (60, 1, .flick, 60_000),
        ] as [(Double, Int64, TouchGesture.Kind, Int)]
    )
    func velocity(distance: Double, duration: Int64, kind: TouchGesture.Kind, velocity: Int) {
        let gesture = swipe(distance, duration)
        #expect(gesture?.kind == kind)
        #expect(gesture.map { Int($0.velocity) } == velocity)
        #expect(gesture.map { Int($0.distance) } == Int(distance))
    }

    @Test(
        "determines the direction by the larger side, vertical if equal",
        arguments: [
            (100, 99, .right), (100, 100, .down), (99, 100, .down), (-100, 99, .left), (-100, 100, .down),
            (100, -100, .up), (99, -100, .up), (0, -60, .up), (60, 0, .right), (-60, 0, .left), (0, 60, .down),
        ] as [(Double, Double, TouchGesture.Direction)]
    )
    func directions(x: Double, y: Double, direction: TouchGesture.Direction) {
        let steps: [(Capture.Touch.Phase, Double, Double, Int64)] = [
            (.down, 200, 200, 0), (.up, 200 + x, 200 + y, 100),
        ]
        #expect(gestures(steps).first?.direction == direction)
    }

    @Test(
        "is complex if the path is longer than one and a half straight lines",
        arguments: [(24, .right), (25, .right), (26, .complex)] as [(Double, TouchGesture.Direction)]
    )
    func complexity(detour: Double, direction: TouchGesture.Direction) {
        // Beyond the end by the detour, and back: 100 + 2 * detour.
        let gesture = gestures([(.down, 0, 0, 0), (.move, 100 + detour, 0, 50), (.up, 100, 0, 100)]).first
        #expect(gesture?.direction == direction)
        #expect(gesture?.distance == 100 + detour)
    }

    @Test("measures the greatest distance, not that of the end")
    func greatest() {
        let gesture = gestures([(.down, 0, 0, 0), (.move, 0, 60, 100), (.up, 0, 0, 200)]).first
        #expect(
            gesture
                == TouchGesture(
                    kind: .flick,
                    start: Capture.Point(x: 0, y: 0),
                    distance: 60,
                    velocity: 600,
                    direction: .complex,
                    duration: 200
                )
        )
    }

    @Test(
        "ends without a gesture",
        arguments: [
            [Capture.Touch(.cancel, at: Capture.Point(x: 0, y: 0))],
            [Capture.Touch(.leave, at: Capture.Point(x: 0, y: 0))],
            [Capture.Touch(.down, at: Capture.Point(x: 9, y: 9), finger: 1)],
            [
                Capture.Touch(.down, at: Capture.Point(x: 9, y: 9), finger: 1),
                Capture.Touch(.up, at: Capture.Point(x: 9, y: 9), finger: 1),
            ],
        ]
    )
    func interrupted(touches: [Capture.Touch]) {
        var machine = TouchMachine()
        _ = machine.receive(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0)), at: .at(0))
        for touch in touches { #expect(machine.receive(touch, at: .at(10)) == nil) }
        #expect(machine.receive(Capture.Touch(.up, at: Capture.Point(x: 0, y: 0)), at: .at(20)) == nil)
    }

    @Test("starts again once every finger was lifted")
    func fingers() {
        var machine = TouchMachine()
        func receive(_ phase: Capture.Touch.Phase, _ finger: UInt8) -> TouchGesture? {
            machine.receive(Capture.Touch(phase, at: Capture.Point(x: 0, y: 0), finger: finger), at: .at(0))
        }
        #expect(receive(.down, 0) == nil)
        #expect(receive(.down, 1) == nil)
        #expect(receive(.up, 0) == nil)
        // Finger 1 is still down.
        #expect(receive(.down, 0) == nil)
        #expect(receive(.up, 0) == nil)
        #expect(receive(.leave, 1) == nil)
        #expect(receive(.up, 1) == nil)
        #expect(receive(.down, 0) == nil)
        #expect(receive(.up, 0)?.kind == .tap)
    }

    @Test("starts again with a second down of the same finger, whose end was not reported")
    func repeated() {
        let gesture = gestures([(.down, 0, 0, 0), (.down, 100, 0, 1_000), (.up, 100, 0, 1_400)])
        #expect(gesture.map(\.start) == [Capture.Point(x: 100, y: 0)])
        #expect(gesture.map(\.kind) == [.tap])
    }

    @Test("ignores moves and ends without a down")
    func unbalanced() {
        #expect(gestures([(.move, 0, 0, 0), (.up, 0, 0, 1), (.cancel, 0, 0, 2), (.up, 0, 0, 3)]) == [])
    }

    @Test("forgets the sequence and all fingers by a reset")
    func reset() {
        var machine = TouchMachine()
        _ = machine.receive(Capture.Touch(.down, at: Capture.Point(x: 0, y: 0)), at: .at(0))
        machine.reset()
        #expect(machine == TouchMachine())
    }

    @Test("accepts coordinates that are no numbers", arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func hostile(value: Double) {
        let gesture = gestures([(.down, 0, 0, 0), (.move, value, value, 1), (.up, value, 0, 2)]).first
        #expect(gesture != nil)
        #expect(Int(saturating: gesture?.velocity ?? 0) >= 0)
    }
}

@Suite("Int")
struct SaturatingIntegerTests {
    @Test(
        "truncates towards zero and saturates",
        arguments: [
            (0.999, 0), (-0.999, 0), (1, 1), (-1.5, -1), (.nan, 0), (.infinity, .max), (-.infinity, .min),
            (9.3e18, .max), (-9.3e18, .min), (9_223_372_036_854_774_784, 9_223_372_036_854_774_784),
            (-9_223_372_036_854_775_808, .min),
        ] as [(Double, Int)]
    )
    func saturating(value: Double, integer: Int) {
        #expect(Int(saturating: value) == integer)
    }
}
