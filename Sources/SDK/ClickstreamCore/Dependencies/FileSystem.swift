/// File system dependency: the file operations that the store is built on.
///
/// Paths are absolute or relative to the working directory, in the system's notation. All members are thread-safe and
/// uncached. Production uses ``LocalFileSystem``; tests use `MemoryFileSystem` of `ClickstreamSimulation`, which can
/// inject errors, torn writes and bit flips. Both pass one contract suite.
package protocol FileSystem: Sendable {
    /// Creates the folder and its missing parents, readable by the owner only (0700). An existing folder is unchanged.
    func createFolder(_ path: String) throws(FileError)

    /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
    func names(in folder: String) throws(FileError) -> [String]

    /// Returns the length of a file in bytes, or `nil` if it does not exist.
    func size(of path: String) throws(FileError) -> Int?

    /// Reads the bytes `range` of a file; fewer if the file ends before that.
    func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8]

    /// Reads bytes of a file from `offset` on into a buffer of the caller; fills the buffer unless the file ends before
    /// that.
    /// - Returns: the number of bytes read.
    func read(
        _ path: String,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int

    /// Replaces a file atomically: a reader, or a restart after a crash, finds either the old or the new content, never
    /// a mixture.
    ///
    /// Writes to a temporary file (the name with `.new` appended) and renames it.
    /// - Parameters:
    ///   - path: the file; it need not exist.
    ///   - bytes: the complete new content.
    ///   - durably: true if the content must have reached the physical disk before the rename.
    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError)

    /// Removes a file. A missing file is no error.
    func remove(_ path: String) throws(FileError)

    /// Removes an empty folder. A missing folder is no error.
    func removeFolder(_ path: String) throws(FileError)

    /// Moves a file within one file system, replacing any file at the new path.
    func rename(_ path: String, to newPath: String) throws(FileError)

    /// Opens a file for appending; creates it, readable by the owner only (0600), if it does not exist.
    func open(_ path: String) throws(FileError) -> any AppendableFile

    /// Opens a file as ``open(_:)`` does, for the only process that writes to it.
    ///
    /// Each append goes to the offset ``AppendableFile/size``. If another program truncated the file, the bytes between
    /// its new end and that offset are zeros, and appended bytes keep their offsets. The default implementation is
    /// ``open(_:)``.
    func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile

    /// Acquires the lock represented by the file at `path`, without blocking.
    ///
    /// The lock is released by ``FileLock/unlock()``, with the last reference to the value, or at the end of the
    /// process.
    /// - Returns: `nil` if it is held elsewhere, in this process or another.
    func lock(_ path: String) throws(FileError) -> (any FileLock)?
}

/// The maximum size in bytes of a file that is read as a whole, or written to be read as a whole.
package let maxBytesReadWhole = 67_108_864

extension FileSystem {
    package func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path)
    }

    package func read(
        _ path: String,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int {
        let bytes = try read(path, range: offset..<offset + buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    /// Reads a small file completely, or returns `nil` if it does not exist. Failed reads are retried
    /// (``FileError/retrying(_:)``).
    /// - Parameter limit: the maximum size. Of a larger file, one byte more is read, so that the caller detects it.
    package func contents(of path: String, limit: Int = maxBytesReadWhole) throws(FileError) -> [UInt8]? {
        try FileError.retrying { () throws(FileError) in
            guard let size = try size(of: path) else { return nil }
            return try read(path, range: 0..<min(size, limit + 1))
        }
    }
}

/// Append-only file. Not thread-safe: the owner serializes access.
package protocol AppendableFile: AnyObject, Sendable {
    /// The file's length in bytes.
    var size: Int { get }

    /// Appends all of `bytes`, or throws and leaves the file unchanged.
    ///
    /// A partial write is continued; if that fails, the bytes already written are truncated. On return the bytes
    /// survive the death of the process, but not necessarily a loss of power.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError)

    /// Flushes all appended bytes to the physical disk (`fdatasync`). On return they survive a loss of power.
    func synchronize() throws(FileError)

    /// Truncates the file to its first `size` bytes.
    func truncate(to size: Int) throws(FileError)

    /// Reads bytes from `offset` on through the open descriptor, even if the file no longer has a name.
    ///
    /// May be called while another thread appends. The default implementation throws `EBADF`, as a closed file does.
    /// - Returns: the number of bytes read; fewer than the buffer holds only at the end of the file.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

    /// Returns the file's current name status and length on disk. One system call, two if the file has no name. The
    /// default implementation returns a named file of ``size`` bytes.
    func status() throws(FileError) -> FileStatus

    /// Closes the file. Further calls throw ``FileError`` with `EBADF`. Releasing the value closes the file too.
    func close()
}

extension AppendableFile {
    package func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        throw FileError(.read, "", errno: FileError.closed)
    }

    package func status() throws(FileError) -> FileStatus {
        FileStatus(isNamed: true, size: size)
    }
}

/// Current name status and length of an open file, which other programs may have changed.
package struct FileStatus: Sendable, Hashable {
    /// True if the path that was opened still refers to this file.
    package var isNamed: Bool
    /// The file's length in bytes. Less than ``AppendableFile/size`` after another program truncated the file.
    package var size: Int

    /// Creates a status; `size` in bytes.
    package init(isNamed: Bool, size: Int) {
        self.isNamed = isNamed
        self.size = size
    }
}

/// Held lock. Releasing the value releases the lock.
package protocol FileLock: AnyObject, Sendable {
    /// True until the lock is released, also by a host that closes the lock's descriptor. At most one system call. The default
    /// implementation returns true.
    var isHeld: Bool { get }

    /// Releases the lock. Idempotent.
    func unlock()
}

extension FileLock {
    package var isHeld: Bool { true }
}

extension [any AppendableFile] {
    /// Flushes the files of open segments to the physical disk.
    /// - Returns: the errors. A closed file is none: its segment was sealed in the meantime, which synchronizes it.
    package func synchronizeAll() -> [FileError] {
        compactMap { file in
            do throws(FileError) {
                try file.synchronize()
                return nil
            } catch {
                return error.errno == FileError.closed ? nil : error
            }
        }
    }
}
