import CClickstreamSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Retries a call while it is interrupted by a signal.
func repeatedly<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Opens a file without blocking, even a pipe without a peer, with a descriptor of 3 or higher: a file with the
/// descriptor of a standard stream would receive the output of the app.
func openFile(_ path: String, _ flags: Int32) -> Int32 {
    clickstream_above_standard(repeatedly { open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600) })
}

/// Moves a descriptor to a high number, which a host that closes all descriptors is unlikely to reuse: an append then fails
/// instead of changing a file of the host. Two system calls. Keeps the number if there is no higher one.
func movedUp(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0 else { return descriptor }
    let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 512)
    guard high >= 0 else { return descriptor }
    _ = closeFile(descriptor)
    return high
}

func closeFile(_ descriptor: Int32) -> Int32 {
    // Not retried: on Linux the descriptor is closed even if a signal interrupts the call.
    close(descriptor)
}

func renameFile(_ path: String, _ newPath: String) -> Int32 {
    rename(path, newPath)
}

/// Reads until the buffer is full or the file ends.
func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    from descriptor: Int32,
    at offset: Int
) -> (count: Int, reason: Int32) {
    var count = 0
    while count < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let done = repeatedly { pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count)) }
        if done < 0 { return (count, errno) }
        if done == 0 { break }
        count += done
    }
    return (count, 0)
}

/// Returns the file size limit of the process (`ulimit -f`) in bytes.
package func largestFile() -> Int {
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
}

/// Opens and locks an unused temporary file next to `path`: `.new`, or else `.new2` and so on.
func openTemporary(for path: String) -> (path: String, file: ExclusiveFile)? {
    for number in 1...64 {
        let temporary = path + ".new" + (number > 1 ? String(number) : "")
        if let file = ExclusiveFile.open(temporary) { return (temporary, file) }
        guard errno == EWOULDBLOCK else { return nil }
    }
    return nil
}

/// Writes all bytes, in as many system calls as necessary.
/// - Parameter offset: the offset in the file; `nil` for its end, or the current position.
/// - Returns: the number of bytes written, and the error number, which is 0 if all were written.
func write(
    all bytes: UnsafeRawBufferPointer,
    to descriptor: Int32,
    at offset: Int? = nil
) -> (written: Int, reason: Int32) {
    guard let start = bytes.baseAddress else { return (0, 0) }
    var written = 0
    while written < bytes.count {
        let (next, rest) = (start + written, bytes.count - written)
        let done = repeatedly {
            if let offset { return pwrite(descriptor, next, rest, off_t(offset + written)) }
            return write(descriptor, next, rest)
        }
        guard done > 0 else { return (written, done == 0 ? EIO : errno) }
        written += done
    }
    return (written, 0)
}

func synchronizeData(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
    let result = repeatedly { fcntl(descriptor, F_FULLFSYNC) }
    #else
    let result = repeatedly { fdatasync(descriptor) }
    #endif
    return result == 0 ? 0 : errno
}

/// Flushes the folder that contains `path`, so that its entries survive a loss of power.
func synchronizeFolder(of path: String) -> Int32 {
    let descriptor = openFile(parentFolder(of: path), O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return repeatedly { fsync(descriptor) } == 0 ? 0 : errno
}

/// Returns the path without its last component: `.` for a bare name, `/` for a name in the root.
func parentFolder(of path: String) -> String {
    var rest = path[...]
    while rest.count > 1, rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return "." }
    rest = rest[..<slash]
    while rest.last == "/" { rest.removeLast() }
    return rest.isEmpty ? "/" : String(rest)
}
