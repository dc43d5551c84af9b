#if GTK
@testable import ClickstreamGTK
import Testing

@Suite("Fingers on the screen")
@MainActor
struct FingersTests {
    private let surface: OpaquePointer

    init() throws {
        surface = try #require(OpaquePointer(bitPattern: 16))
    }

    @Test(
        "drops a move that is older than the last event of its finger",
        arguments: [
            (began: 8_520, time: 8_912, isAccepted: true), (8_520, 8_520, true), (8_520, 7_984, false),
            // The time is unknown.
            (8_520, 0, true), (0, 7_984, true),
            // The clock of 32 bits starts again from 0.
            (UInt32.max - 9, 10, true), (10, UInt32.max - 9, false),
        ] as [(began: UInt32, time: UInt32, isAccepted: Bool)]
    )
    func outdated(began: UInt32, time: UInt32, isAccepted: Bool) {
        var fingers = Fingers()
        let id = Fingers.ID(isTouch: true, sequence: nil)
        _ = fingers.add(id, on: surface, nil, at: began)
        #expect((fingers.move(id, at: time) != nil) == isAccepted)
        #expect(fingers[id] != nil)
    }

    @Test("compares with the last move, not with the begin")
    func order() {
        var fingers = Fingers()
        let id = Fingers.ID(isTouch: true, sequence: nil)
        _ = fingers.add(id, on: surface, nil, at: 100)
        #expect(fingers.move(id, at: 300) != nil)
        #expect(fingers.move(id, at: 0) != nil)
        #expect(fingers.move(id, at: 200) == nil)
        #expect(fingers.move(.pointer, at: 400) == nil)
    }

    @Test("removes touches, not the pointer, and reuses their slots")
    func touches() {
        var fingers = Fingers()
        let second = UnsafeMutableRawPointer(bitPattern: 32)
        _ = fingers.add(Fingers.ID(isTouch: true, sequence: nil), on: surface, nil)
        _ = fingers.add(.pointer, on: surface, nil)
        _ = fingers.add(Fingers.ID(isTouch: true, sequence: second), on: surface, nil)
        #expect(Set(fingers.removeTouches().map(\.slot)) == [0, 2])
        #expect(fingers[.pointer]?.slot == 1)
        #expect(fingers.add(Fingers.ID(isTouch: true, sequence: nil), on: surface, nil).slot == 0)
    }
}
#endif
