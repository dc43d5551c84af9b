import CClickstreamSystem
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Timers of a process, with the thread that sleeps until the next one is due.
///
/// Timers are grouped by the millisecond at which they are due; those of one group run in the order in which they were
/// added. The thread lives as long as the process. If it cannot be created, a timer is rejected at once, and creation
/// is retried after a second at the earliest; no call blocks. Thread-safe.
final class Timers: Sendable {
    /// Work of a timer.
    enum Work: Sendable {
        /// Started as a task.
        case task(@Sendable () async -> Void)
        /// Called on the timer thread; must not block.
        case call(@Sendable () -> Void)
    }

    private struct State {
        var groups: [Int64: [Timer]] = [:]
        var hasThread = false
        /// The time of the last failed thread creation, on the monotonic clock.
        var refusedAt: Int64?
    }

    /// The minimum interval in milliseconds between a failed thread creation and the next attempt.
    private static let retryInterval: Int64 = 1_000

    private let state = Locked(State())
    private let alarm = Alarm()

    private static let process = ProcessLocal(since: .fork) { Timers() }

    /// The timers of this process.
    static var current: Timers { process.current }

    private init() {}

    func add(_ work: Work, due: Int64) -> Timer {
        let timer = Timer(work, due: due, of: self)
        let isFirst = state.withLock { state -> Bool in
            guard hasThread(&state) else {
                timer.refuse()
                return false
            }
            let isFirst = state.groups.keys.allSatisfy { due < $0 }
            state.groups[due, default: []].append(timer)
            return isFirst
        }
        if isFirst { alarm.ring() }
        return timer
    }

    /// Removes a timer.
    func remove(_ timer: Timer) {
        state.withLock { state in
            state.groups[timer.due]?.removeAll { $0 === timer }
            if state.groups[timer.due]?.isEmpty == true { state.groups[timer.due] = nil }
        }
    }

    // MARK: Thread

    /// Starts the thread if it is not running. Returns false if it cannot be created.
    private func hasThread(_ state: inout State) -> Bool {
        if state.hasThread { return true }
        let now = SystemTime.steady
        if let refusedAt = state.refusedAt, now - refusedAt < Self.retryInterval { return false }
        state.hasThread = DetachedThread.start { self.run() } == 0
        state.refusedAt = state.hasThread ? nil : now
        return state.hasThread
    }

    private func run() {
        clickstream_block_signals()
        while true {
            let now = SystemTime.steady
            let due = state.withLock { state -> [Timer] in
                let past = state.groups.keys.filter { $0 <= now }.orderedByNumber { $0 }
                return past.flatMap { state.groups.removeValue(forKey: $0) ?? [] }
            }
            begin(due)
            let next = state.withLock { $0.groups.keys.min() }
            alarm.wait(milliseconds: next.map { max(0, $0 - SystemTime.steady) })
        }
    }

    /// Starts timers that are due. Task work is postponed until the process can start a task.
    private func begin(_ due: [Timer]) {
        let tasks = due.filter { !$0.call() }
        guard !tasks.isEmpty else { return }
        guard BackgroundTask.isPossible else {
            let later = SystemTime.steady + Self.retryInterval
            state.withLock { state in
                for timer in tasks where timer.postpone(to: later) { state.groups[later, default: []].append(timer) }
            }
            return
        }
        BackgroundTask.start {
            for timer in tasks { await timer.run() }
        }
    }
}

/// Scheduled work of ``Timers``.
final class Timer: ScheduledWork {
    private let timers: Timers
    private struct State: Sendable {
        /// `nil` once the work has begun or was cancelled.
        var work: Timers.Work?
        var due: Int64
        var isAccepted = true
    }
    private let state: Locked<State>

    fileprivate init(_ work: Timers.Work, due: Int64, of timers: Timers) {
        self.timers = timers
        state = Locked(State(work: work, due: due))
    }

    var due: Int64 { state.withLock { $0.due } }
    var isAccepted: Bool { state.withLock { $0.isAccepted } }

    func cancel() {
        guard state.withLock({ $0.work.take() }) != nil else { return }
        timers.remove(self)
    }

    fileprivate func refuse() {
        state.withLock { state in
            state.work = nil
            state.isAccepted = false
        }
    }

    /// - Returns: false if the timer was cancelled.
    fileprivate func postpone(to due: Int64) -> Bool {
        state.withLock { state in
            state.due = due
            return state.work != nil
        }
    }

    /// Runs work that is a plain call.
    /// - Returns: false if the work is a task.
    fileprivate func call() -> Bool {
        let work: (@Sendable () -> Void)? = state.withLock { state in
            guard case .call(let body) = state.work else { return nil }
            state.work = nil
            return body
        }
        work?()
        return work != nil
    }

    fileprivate func run() async {
        let work: (@Sendable () async -> Void)? = state.withLock { state in
            guard case .task(let body) = state.work.take() else { return nil }
            return body
        }
        await work?()
    }
}

/// Interruptible sleep of a thread. Needs no descriptor.
private final class Alarm: @unchecked Sendable {
    // Allocated once and never moved or freed; accessed only by pthread functions. `isRung` is accessed under the
    // mutex.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isRung = false

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    /// Ends the current sleep, or the next one if there is none.
    func ring() {
        pthread_mutex_lock(mutex)
        isRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Sleeps until ``ring()`` is called.
    /// - Parameter milliseconds: the maximum duration; `nil` for no limit.
    func wait(milliseconds: Int64?) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if let milliseconds {
            var end = Self.time(after: milliseconds)
            while !isRung, Self.wait(condition, mutex, &end) == 0 {}
        } else {
            while !isRung { pthread_cond_wait(condition, mutex) }
        }
        isRung = false
    }

    private static func wait(
        _ condition: UnsafeMutablePointer<pthread_cond_t>,
        _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
        _ end: inout timespec
    ) -> Int32 {
        pthread_cond_timedwait(condition, mutex, &end)
    }

    private static func time(after milliseconds: Int64) -> timespec {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_REALTIME, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        time.tv_sec += Int(milliseconds / 1_000)
        time.tv_nsec += Int(milliseconds % 1_000) * 1_000_000
        if time.tv_nsec >= 1_000_000_000 {
            time.tv_sec += 1
            time.tv_nsec -= 1_000_000_000
        }
        return time
    }
}
