import Dispatch

/// Serial executor of an actor on a dispatch queue of its own.
///
/// The work of that actor occupies none of the threads that requests share: there are as many of these as processors, and
/// long work on each would stop the collector.
package final class DispatchExecutor: SerialExecutor {
    let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
