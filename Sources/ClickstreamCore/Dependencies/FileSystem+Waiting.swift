#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileSystem {
    /// Takes the lock at `path`; while another holder has it, tries again until `patience` has passed on the machine's
    /// clock, however long each pause really takes. Blocks the thread.
    /// - Returns: `nil` if the lock is still held then.
    func lock(_ path: String, patience: Duration) throws(FileError) -> (any FileLock)? {
        if let lock = try lock(path) { return lock }
        let clock = ContinuousClock()
        let start = clock.now
        while start.duration(to: clock.now) < patience {
            // Short at first: most holders need a few file operations.
            usleep(start.duration(to: clock.now) < .milliseconds(2) ? 50 : 250)
            if let lock = try lock(path) { return lock }
        }
        return nil
    }
}
