/// Inspection of run folders, even of running processes. Takes no lock and writes nothing.
extension RunFolder {
    /// A consistent snapshot of a run folder; `nil` if it does not exist.
    ///
    /// If the process of the run writes meanwhile, the folder is read again, so that no event is repeated or reported
    /// missing.
    package static func snapshot(
        _ files: any FileSystem,
        path: String
    ) throws(StoreError) -> (folder: RunFolder, report: OpeningReport)? {
        let manifest = manifestFile(files, path: path, isDurable: false).path
        var latest: (folder: RunFolder, report: OpeningReport)?
        // A process that delivers at full speed writes its ledger some hundred times per second.
        for _ in 0..<100 {
            do throws(StoreError) {
                let isUnchanged = try StoreError.mapping {
                    let before = try files.contents(of: manifest)
                    latest = try open(files, path: path, lock: nil, isRepairing: false)
                    return try files.contents(of: manifest) == before
                }
                if isUnchanged { return latest }
            } catch .failed(let reason) where reason.errno == FileError.absent {
                guard try exists(files, path) else { return nil }
            }
        }
        return latest
    }

    private static func exists(_ files: any FileSystem, _ path: String) throws(StoreError) -> Bool {
        do {
            _ = try files.names(in: path)
            return true
        } catch {
            if error.errno == FileError.absent { return false }
            throw StoreError(error)
        }
    }
}
