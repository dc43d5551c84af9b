#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Returns the time for which the calling thread had a processor during `body`: unlike elapsed time, other tests and
/// other processes do not add to it.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
}
