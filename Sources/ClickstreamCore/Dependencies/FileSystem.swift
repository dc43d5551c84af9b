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

    /// Opens a file as ``open(_:)`` does, for the only process that writes to it.
    ///
    /// Each append goes to the offset ``AppendableFile/size``. After another program cut the file, the bytes between its new
    /// end and that offset read as zeros, and what is appended keeps its place. The default implementation is ``open(_:)``.
    func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile

    /// Takes the lock that the file at `path` stands for, without waiting.
    ///
    /// The lock ends with ``FileLock/unlock()``, when the value is let go of, or with the process.
    /// - Returns: `nil` when somebody else, in this process or another, holds it.
    func lock(_ path: String) throws(FileError) -> (any FileLock)?
}

/// Bytes of the largest file that is read whole, and that is written to be read so.
package let mostBytesReadWhole = 67_108_864

extension FileSystem {
    public func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try open(path)
    }

    public func read(
        _ path: String,
        from offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileError) -> Int {
        let bytes = try read(path, range: offset..<offset + buffer.count)
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    /// The content of a small file, or `nil` if there is none. Reads that fail are repeated (``FileError/retrying(_:)``).
    /// - Parameter limit: the bytes that are read of a larger file: one more than this, so that it is no whole file of ours.
    package func contents(of path: String, limit: Int = mostBytesReadWhole) throws(FileError) -> [UInt8]? {
        try FileError.retrying { () throws(FileError) in
            guard let size = try size(of: path) else { return nil }
            return try read(path, range: 0..<min(size, limit + 1))
        }
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

    /// Reads the bytes from `offset` on through the open descriptor, also after the file lost its name.
    ///
    /// Callable while another thread appends. The default implementation throws `EBADF`, as a closed file does.
    /// - Returns: the number of bytes read; fewer than the buffer holds only at the end of the file.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int

    /// The file's name and length on the disk now. One system call, two if the name is gone. The default implementation
    /// returns a named file of ``size`` bytes.
    func look() throws(FileError) -> FilePlace

    /// Closes the file. Further calls throw ``FileError`` with `EBADF`. Letting go of the value closes it too.
    func close()
}

extension AppendableFile {
    public func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        throw FileError(.read, "", errno: FileError.closed)
    }

    public func look() throws(FileError) -> FilePlace {
        FilePlace(isNamed: true, size: size)
    }
}

/// Name and length of an open file as the disk has them, which other programs may have changed.
public struct FilePlace: Sendable, Hashable {
    /// True if the path that was opened still names this file.
    public var isNamed: Bool
    /// The file's length in bytes. Less than ``AppendableFile/size`` after another program cut the file.
    public var size: Int

    public init(isNamed: Bool, size: Int) {
        self.isNamed = isNamed
        self.size = size
    }
}

/// A lock that is held. Letting go of the value releases it.
public protocol FileLock: AnyObject, Sendable {
    /// Releases the lock. A second call does nothing.
    func unlock()
}
