import Testing

@testable import ClickstreamCore

@Suite("ScreenMachine")
struct ScreenMachineTests {
    private let home = Screen(name: "Home", id: "Shop/Home", uniqueID: "1")
    private let cart = Screen(name: "Cart", id: "Shop/Cart", uniqueID: "2")

    private func at(_ milliseconds: Int64) -> Moment {
        Moment(wall: Timestamp(milliseconds: 1_000_000 + milliseconds), steady: milliseconds)
    }

    /// Shows a screen as the recorder does: asks first, then shows.
    private func show(_ screen: Screen, on machine: inout ScreenMachine, at moment: Moment) -> ScreenMachine.Transition?
    {
        let transition = machine.transition(to: screen, at: moment)
        if transition != nil { machine.show(screen, visible: true, at: moment) }
        return transition
    }

    @Test("the first screen of a session is an entrance without a predecessor, however long the app was visible")
    func first() {
        var machine = ScreenMachine()
        machine.startClock(at: at(0))
        let transition = show(home, on: &machine, at: at(5_000))
        #expect(transition == ScreenMachine.Transition(view: ScreenMachine.View(screen: home, isEntrance: true)))
    }

    @Test(
        "a stay of one second or more is engagement",
        arguments: [(0, nil, nil), (1, nil, 1), (999, nil, 999), (1_000, 1_000, 1_000), (60_000, 60_000, 60_000)]
            as [(Int64, Int64?, Int64?)]
    )
    func stay(milliseconds: Int64, engagement: Int64?, onView: Int64?) {
        var machine = ScreenMachine()
        _ = show(home, on: &machine, at: at(0))
        let transition = show(cart, on: &machine, at: at(milliseconds))
        #expect(
            transition
                == ScreenMachine.Transition(
                    engagement: engagement,
                    view: ScreenMachine.View(
                        screen: cart,
                        isEntrance: false,
                        previous: home,
                        previousTimestamp: at(0).wall,
                        engagement: onView
                    )
                )
        )
    }

    @Test("the same screen again is no transition, and its clock continues")
    func same() {
        var machine = ScreenMachine()
        _ = show(home, on: &machine, at: at(0))
        #expect(show(home, on: &machine, at: at(700)) == nil)
        #expect(show(cart, on: &machine, at: at(1_000))?.engagement == 1_000)
    }

    @Test("another name, id or unique id is another screen")
    func parts() {
        for other in [
            Screen(name: "Home2", id: "Shop/Home", uniqueID: "1"),
            Screen(name: "Home", id: "Shop/Home2", uniqueID: "1"),
            Screen(name: "Home", id: "Shop/Home", uniqueID: "3"), Screen(name: "Home"),
        ] {
            var machine = ScreenMachine()
            _ = show(home, on: &machine, at: at(0))
            #expect(show(other, on: &machine, at: at(10)) != nil)
        }
    }

    @Test("the background stops the clock, the foreground starts it again")
    func background() {
        var machine = ScreenMachine()
        _ = show(home, on: &machine, at: at(0))
        #expect(machine.leave(at: at(999)) == nil)
        machine.startClock(at: at(10_000))
        #expect(machine.leave(at: at(11_000)) == 1_000)
        #expect(machine.leave(at: at(99_000)) == nil)
    }

    @Test("a screen shown in the background has no engagement")
    func invisible() {
        var machine = ScreenMachine()
        _ = show(home, on: &machine, at: at(0))
        _ = machine.leave(at: at(5_000))
        let transition = machine.transition(to: cart, at: at(9_000))
        #expect(transition?.engagement == nil)
        #expect(transition?.view.engagement == nil)
        machine.show(cart, visible: false, at: at(9_000))
        #expect(machine.leave(at: at(20_000)) == nil)
    }

    @Test("a new session clears the predecessor, and views the current screen again")
    func newSession() {
        var machine = ScreenMachine()
        _ = show(home, on: &machine, at: at(0))
        #expect(machine.startSession() == ScreenMachine.View(screen: home, isEntrance: true))
        #expect(machine.lastView == nil)
        var empty = ScreenMachine()
        #expect(empty.startSession() == nil)
    }

    @Test("a session that continues in a new process has only its last view")
    func relaunch() {
        let machine = ScreenMachine(lastView: Timestamp(milliseconds: 42))
        let view = machine.transition(to: home, at: at(0))?.view
        #expect(
            view
                == ScreenMachine.View(
                    screen: home,
                    isEntrance: false,
                    previousTimestamp: Timestamp(milliseconds: 42)
                )
        )
    }

    @Test("enabling recording restarts a running clock, and starts none")
    func restart() {
        var machine = ScreenMachine()
        machine.restartRunningClock(at: at(0))
        #expect(machine.leave(at: at(5_000)) == nil)
        machine.startClock(at: at(5_000))
        machine.restartRunningClock(at: at(9_000))
        #expect(machine.leave(at: at(9_999)) == nil)
    }

    @Test("a derived unique id depends only on the name, and has ten digits")
    func derived() {
        #expect(Screen.derivedUniqueID(of: "Home") == Screen.derivedUniqueID(of: "Home"))
        #expect(Screen.derivedUniqueID(of: "Home") != Screen.derivedUniqueID(of: "Cart"))
        for name in ["", "Home", "Produktübersicht"] {
            let id = Screen.derivedUniqueID(of: name)
            #expect(id.utf8.count == 10 && id.utf8.allSatisfy { (48...57).contains($0) })
        }
    }

    // MARK: Every input in every state

    /// Observable state of a machine at 10 s: a stay of two seconds or more is long enough to show the clock.
    private struct State: Hashable, CustomStringConvertible {
        var screen: String?
        /// Time at which the engagement clock was started; `nil` while it is stopped.
        var clock: Int64?
        /// When the session's latest view was.
        var view: Int64?

        var description: String { "\(screen ?? "-") \(clock ?? -1) \(view ?? -1)" }
    }

    private func state(of machine: ScreenMachine) -> State {
        var left = machine
        let clock = left.leave(at: at(100_000)).map { 100_000 - $0 }
        return State(
            screen: machine.current?.name,
            clock: clock,
            view: machine.lastView.map { $0.milliseconds - 1_000_000 }
        )
    }

    /// A machine in each state that there is, made at 0 to 3 s.
    private var states: [(state: State, machine: ScreenMachine)] {
        var all: [ScreenMachine] = [ScreenMachine(), ScreenMachine(lastView: at(-5_000).wall)]
        all += all.map { machine in
            var running = machine
            running.startClock(at: at(1_000))
            return running
        }
        var shown = ScreenMachine()
        shown.show(home, visible: true, at: at(2_000))
        all.append(shown)
        shown.show(home, visible: false, at: at(2_000))
        all.append(shown)
        _ = shown.startSession()
        all.append(shown)
        shown.startClock(at: at(3_000))
        all.append(shown)
        return all.map { (state(of: $0), $0) }
    }

    @Test("every input in every state has the documented effect")
    func exhaustive() {
        #expect(
            states.map(\.state) == [
                State(), State(view: -5_000), State(clock: 1_000), State(clock: 1_000, view: -5_000),
                State(screen: "Home", clock: 2_000, view: 2_000), State(screen: "Home", view: 2_000),
                State(screen: "Home"),
                State(screen: "Home", clock: 3_000),
            ]
        )
        for (before, machine) in states {
            func after(_ input: (inout ScreenMachine) -> Void) -> State {
                var machine = machine
                input(&machine)
                return state(of: machine)
            }
            var expected = State(screen: "Cart", clock: 10_000, view: 10_000)
            #expect(after { $0.show(cart, visible: true, at: at(10_000)) } == expected, "show from \(before)")
            expected.clock = nil
            #expect(after { $0.show(cart, visible: false, at: at(10_000)) } == expected, "show unseen from \(before)")
            expected = before
            expected.clock = 10_000
            #expect(after { $0.startClock(at: at(10_000)) } == expected, "start from \(before)")
            expected.clock = before.clock == nil ? nil : 10_000
            #expect(after { $0.restartRunningClock(at: at(10_000)) } == expected, "restart from \(before)")
            expected.clock = nil
            #expect(after { _ = $0.leave(at: at(10_000)) } == expected, "leave from \(before)")
            expected.view = nil
            #expect(after { _ = $0.startSession() } == expected, "session from \(before)")

            // A query changes nothing, and returns the effect of showing the screen.
            let elapsed: Int64 = before.clock.map { (start: Int64) -> Int64 in 10_000 - start } ?? 0
            let stay: Int64 = before.screen == nil ? 0 : elapsed
            let engagement: Int64? = stay > 0 ? stay : nil
            #expect(
                machine.transition(to: cart, at: at(10_000))
                    == ScreenMachine.Transition(
                        engagement: engagement,
                        view: ScreenMachine.View(
                            screen: cart,
                            isEntrance: before.view == nil,
                            previous: machine.current,
                            previousTimestamp: machine.lastView,
                            engagement: engagement
                        )
                    )
            )
            let again = machine.transition(to: home, at: at(10_000))
            #expect((again == nil) == (before.screen == "Home"))
        }
    }
}
