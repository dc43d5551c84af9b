public import ClickstreamCore

/// A clock that moves only when it is told to: months pass in microseconds, and in the same order every time.
///
/// A class, because every holder must see one clock. All members are callable from any thread; ``advance(milliseconds:)``
/// is meant for one caller at a time.
public final class VirtualTime: TimeSource {
    private struct State: ~Copyable {
        var wall: Timestamp
        var steady: Int64 = 0
        var nextOrder: UInt64 = 0
        /// What is still to happen, by the order of asking. What was taken back is not here any more.
        var timers: [UInt64: Timer] = [:]
        /// The same timers by due time, with some that were taken back among them.
        var queue = DueQueue()
    }

    private enum Timer: Sendable {
        case work(@Sendable () async -> Void)
        case sleeper(CheckedContinuation<Bool, Never>, awake: Milestone)
    }

    private let state: Locked<State>

    /// The milestone of the timer's work that the current task belongs to: reached when that work waits for this clock.
    @TaskLocal private static var turn: Milestone?

    /// Starts with the wall clock at `start` and the steady clock at 0.
    public init(start: Timestamp) {
        state = Locked(State(wall: start))
    }

    public func now() -> Moment {
        state.withLock { Moment(wall: $0.wall, steady: $0.steady) }
    }

    // MARK: - Moving the clocks

    /// Moves both clocks on, and runs what falls due on the way, by due time and then by the order of asking.
    ///
    /// While a timer runs, both clocks show its due time. Its work is awaited until it ends or itself waits for this
    /// clock; a sleeper is woken and given some turns of the executor. What is asked for meanwhile counts too, when it
    /// falls due in time. Costs one lock when nothing is due.
    /// - Parameter milliseconds: less than zero counts as zero; zero runs what is due now.
    public func advance(milliseconds: Int64) async {
        let end = state.withLock { $0.steady.addingWithSaturation(max(0, milliseconds)) }
        while let timer = state.withLock({ Self.takeDue(&$0, by: end) }) {
            switch timer {
            case .work(let work):
                let turn = Milestone()
                Task {
                    await Self.$turn.withValue(turn) { await work() }
                    turn.reach()
                }
                await turn.wait()
            case .sleeper(let continuation, let awake):
                continuation.resume(returning: true)
                await awake.wait()
            }
            await Self.letOthersRun()
        }
        state.withLock { Self.move(&$0, to: end) }
    }

    /// Sets the wall clock, as a person would; the steady clock and the timers do not notice.
    public func setWall(to time: Timestamp) {
        state.withLock { $0.wall = time }
    }

    /// Moves the wall clock alone, either way.
    public func shiftWall(by milliseconds: Int64) {
        state.withLock { $0.wall.milliseconds = $0.wall.milliseconds.addingWithSaturation(milliseconds) }
    }

    /// How long until the next timer or sleeper falls due; `nil` when there is none.
    public var millisecondsToNextTimer: Int64? {
        state.withLock { state in
            Self.dropCancelled(&state)
            return state.queue.first.map { max(0, $0.due - state.steady) }
        }
    }

    /// How many tasks sleep by this clock now.
    package var sleeperCount: Int {
        state.withLock { state in
            state.timers.values.count { timer in
                if case .sleeper = timer { true } else { false }
            }
        }
    }

    // MARK: - Asking for later

    @discardableResult
    public func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        let order = state.withLock { Self.add(.work(work), after: delay, to: &$0) }
        return Scheduled(time: self, order: order)
    }

    public func sleep(milliseconds delay: Int64) async throws {
        try Task.checkCancellation()
        guard delay > 0 else { return await Task.yield() }
        let awake = Milestone()
        let order = state.withLock { state in
            defer { state.nextOrder += 1 }
            return state.nextOrder
        }
        let slept = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let refused = state.withLock { state in
                    if Task.isCancelled { return true }
                    Self.add(.sleeper(continuation, awake: awake), as: order, after: delay, to: &state)
                    return false
                }
                if refused { continuation.resume(returning: false) }
                Self.turn?.reach()
            }
        } onCancel: {
            if case .sleeper(let continuation, _) = state.withLock({ $0.timers.removeValue(forKey: order) }) {
                continuation.resume(returning: false)
            }
        }
        awake.reach()
        if !slept { throw CancellationError() }
    }

    /// Says that the current task is about to wait for something other than this clock, so that ``advance(milliseconds:)``
    /// must not wait for it.
    package static func leaveTurn() {
        turn?.reach()
    }

    // MARK: - Under the lock

    private static func add(_ timer: Timer, after delay: Int64, to state: inout State) -> UInt64 {
        let order = state.nextOrder
        state.nextOrder += 1
        add(timer, as: order, after: delay, to: &state)
        return order
    }

    private static func add(_ timer: Timer, as order: UInt64, after delay: Int64, to state: inout State) {
        if state.queue.count > 2 * state.timers.count + 64 {
            state.queue.keep { state.timers[$0.order] != nil }
        }
        state.timers[order] = timer
        state.queue.insert(DueQueue.Entry(due: state.steady.addingWithSaturation(max(0, delay)), order: order))
    }

    private static func takeDue(_ state: inout State, by end: Int64) -> Timer? {
        dropCancelled(&state)
        guard let first = state.queue.first, first.due <= end else { return nil }
        state.queue.removeFirst()
        move(&state, to: first.due)
        return state.timers.removeValue(forKey: first.order)
    }

    private static func dropCancelled(_ state: inout State) {
        while let first = state.queue.first, state.timers[first.order] == nil { state.queue.removeFirst() }
    }

    private static func move(_ state: inout State, to steady: Int64) {
        guard steady > state.steady else { return }
        state.wall.milliseconds = state.wall.milliseconds.addingWithSaturation(steady - state.steady)
        state.steady = steady
    }

    /// Gives the tasks that are ready now their turns, before the clock moves on.
    private static func letOthersRun() async {
        for _ in 0..<16 { await Task.yield() }
    }

    private struct Scheduled: ScheduledWork {
        let time: VirtualTime
        let order: UInt64

        func cancel() {
            // Only work is cancelled this way: a sleeper's order is known to nobody but its own task.
            _ = time.state.withLock { $0.timers.removeValue(forKey: order) }
        }
    }
}

/// A point that one task reaches and another waits for. Reaching it again does nothing.
private final class Milestone: Sendable {
    private enum Stage {
        /// Left by `wait` or `reach`.
        case ahead
        /// Left by `reach`.
        case awaited(CheckedContinuation<Void, Never>)
        /// Never left.
        case reached
    }

    private let stage = Locked(Stage.ahead)

    func reach() {
        let waiter: CheckedContinuation<Void, Never>? = stage.withLock { stage in
            defer { stage = .reached }
            guard case .awaited(let waiter) = stage else { return nil }
            return waiter
        }
        waiter?.resume()
    }

    /// Waits for the point. For one waiter.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isReached = stage.withLock { stage in
                if case .reached = stage { return true }
                stage = .awaited(continuation)
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}

/// A binary heap of timers: the earliest first, of equals the one asked for first.
private struct DueQueue {
    struct Entry: Comparable {
        var due: Int64
        var order: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.due, left.order) < (right.due, right.order)
        }
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child] < entries[parent] else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child] < entries[least]
            {
                least = child
            }
            if least == parent { return }
            entries.swapAt(least, parent)
            parent = least
        }
    }

    mutating func keep(where isKept: (Entry) -> Bool) {
        // A sorted array is a heap.
        entries = entries.filter(isKept).sorted()
    }
}

extension Int64 {
    fileprivate func addingWithSaturation(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
