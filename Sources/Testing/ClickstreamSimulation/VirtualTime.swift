public import ClickstreamCore

/// Virtual clock that advances only on request, for fast and deterministic tests.
///
/// ``ClickstreamTestRecorder/advance(by:)`` advances it. A class, because all holders must share one clock. All members are
/// thread-safe; advancing must not be called concurrently.
public final class VirtualTime: TimeSource {
    private struct State: ~Copyable {
        var wall: Timestamp
        var steady: Int64 = 0
        /// The total time of ``suspendMachine(for:)``.
        var asleep: Int64 = 0
        var nextOrder: UInt64 = 0
        /// The pending timers by creation order, without cancelled ones.
        var timers: [UInt64: Timer] = [:]
        /// The same timers ordered by due time, possibly with cancelled ones.
        var queue = DueQueue()
        /// Callers of ``timers(_:after:)`` that are not resumed yet.
        var observers: [UInt64: Observer] = [:]
    }

    private struct Timer: Sendable {
        enum Kind: Sendable {
            case work(@Sendable () async -> Void)
            case sleeper(CheckedContinuation<Bool, Never>, awake: Milestone)
        }

        var kind: Kind
        /// The delay requested when the timer was added, in milliseconds.
        var delay: Int64
    }

    private struct Observer: Sendable {
        var count: Int
        var delay: Int64
        var observed: CheckedContinuation<Void, Never>
    }

    private let state: Locked<State>
    private let tasks = ClockExecutor()

    /// Executor of the timers' work and of the clients' own tasks. ``advance(milliseconds:)`` waits until each of its tasks is
    /// suspended; a test starts a task there that the clock is to wait for.
    package var executor: any TaskExecutor { tasks }

    /// The milestone of the running timer's work in the current task, reached when that work suspends on this clock.
    @TaskLocal private static var turn: Milestone?

    /// Creates a clock with the wall clock at `start` and the monotonic clocks at 0.
    package init(start: Timestamp) {
        state = Locked(State(wall: start))
    }

    package func now() -> Moment {
        state.withLock { Moment(wall: $0.wall, steady: $0.steady, awake: $0.steady &- $0.asleep) }
    }

    // MARK: - Advancing

    /// Advances all clocks and runs the timers due on the way, by due time, then by creation order.
    ///
    /// While a timer runs, the clocks show its due time. Its work is awaited until it ends or itself suspends on this
    /// clock; a sleeper is resumed. The clock moves on, and the call returns, only when the clients' own tasks have ended or are
    /// suspended; the tasks of an app or a test, which run elsewhere, are given some turns. Timers added meanwhile are
    /// included if they are due in time. Costs two locks if no timer is due.
    /// - Parameter milliseconds: a negative value counts as zero; zero runs timers that are due now.
    package func advance(milliseconds: Int64) async {
        let end = state.withLock { $0.steady.addingWithSaturation(max(0, milliseconds)) }
        while let timer = await nextDue(by: end) {
            switch timer.kind {
            case .work(let work):
                let turn = Milestone()
                Task(executorPreference: tasks) {
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

    /// Waits until no task can set a timer, then takes the next one.
    private func nextDue(by end: Int64) async -> Timer? {
        await tasks.idle()
        return state.withLock { Self.takeDue(&$0, by: end) }
    }

    /// Suspends the machine: advances the clocks, `Moment.awake` apart, then runs the timers that are overdue.
    /// - Parameter duration: rounded towards zero to milliseconds; a negative one counts as zero.
    package func suspendMachine(for duration: Duration) async {
        let milliseconds = duration.wholeMilliseconds
        state.withLock { state in
            let end = state.steady.addingWithSaturation(max(0, milliseconds))
            state.asleep = state.asleep.addingWithSaturation(end - state.steady)
            Self.move(&state, to: end)
        }
        await advance(milliseconds: 0)
    }

    /// Sets the wall clock, as a user may; the monotonic clocks and the timers are unaffected.
    public func setWall(to time: Timestamp) {
        state.withLock { $0.wall = time }
    }

    /// Moves only the wall clock: forward, or back by a negative duration.
    /// - Parameter duration: rounded towards zero to milliseconds.
    public func shiftWall(by duration: Duration) {
        let milliseconds = duration.wholeMilliseconds
        state.withLock { $0.wall.milliseconds = $0.wall.milliseconds.addingWithSaturation(milliseconds) }
    }

    /// The time until the next timer or sleeper is due; `nil` if there is none.
    package var millisecondsToNextTimer: Int64? {
        state.withLock { state in
            Self.dropCancelled(&state)
            return state.queue.first.map { max(0, $0.due - state.steady) }
        }
    }

    /// The number of tasks suspended by ``sleep(milliseconds:)``.
    package var sleeperCount: Int {
        state.withLock { state in
            state.timers.values.count { timer in
                if case .sleeper = timer.kind { true } else { false }
            }
        }
    }

    /// Suspends until `count` timers or sleepers with exactly this delay are pending, so that a test advances the clock
    /// only after concurrent code has scheduled them. Returns at once if they are, and when the task is cancelled.
    package func timers(_ count: Int = 1, after delay: Int64) async {
        let order = state.withLock { state in
            defer { state.nextOrder += 1 }
            return state.nextOrder
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { observed in
                let isPending = state.withLock { state in
                    if Task.isCancelled { return true }
                    if Self.pendingCount(state, delay: delay) >= count { return true }
                    state.observers[order] = Observer(count: count, delay: delay, observed: observed)
                    return false
                }
                if isPending { observed.resume() }
            }
        } onCancel: {
            state.withLock { $0.observers.removeValue(forKey: order) }?.observed.resume()
        }
    }

    // MARK: - Scheduling

    @discardableResult
    package func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        let order = state.withLock { Self.add(.work(work), after: delay, to: &$0) }
        return Scheduled(time: self, order: order)
    }

    package func sleep(milliseconds delay: Int64) async throws {
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
            if case .sleeper(let continuation, _)? = state.withLock({ $0.timers.removeValue(forKey: order) })?.kind {
                continuation.resume(returning: false)
            }
        }
        awake.reach()
        if !slept { throw CancellationError() }
    }

    /// Declares that the current task is about to suspend on something other than this clock, so that
    /// ``advance(milliseconds:)`` does not wait for it.
    package static func leaveTurn() {
        turn?.reach()
    }

    // MARK: - State changes under the lock

    private static func add(_ kind: Timer.Kind, after delay: Int64, to state: inout State) -> UInt64 {
        let order = state.nextOrder
        state.nextOrder += 1
        add(kind, as: order, after: delay, to: &state)
        return order
    }

    private static func add(_ kind: Timer.Kind, as order: UInt64, after delay: Int64, to state: inout State) {
        if state.queue.count > 2 * state.timers.count + 64 {
            state.queue.keep { state.timers[$0.order] != nil }
        }
        state.timers[order] = Timer(kind: kind, delay: delay)
        state.queue.insert(DueQueue.Entry(due: state.steady.addingWithSaturation(max(0, delay)), order: order))
        if !state.observers.isEmpty { resumeObservers(&state) }
    }

    private static func resumeObservers(_ state: inout State) {
        for (order, observer) in state.observers where pendingCount(state, delay: observer.delay) >= observer.count {
            state.observers[order] = nil
            // Only enqueues the task: safe under the lock.
            observer.observed.resume()
        }
    }

    private static func pendingCount(_ state: borrowing State, delay: Int64) -> Int {
        state.timers.values.count { $0.delay == delay }
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

    /// Yields to tasks of other executors that are ready, before the clock advances.
    private static func letOthersRun() async {
        for _ in 0..<16 { await Task.yield() }
    }

    private struct Scheduled: ScheduledWork {
        let time: VirtualTime
        let order: UInt64

        func cancel() {
            // Only work is cancelled this way; a sleeper is cancelled by its own task.
            _ = time.state.withLock { $0.timers.removeValue(forKey: order) }
        }
    }
}

extension VirtualTime: ExecutingTimeSource {}

/// One-shot synchronization point between two tasks. Reaching it again has no effect.
private final class Milestone: Sendable {
    private enum Stage {
        /// Changed by `wait` or `reach`.
        case ahead
        /// Changed by `reach`.
        case awaited(CheckedContinuation<Void, Never>)
        /// Final.
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

    /// Suspends until the point is reached. Supports one waiting task.
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

/// Binary heap of timers, ordered by due time, then by creation order.
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
