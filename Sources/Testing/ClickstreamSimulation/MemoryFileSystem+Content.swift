import ClickstreamCore

/// Access of tests to the content, apart from operations.
extension MemoryFileSystem {
    /// The maximum total size of all files in bytes; existing content is kept.
    public var capacity: Int? {
        get { base.withDisk { $0.capacity } }
        set { base.withDisk { $0.capacity = newValue } }
    }

    /// The total size of all files in bytes.
    public var usedBytes: Int { base.withDisk { $0.usedBytes } }

    /// Makes creating, removing and renaming files in a folder fail with `EACCES`; existing files remain writable.
    package func setReadOnly(_ isReadOnly: Bool, folder: String) {
        let folder = MemoryPath.normalized(folder)
        base.withDisk { disk in
            disk.readOnlyFolders.remove(folder)
            if isReadOnly { disk.readOnlyFolders.insert(folder) }
        }
    }

    /// Removes a folder with its content, like `rm -r`. Open files remain usable without a name.
    package func removeTree(_ folder: String) {
        base.withDisk { $0.removeTree(MemoryPath.normalized(folder)) }
    }

    /// Direct access to a file's content, which does not count as an operation.
    ///
    /// `nil` means that the file does not exist. Setting content creates missing folders.
    package subscript(path: String) -> [UInt8]? {
        get { base.withDisk { $0.content(at: MemoryPath.normalized(path)) } }
        set { base.withDisk { $0.setContent(newValue, at: MemoryPath.normalized(path)) } }
    }

    /// The paths of all files, sorted.
    package var paths: [String] { base.withDisk { $0.files.keys.sorted() } }

    /// Returns the content that a new process would find if this one were killed.
    /// - Parameter losingUnsynchronized: true for the content after a loss of power: each file ends where it was last
    ///   synchronized. Names are assumed to be durable.
    package func snapshot(losingUnsynchronized: Bool = false) -> Snapshot {
        base.withDisk { Snapshot(disk: $0.reopened(losingUnsynchronized: losingUnsynchronized)) }
    }
}
