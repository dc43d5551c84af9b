extension RunFolder {
    /// Opens a run folder: reads the manifest, and scans events appended after it was written (at most about one
    /// segment).
    ///
    /// - Parameters:
    ///   - lock: the folder's lock, held for the lifetime of the returned value and its copies.
    ///   - isRepairing: true if incomplete records are truncated and leftovers removed; `false` changes nothing on
    ///     disk.
    package static func open(
        _ files: any FileSystem,
        path: String,
        lock: (any FileLock)?,
        isDurable: Bool = false,
        isRepairing: Bool = true
    ) throws(StoreError) -> (RunFolder, OpeningReport) {
        try StoreError.mapping {
            let manifestFile = manifestFile(files, path: path, isDurable: isDurable)
            let content = try manifestFile.load()
            if case .fromLater(let version) = content {
                throw StoreError.laterVersion(path: manifestFile.path, version: version)
            }
            let recovery = try RunRecovery(files, path: path, content, isRepairing: isRepairing)
            var folder = RunFolder(files, recovery.manifest, in: manifestFile, lock: lock, isDurable: isDurable)
            if recovery.needsSaving, isRepairing { folder.saveManifest() }
            return (folder, recovery.report)
        }
    }

    static func manifestFile(_ files: any FileSystem, path: String, isDurable: Bool) -> StateFile {
        StateFile(files, path: path + "/delivery", kind: "clickstream-delivery", isDurable: isDurable)
    }

    /// Opens a run folder without changing it; returns `nil` if it does not exist.
    static func found(_ files: any FileSystem, path: String) throws(StoreError) -> RunFolder? {
        do throws(StoreError) {
            return try open(files, path: path, lock: nil, isRepairing: false).0
        } catch .failed(let error) where error.errno == FileError.absent {
            return nil
        }
    }
}
