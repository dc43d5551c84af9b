#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Limit of open files and connections of this process.
enum OpenFileLimit {
    /// Descriptors for the maximum number of connections, plus the collector's own files.
    private static let wanted: rlim_t = 32_768

    /// Raises the soft limit to ``wanted`` or the hard limit. Shells start programs with a soft limit of 1 024.
    static func raise() {
        #if canImport(Glibc)
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let kind = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // After a failure, the collector accepts fewer connections.
        _ = setrlimit(kind, &limit)
    }
}
