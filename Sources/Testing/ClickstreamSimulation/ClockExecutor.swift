import Dispatch

/// Executor of the tasks that work by a ``VirtualTime``, on the threads of the system, with the number of their unfinished jobs.
///
/// Without an unfinished job, every task is suspended: until the clock advances, a held request is released, or a task of another
/// executor acts.
final class ClockExecutor: TaskExecutor {
    private let unfinishedJobs = AwaitedState(0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        unfinishedJobs.withLock { $0 += 1 }
        DispatchQueue.global().async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            // A task that the job has resumed on this executor is counted already.
            unfinishedJobs.withLock { $0 -= 1 }
        }
    }

    /// Suspends until there is no unfinished job, or the task is cancelled. Costs one lock if there is none.
    func idle() async {
        if unfinishedJobs.withLock({ $0 == 0 }) { return }
        await unfinishedJobs.until { $0 == 0 }
    }
}
