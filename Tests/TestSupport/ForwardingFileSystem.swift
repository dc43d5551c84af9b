package import ClickstreamCore

/// File system that passes each call on to another one, unless a conforming type has a method of its own.
package protocol ForwardingFileSystem: FileSystem {
    associatedtype Base: FileSystem
    /// The file system that receives the calls.
    var base: Base { get }
}

extension ForwardingFileSystem {
    package func createFolder(_ path: String) throws(FileError) { try base.createFolder(path) }
    package func names(in folder: String) throws(FileError) -> [String] { try base.names(in: folder) }
    package func size(of path: String) throws(FileError) -> Int? { try base.size(of: path) }
    package func read(_ path: String, range: Range<Int>) throws(FileError) -> [UInt8] {
        try base.read(path, range: range)
    }
    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(FileError) {
        try base.replace(path, with: bytes, durably: durably)
    }
    package func remove(_ path: String) throws(FileError) { try base.remove(path) }
    package func removeFolder(_ path: String) throws(FileError) { try base.removeFolder(path) }
    package func rename(_ path: String, to newPath: String) throws(FileError) { try base.rename(path, to: newPath) }
    package func open(_ path: String) throws(FileError) -> any AppendableFile { try base.open(path) }
    package func openAsOnlyWriter(_ path: String) throws(FileError) -> any AppendableFile {
        try base.openAsOnlyWriter(path)
    }
    package func lock(_ path: String) throws(FileError) -> (any FileLock)? { try base.lock(path) }
}
