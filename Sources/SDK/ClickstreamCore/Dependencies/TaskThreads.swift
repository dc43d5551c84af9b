#if os(Linux)
import CClickstreamSystem
import Dispatch

/// Threads on which the SDK's own tasks run.
///
/// Swift's executor is libdispatch, which ends a process without `/proc` or with no free descriptor while work waits there, cannot
/// be used in a child of `fork`, and queues work without an error if no thread can be created. A thread is created when work
/// waits and no thread is idle, 16 at most, so that a task that waits for a file lock or a slow disk delays no other one. The
/// first lives as long as the process, the others until they were idle for five seconds. Tasks run in the order in which
/// they become ready, whatever their priority. Thread-safe.
final class TaskThreads: TaskExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        /// The index of the first job of `jobs` that no thread has taken.
        var next = 0
        var threads = 0
        /// Threads that wait for a job.
        var idle = 0

        var waiting: Int { jobs.count - next }

        mutating func take() -> UnownedJob? {
            guard next < jobs.count else { return nil }
            defer {
                next += 1
                if next == jobs.count { (jobs, next) = ([], 0) }
            }
            return jobs[next]
        }
    }

    private static let process = ProcessLocal(since: .fork) { TaskThreads() }

    /// The threads of this process.
    static var current: TaskThreads { process.current }

    private static let maxThreads = 16
    private static let idleTimeout = DispatchTimeInterval.seconds(5)

    private let state = Locked(State())
    private let ready = DispatchSemaphore(value: 0)

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { state in
            state.jobs.append(job)
            if state.waiting > state.idle, state.threads < Self.maxThreads { _ = startThread(&state) }
        }
        ready.signal()
    }

    /// Creates the first thread. Returns false if there is none and none can be created; a task would then not run.
    func start() -> Bool {
        state.withLock { $0.threads > 0 || startThread(&$0) }
    }

    private func startThread(_ state: inout State) -> Bool {
        guard DetachedThread.start({ self.run() }) == 0 else { return false }
        state.threads += 1
        state.idle += 1
        return true
    }

    private func run() {
        clickstream_block_signals()
        while true {
            let isOnly = state.withLock { $0.threads == 1 }
            guard ready.wait(timeout: isOnly ? .distantFuture : .now() + Self.idleTimeout) == .success else {
                if leave() { return }
                continue
            }
            let job = state.withLock { state in
                state.idle -= 1
                return state.take()
            }
            job?.runSynchronously(on: asUnownedTaskExecutor())
            state.withLock { $0.idle += 1 }
        }
    }

    /// Removes an idle thread, unless it is the only one, or jobs wait for each idle thread.
    private func leave() -> Bool {
        state.withLock { state in
            guard state.threads > 1, state.idle > state.waiting else { return false }
            state.threads -= 1
            state.idle -= 1
            return true
        }
    }
}
#endif

/// Start of the SDK's own tasks.
package enum BackgroundTask {
    /// False if a task would not run, because no thread can be created. Costs one lock.
    package static var isPossible: Bool {
        #if os(Linux)
        TaskThreads.current.start()
        #else
        true
        #endif
    }

    /// Starts a task on the threads of the SDK, on Apple's systems on Swift's own.
    /// - Parameter time: the clock of the work. With a virtual one, the task runs on the executor of that clock, which waits
    ///   for it.
    @discardableResult
    package static func start<Result: Sendable>(
        at time: any TimeSource = SystemTime(),
        _ body: @escaping @Sendable () async -> Result
    ) -> Task<Result, Never> {
        #if os(Linux)
        if time is SystemTime { return Task(executorPreference: TaskThreads.current, operation: body) }
        #endif
        return Task(executorPreference: (time as? any ExecutingTimeSource)?.executor, operation: body)
    }
}
