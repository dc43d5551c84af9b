import ClickstreamCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Dependencies of the commands: the system's clocks and identifiers. No other file of the command line creates them.
///
/// `bench` also uses `ContinuousClock`, since it measures nanoseconds.
enum SystemDependencies {
    static let time: any TimeSource = SystemTime()
    static let ids: any IDSource = SystemIDs()

    /// Blocks the thread. For synchronous code that reads a file again which another process is writing.
    static func block(milliseconds: UInt32) {
        usleep(milliseconds * 1_000)
    }
}
