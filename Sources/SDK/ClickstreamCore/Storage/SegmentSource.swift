/// Source of a segment's bytes: its open descriptor while it is appended to, otherwise its path.
///
/// The descriptor remains readable even if another program removed, renamed or replaced the file. Failed reads are
/// retried (``FileError/retrying(_:)``). Thread-safe; it may outlive the segment.
package struct SegmentSource: Sendable {
    private let files: any FileSystem
    private let open: (any AppendableFile)?

    package init(_ files: any FileSystem, open: (any AppendableFile)? = nil) {
        self.files = files
        self.open = open
    }

    /// Fills `buffer` with the bytes of the file at `path` from `offset` on. Bytes beyond the end of the file are
    /// zeros.
    /// - Returns: the number of bytes that are in the file; fewer than the buffer holds after another program truncated
    ///   it.
    /// - Throws: the disk's error; `ENOENT` if the file was removed and is not open.
    func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from offset: Int,
        of path: String
    ) throws(FileError) -> Int {
        let count = try FileError.retrying { () throws(FileError) -> Int in
            let count = try whileOpen { file throws(FileError) in
                try file.read(from: offset, into: buffer)
            } otherwise: { () throws(FileError) in
                try files.read(path, from: offset, into: buffer)
            }
            // A short read within the file is a failure, not the end of the file.
            if count == buffer.count { return count }
            guard try size(of: path) <= offset + count else { throw FileError(.read, path, errno: FileError.broken) }
            return count
        }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
        return count
    }

    private func size(of path: String) throws(FileError) -> Int {
        try whileOpen { file throws(FileError) in
            try file.status().size
        } otherwise: { () throws(FileError) in
            try files.size(of: path) ?? 0
        }
    }

    /// Calls `body` with the open file; without one, or if it was closed in the meantime, calls `otherwise`: a sealed segment
    /// is readable by its path.
    private func whileOpen<Result>(
        _ body: (any AppendableFile) throws(FileError) -> Result,
        otherwise: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        if let open {
            do throws(FileError) {
                return try body(open)
            } catch {
                guard error.errno == FileError.closed else { throw error }
            }
        }
        return try otherwise()
    }
}
