import CClickstreamSystem

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// Device and inode, which identify a file independently of its name and its descriptors.
package struct FileIdentity: Sendable, Equatable {
    let device: UInt64
    let inode: UInt64

    package init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The identity of an open file. Returns `nil` with the cause in `errno` on failure.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The identity of the file at a path. Returns `nil` with the cause in `errno` on failure.
    package init?(at path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// Returns true if the descriptor is open and refers to this file: a host may close descriptors that it did not open, and
    /// their numbers are reused. One system call.
    package func isFile(of descriptor: Int32) -> Bool { clickstream_is_file(descriptor, device, inode) != 0 }
}
