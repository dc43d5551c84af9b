import ClickstreamCore

/// Access to the content of a disk, apart from file operations.
extension MemoryDisk {
    mutating func removeTree(_ folder: String) {
        let prefix = folder == "/" ? "/" : folder + "/"
        for (path, inode) in files where path.hasPrefix(prefix) { unlink(path, inode) }
        folders = folders.filter { $0 == "/" || ($0 != folder && !$0.hasPrefix(prefix)) }
    }

    func content(at path: String) -> [UInt8]? {
        files[path].flatMap { inodes[$0]?.bytes }
    }

    mutating func setContent(_ bytes: [UInt8]?, at path: String) {
        guard let bytes else {
            if let inode = files[path] { unlink(path, inode) }
            return
        }
        for parent in MemoryPath.parents(of: path) { folders.insert(parent) }
        let inode = files[path] ?? nextInode
        nextInode = max(nextInode, inode + 1)
        files[path] = inode
        usedBytes += bytes.count - (inodes[inode]?.bytes.count ?? 0)
        inodes[inode, default: Inode()].bytes = bytes
        inodes[inode]?.synchronized = bytes.count
    }

    /// Returns a copy without open files and locks.
    func reopened(losingUnsynchronized: Bool) -> MemoryDisk {
        var copy = MemoryDisk(capacity: capacity)
        copy.folders = folders
        copy.readOnlyFolders = readOnlyFolders
        copy.files = files
        copy.nextInode = nextInode
        for inode in files.values {
            guard var file = inodes[inode] else { continue }
            if losingUnsynchronized { file.bytes.removeLast(file.bytes.count - file.synchronized) }
            file.handles = 0
            copy.inodes[inode] = file
            copy.usedBytes += file.bytes.count
        }
        return copy
    }
}
