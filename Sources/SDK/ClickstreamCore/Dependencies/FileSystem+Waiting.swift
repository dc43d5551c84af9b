#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileSystem {
    /// Acquires the lock at `path`, retrying for up to `timeout` of monotonic time while it is held elsewhere,
    /// independently of the actual length of each pause. Blocks the thread.
    /// - Returns: `nil` if the lock is still held then.
    func lock(_ path: String, timeout: Duration) throws(FileError) -> (any FileLock)? {
        if let lock = try lock(path) { return lock }
        let clock = ContinuousClock()
        let start = clock.now
        while start.duration(to: clock.now) < timeout {
            // Short pauses first: most holders need only a few file operations.
            usleep(start.duration(to: clock.now) < .milliseconds(2) ? 50 : 250)
            if let lock = try lock(path) { return lock }
        }
        return nil
    }
}
