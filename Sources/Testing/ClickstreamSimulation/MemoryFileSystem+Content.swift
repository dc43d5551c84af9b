import ClickstreamCore

/// Access of tests to the content, apart from operations.
extension MemoryFileSystem {
    /// The maximum total size of all files in bytes; existing content is kept.
    public var capacity: Int? {
        get { state.withLock { $0.disk.capacity } }
        set { state.withLock { $0.disk.capacity = newValue } }
    }

    /// The total size of all files in bytes.
    public var usedBytes: Int { state.withLock { $0.disk.usedBytes } }

    /// Makes creating, removing and renaming files in a folder fail with `EACCES`; existing files remain writable.
    public func setReadOnly(_ isReadOnly: Bool, folder: String) {
        state.withLock { state in
            if isReadOnly {
                state.disk.readOnlyFolders.insert(MemoryPath.normalized(folder))
            } else {
                state.disk.readOnlyFolders.remove(MemoryPath.normalized(folder))
            }
        }
    }

    /// Removes a folder with its content, like `rm -r`. Open files remain usable without a name.
    public func removeTree(_ folder: String) {
        state.withLock { $0.disk.removeTree(MemoryPath.normalized(folder)) }
    }

    /// Direct access to a file's content, which does not count as an operation.
    ///
    /// `nil` means that the file does not exist. Setting content creates missing folders.
    public subscript(path: String) -> [UInt8]? {
        get { state.withLock { $0.disk.content(at: MemoryPath.normalized(path)) } }
        set { state.withLock { $0.disk.setContent(newValue, at: MemoryPath.normalized(path)) } }
    }

    /// The paths of all files, sorted.
    public var paths: [String] { state.withLock { $0.disk.files.keys.sorted() } }

    /// Returns the content that a new process would find if this one were killed.
    /// - Parameter losingUnsynchronized: true for the content after a loss of power: each file ends where it was last
    ///   synchronized. Names are assumed to be durable.
    public func snapshot(losingUnsynchronized: Bool = false) -> Snapshot {
        state.withLock { Snapshot(disk: $0.disk.reopened(losingUnsynchronized: losingUnsynchronized)) }
    }
}
