import Testing

@testable import ClickstreamCore

@Suite("The flush machine")
struct FlushMachineTests {
    private typealias Conditions = FlushMachine.Conditions

    private static let now: Int64 = 1_000_000
    private static let here = conditions(endpoint: "http://a.test/collect")
    private static let elsewhere = conditions(endpoint: "http://b.test/collect")

    private static func conditions(endpoint: String) -> Conditions {
        Conditions(destination: Destination(ClickstreamClient.Configuration(appID: "shop", endpoint: endpoint)))
    }

    /// States that differ in the answer to at least one input.
    enum State: CaseIterable {
        case new
        case offline
        case stopped
        /// 700 ms into the first pause of 1 000 ms.
        case pausing
        /// 700 ms into a pause of 5 000 ms that the server asked for.
        case asked
        /// As `pausing`; the pause is over.
        case pauseEnded
        /// As `pausing`; the network came back.
        case backOnline
        /// As `pausing`; a batch was delivered.
        case recovered
        /// 400 ms into a pause of 999 ms after a failure to read.
        case unreadable
        /// As `pausing`; then stopped.
        case stoppedInPause

        var machine: FlushMachine {
            var machine = FlushMachine()
            let now = FlushMachineTests.now
            // Full jitter takes the remainder: 999 ms of at most 1 000.
            let failure = DeliveryFailure(.status(503))
            switch self {
            case .new: break
            case .offline: machine.setOnline(false)
            case .stopped: _ = machine.stop()
            case .pausing, .backOnline, .recovered, .stoppedInPause:
                _ = machine.next(FlushMachineTests.here, end: nil, at: now - 700)
                _ = machine.failed(failure, random: 999, at: now - 700)
                if self == .backOnline { machine.setOnline(true) }
                if self == .recovered { machine.succeeded(at: now) }
                if self == .stoppedInPause { _ = machine.stop() }
            case .asked:
                _ = machine.next(FlushMachineTests.here, end: nil, at: now - 700)
                _ = machine.failed(DeliveryFailure(.status(503), atLeast: 5_000), random: 0, at: now - 700)
            case .pauseEnded:
                _ = machine.next(FlushMachineTests.here, end: nil, at: now - 999)
                _ = machine.failed(failure, random: 999, at: now - 999)
            case .unreadable:
                _ = machine.readingFailed(random: 999, at: now - 400)
            }
            return machine
        }
    }

    // MARK: Next

    @Test(
        "sends, or stops with a reason",
        arguments: [
            (.new, .send), (.offline, .stop(.offline)), (.stopped, .stop(.clientEnded)),
            (.pausing, .stop(.pausing(for: .milliseconds(299), after: .status(503)))),
            (.asked, .stop(.pausing(for: .milliseconds(4_300), after: .status(503)))),
            (.pauseEnded, .send), (.backOnline, .send), (.recovered, .send), (.unreadable, .send),
            (.stoppedInPause, .stop(.clientEnded)),
        ] as [(State, FlushMachine.Step)]
    )
    func next(state: State, step: FlushMachine.Step) {
        var machine = state.machine
        let first = machine.next(Self.here, end: nil, at: Self.now)
        #expect(first == step)
        // The same input again gives the same answer.
        let again = machine.next(Self.here, end: nil, at: Self.now)
        #expect(again == step)
    }

    @Test(
        "stops where the client cannot send, in any state",
        arguments: [
            (Conditions(hasTransport: false), .stop(.noTransport)),
            (Conditions(isEnabled: false), .stop(.disabled)),
            (Conditions(hasTransport: false, isEnabled: false), .stop(.noTransport)),
            (conditions(endpoint: ""), .stop(.noEndpoint)),
            (Conditions(destination: nil), .send),
        ] as [(Conditions, FlushMachine.Step)]
    )
    private func cannotSend(conditions: Conditions, step: FlushMachine.Step) {
        for state in State.allCases {
            var machine = state.machine
            let before = machine
            let answer = machine.next(conditions, end: Self.now, at: Self.now)
            #expect(answer == step, "\(state)")
            #expect(machine == before, "\(state)")
        }
    }

    @Test("stops at an invalid endpoint")
    func invalidEndpoint() throws {
        var machine = FlushMachine()
        let step = machine.next(Self.conditions(endpoint: "gopher://a.test"), end: nil, at: Self.now)
        guard case .stop(.invalidEndpoint) = step else {
            Issue.record("\(step)")
            return
        }
    }

    @Test("stops at the deadline, and not before, with the last failure", arguments: State.allCases)
    func deadline(state: State) {
        var machine = state.machine
        let failure: FlushError? =
            switch state {
            case .pausing, .asked, .pauseEnded, .backOnline, .stoppedInPause: .status(503)
            case .new, .offline, .stopped, .recovered, .unreadable: nil
            }
        let expected = FlushMachine.Step.stop(.deadlinePassed(after: failure))
        let atEnd = machine.next(Self.here, end: Self.now, at: Self.now)
        #expect(atEnd == expected)
        let before = machine.next(Self.here, end: Self.now + 1, at: Self.now)
        #expect(before != expected)
    }

    @Test("ends the pause with a change of the destination")
    func changedDestination() {
        var machine = State.asked.machine
        let there = machine.next(Self.elsewhere, end: nil, at: Self.now)
        #expect(there == .send)
        let back = machine.next(Self.here, end: nil, at: Self.now)
        #expect(back == .send)
    }

    // MARK: Waiting

    @Test(
        "waits for the next attempt, and never past the deadline",
        arguments: [
            // A pause of its own is cut to half of the time that is left, but not below 250 ms.
            (.new, 10_000, .sleep(milliseconds: 1, .cancel)), (.pausing, 10_000, .sleep(milliseconds: 299, .cancel)),
            (.pausing, 560, .sleep(milliseconds: 280, .cancel)), (.pausing, 300, .sleep(milliseconds: 250, .cancel)),
            (.pausing, 251, .sleep(milliseconds: 250, .cancel)), (.pausing, 250, .stop), (.pausing, 0, .stop),
            // What the server asked for is not.
            (.asked, 10_000, .sleep(milliseconds: 4_300, .cancel)),
            (.asked, 4_301, .sleep(milliseconds: 4_300, .cancel)),
            (.asked, 4_300, .stop),
            (.pauseEnded, 10_000, .sleep(milliseconds: 1, .cancel)), (.backOnline, 2, .sleep(milliseconds: 1, .cancel)),
            (.recovered, 2, .sleep(milliseconds: 1, .cancel)), (.recovered, 0, .stop),
            (.unreadable, 10_000, .sleep(milliseconds: 599, .cancel)),
            (.offline, 10_000, .stop), (.stopped, 10_000, .stop), (.stoppedInPause, 10_000, .stop),
        ] as [(State, Int64, FlushMachine.Wait)]
    )
    func wait(state: State, left: Int64, wait: FlushMachine.Wait) {
        var machine = state.machine
        let answer = machine.wait(until: Self.now + left, Self.here, at: Self.now)
        #expect(answer == wait)
    }

    @Test(
        "does not wait where nothing can be sent afterwards, and changes nothing",
        arguments: [
            Conditions(hasTransport: false, destination: here.destination),
            Conditions(isEnabled: false, destination: here.destination), Conditions(destination: nil),
            conditions(endpoint: ""),
        ]
    )
    private func noWait(conditions: Conditions) {
        for state in State.allCases {
            var machine = state.machine
            let answer = machine.wait(until: Self.now + 10_000, conditions, at: Self.now)
            #expect(answer == .stop, "\(state)")
            #expect(machine == state.machine, "\(state)")
        }
    }

    @Test("tries when the shortened wait is over")
    func shortened() {
        var machine = State.pausing.machine
        let answer = machine.wait(until: Self.now + 400, Self.here, at: Self.now)
        #expect(answer == .sleep(milliseconds: 250, .cancel))
        let early = machine.next(Self.here, end: Self.now + 400, at: Self.now + 249)
        #expect(early != .send)
        let inTime = machine.next(Self.here, end: Self.now + 400, at: Self.now + 250)
        #expect(inTime == .send)
    }

    @Test(
        "leaves the next attempt to the timer if the caller that waits is cancelled",
        arguments: [
            (.new, .keep), (.offline, .keep), (.stopped, .keep), (.pausing, .schedule(milliseconds: 299)),
            (.asked, .schedule(milliseconds: 4_300)), (.pauseEnded, .schedule(milliseconds: 0)), (.backOnline, .keep),
            (.recovered, .keep), (.unreadable, .keep), (.stoppedInPause, .keep),
        ] as [(State, FlushMachine.Retry)]
    )
    func waitCancelled(state: State, retry: FlushMachine.Retry) {
        var machine = state.machine
        _ = machine.wait(until: Self.now + 100_000, Self.here, at: Self.now)
        let first = machine.waitCancelled(at: Self.now)
        #expect(first == retry)
        // The timer is set once.
        let second = machine.waitCancelled(at: Self.now)
        #expect(second == .keep)
    }

    @Test("leaves a timer that is set as it is when a caller is cancelled", arguments: [State.pausing, .asked])
    func timerIsSet(state: State) {
        var machine = state.machine
        let answer = machine.waitCancelled(at: Self.now)
        #expect(answer == .keep)
    }

    // MARK: After an attempt

    @Test("schedules the next attempt after a failure, unless it has ended", arguments: State.allCases)
    func failed(state: State) {
        var machine = state.machine
        let pause = machine.failed(DeliveryFailure(.transport(.timedOut)), random: 600, at: Self.now)
        let isStopped = state == .stopped || state == .stoppedInPause
        #expect(pause == FlushMachine.Pause(retry: isStopped ? .keep : .schedule(milliseconds: 600), isReported: false))
        #expect(machine.lastError == .transport(.timedOut))
        guard !isStopped, state != .offline else { return }
        let next = machine.next(Self.here, end: nil, at: Self.now)
        // A destination that was never tried has no pause.
        let isUntried = state == .new || state == .unreadable
        #expect(next == (isUntried ? .send : .stop(.pausing(for: .milliseconds(600), after: .transport(.timedOut)))))
    }

    @Test("forgets all failures after a success", arguments: State.allCases)
    func succeeded(state: State) {
        var machine = state.machine
        machine.succeeded(at: Self.now)
        #expect(machine.lastError == nil)
        #expect(machine.isServerAvailable(at: Self.now + 60_000))
        #expect(!machine.isServerAvailable(at: Self.now + 60_001))
        let pause = machine.failed(DeliveryFailure(.status(500)), random: 1_999, at: Self.now)
        #expect(pause.retry == (machine.isStopped ? .keep : .schedule(milliseconds: 999)))
        #expect(machine.isServerAvailable(at: Self.now) == machine.isStopped)
    }

    @Test("pauses longer from failure to failure")
    func backoff() {
        var machine = FlushMachine()
        let pauses = (0..<4).map { _ in
            machine.failed(DeliveryFailure(.status(503)), random: 7_999, at: Self.now).retry
        }
        #expect(pauses == [999, 1_999, 3_999, 7_999].map { FlushMachine.Retry.schedule(milliseconds: $0) })
    }

    @Test(
        "leaves a server that refuses the client alone for longer each time, and reports the first time",
        arguments: [FlushError.unauthorized(status: 401), .redirected(status: 302, location: nil)]
    )
    func refused(reason: FlushError) {
        var machine = FlushMachine()
        let failure = DeliveryFailure(reason, atLeast: 60_000)
        let pauses = (0..<9).map { _ in machine.failed(failure, random: 0, at: Self.now) }
        let minutes: [Int64] = [1, 2, 4, 8, 16, 32, 60, 60, 60]
        #expect(pauses.map(\.retry) == minutes.map { FlushMachine.Retry.schedule(milliseconds: $0 * 60_000) })
        #expect(pauses.map(\.isReported) == [true] + Array(repeating: false, count: 8))
        machine.succeeded(at: Self.now)
        let refusal = machine.failed(failure, random: 0, at: Self.now)
        #expect(refusal.isReported)
    }

    @Test("reports a refusal of the client again after a change of the destination, without the longer pause")
    func refusedElsewhere() {
        var machine = FlushMachine()
        let failure = DeliveryFailure(.unauthorized(status: 403), atLeast: 60_000)
        _ = machine.next(Self.here, end: nil, at: Self.now)
        for _ in 0..<3 { _ = machine.failed(failure, random: 0, at: Self.now) }
        _ = machine.next(Self.elsewhere, end: nil, at: Self.now)
        let pause = machine.failed(failure, random: 0, at: Self.now)
        #expect(pause == FlushMachine.Pause(retry: .schedule(milliseconds: 60_000), isReported: true))
    }

    @Test("pauses after a web page as after a missing reply, and reports the first one")
    func webPage() {
        var machine = FlushMachine()
        let page = DeliveryFailure(.webPage(status: 200))
        _ = machine.next(Self.here, end: nil, at: Self.now)
        let pauses = [page, page, DeliveryFailure(.transport(.timedOut)), page].map {
            machine.failed($0, random: 7_999, at: Self.now)
        }
        #expect(
            pauses.map(\.retry) == [999, 1_999, 3_999, 7_999].map { FlushMachine.Retry.schedule(milliseconds: $0) }
        )
        #expect(pauses.map(\.isReported) == [true, false, false, false])
        // A refusal by the server is another matter, and is not made longer by the pages before it.
        let refusal = DeliveryFailure(.unauthorized(status: 401), atLeast: 60_000)
        let refused = machine.failed(refusal, random: 0, at: Self.now)
        #expect(refused == FlushMachine.Pause(retry: .schedule(milliseconds: 60_000), isReported: true))
        let again = machine.failed(page, random: 0, at: Self.now)
        #expect(!again.isReported)
        machine.succeeded(at: Self.now)
        let afterSuccess = machine.failed(page, random: 0, at: Self.now)
        #expect(afterSuccess.isReported)
        _ = machine.next(Self.elsewhere, end: nil, at: Self.now)
        let elsewhere = machine.failed(page, random: 0, at: Self.now)
        #expect(elsewhere.isReported)
    }

    @Test("reports the first failure to read in a row, and tries again after a pause", arguments: State.allCases)
    func readingFailed(state: State) {
        var machine = state.machine
        machine.readingSucceeded()
        let isStopped = machine.isStopped
        let first = machine.readingFailed(random: 500, at: Self.now)
        #expect(first == FlushMachine.Pause(retry: isStopped ? .keep : .schedule(milliseconds: 500), isReported: true))
        let second = machine.readingFailed(random: 1_500, at: Self.now)
        // Nothing counts after the end.
        #expect(
            second
                == FlushMachine.Pause(
                    retry: isStopped ? .keep : .schedule(milliseconds: 1_500),
                    isReported: isStopped
                )
        )
    }

    // MARK: Requests

    @Test("runs one flush at a time, and another if one was requested meanwhile without waiting for it")
    func requests() {
        var machine = FlushMachine()
        let requests = [
            machine.requestUnlessFlushing(), machine.request(), machine.request(), machine.requestUnlessFlushing(),
        ]
        #expect(requests == [.start, .start, .join, .join])
        #expect(machine.isFlushing)
        let ends = [machine.ended(), machine.ended()]
        #expect(ends == [true, false])
        #expect(!machine.isFlushing)
        let later = [machine.request(), machine.request()]
        #expect(later == [.start, .join])
        let isRequestedAgain = machine.ended()
        #expect(!isRequestedAgain)
    }

    @Test("cancels the timer at the end", arguments: State.allCases)
    func stop(state: State) {
        var machine = state.machine
        let answer = machine.stop()
        #expect(answer == .cancel)
        machine.setOnline(true)
        let next = machine.next(Self.here, end: nil, at: Self.now)
        #expect(next == .stop(.clientEnded))
    }
}
