/// The door to the disk: the few file operations that the store is built from.
///
/// Paths are absolute or relative to the working directory, in the system's own spelling. All members are callable from
/// any thread; none of them caches. The real side is ``LocalFileSystem``, the simulated one `MemoryFileSystem` in
/// `ClickstreamSimulation`, which can also fail, tear a write or flip a byte on demand. Both pass one contract suite.
public protocol FileSystem: Sendable {
    /// Makes the folder and its missing parents, readable by their owner alone (0700). One that exists is left as it is.
    func createFolder(_ path: String) throws(FileError)

    /// The names in a folder, sorted by their bytes, without `.` and `..`.
    func names(in folder: String) throws(FileError) -> [String]

    /// The length of a file in bytes, or `nil` when nothing stands there.
    func size(of path: String) throws(FileError) -> Int?

    /// The bytes `range` of a file; fewer when the file ends before that.
    func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8]

    /// Reads the bytes of a file from `offset` on into memory of the caller's, which they fill unless the file ends before
    /// that.
    /// - Returns: how many bytes were read.
    func read(
        _ path: String,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int

    /// Puts a whole file in the place of another in one step: afterwards the old or the new content stands there,
    /// never a mixture, whatever happens meanwhile.
    ///
    /// Writes beside the file (its name with `.new` appended) and renames.
    /// - Parameters:
    ///   - path: the file; it need not be there.
    ///   - bytes: the whole new content.
    ///   - durably: whether the content must have reached the disk itself before the rename.
    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError)

    /// Removes a file. One that does not exist is no error.
    func remove(_ path: String) throws(FileError)

    /// Removes an empty folder. One that does not exist is no error.
    func removeFolder(_ path: String) throws(FileError)

    /// Moves a file within one file system, replacing what stands at the new place.
    func rename(_ path: String, to newPath: String) throws(FileError)

    /// Opens a file for appending; makes it, readable by its owner alone (0600), when it is not there.
    func open(_ path: String) throws(FileError) -> any AppendableFile

    /// Takes the lock that the file at `path` stands for, without waiting.
    ///
    /// The lock ends with ``FileLock/unlock()``, when the value is let go of, or with the process.
    /// - Returns: `nil` when somebody else, in this process or another, holds it.
    func lock(_ path: String) throws(FileError) -> (any FileLock)?
}

extension FileSystem {
    public func read(
        _ path: String,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int {
        let bytes = try read(path, range: offset..<offset + buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    /// The whole content of a file, or `nil` when nothing stands there.
    package func contents(of path: String) throws(FileError) -> [UInt8]? {
        guard let size = try size(of: path) else { return nil }
        return try read(path, range: 0..<size)
    }
}

/// A file that only grows. Not to be used from two threads at once: its owner sees to that.
public protocol AppendableFile: AnyObject, Sendable {
    /// The file's length in bytes.
    var size: Int { get }

    /// Appends all of `bytes`, or throws and leaves the file as it was.
    ///
    /// A write that the system cuts short is continued; when it then fails, what had been written is cut off again.
    /// When this returns the bytes survive the death of the process, not necessarily a loss of power.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError)

    /// Returns when everything appended so far would survive a loss of power (`fdatasync`).
    func synchronize() throws(FileError)

    /// Cuts the file to its first `size` bytes.
    func truncate(to size: Int) throws(FileError)

    /// Closes the file. Further calls throw ``FileError`` with `EBADF`. Letting go of the value closes it too.
    func close()
}

/// A lock that is held. Letting go of the value releases it.
public protocol FileLock: AnyObject, Sendable {
    /// Releases the lock. A second call does nothing.
    func unlock()
}

/// Something that the disk would not do: which operation, on what, and the system's reason.
public struct FileError: Error, Sendable, Hashable {
    /// What was asked for.
    public enum Operation: String, Sendable, Hashable {
        case createFolder = "create folder"
        case list = "list"
        case measure = "look up"
        case read = "read"
        case write = "write"
        case append = "append to"
        case synchronize = "synchronize"
        case truncate = "truncate"
        case remove = "remove"
        case rename = "rename"
        case open = "open"
        case lock = "lock"
    }

    public var operation: Operation
    public var path: String
    /// The system's error number, as in `errno.h`.
    public var errno: Int32

    public init(_ operation: Operation, _ path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }
}
