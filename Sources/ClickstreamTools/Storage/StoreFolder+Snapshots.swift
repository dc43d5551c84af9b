package import ClickstreamCore

/// Looking at a run folder from outside, also while its process is alive: nothing is locked, and nothing written.
extension RunFolder {
    /// A run folder as it was at one moment; `nil` when it is gone.
    ///
    /// Its process may write while this reads: then it is read again, so that no event is seen twice or taken for missing.
    package static func snapshot(
        _ files: any FileSystem,
        path: String
    ) throws(StoreError) -> (folder: RunFolder, report: OpeningReport)? {
        let books = RunFolder(files, path: path, lock: nil, isDurable: false).books
        var latest: (folder: RunFolder, report: OpeningReport)?
        // A process that delivers as fast as it can writes its books some hundred times a second.
        for _ in 0..<100 {
            do throws(StoreError) {
                let isUnchanged = try StoreError.mapping {
                    let before = try files.contents(of: books.path)
                    latest = try open(files, path: path, lock: nil, isRepairing: false)
                    return try files.contents(of: books.path) == before
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

extension StoreFolder {
    /// All run folders, each as it was at one moment, in the order of their numbers. Changes nothing.
    package func snapshots() throws(StoreError) -> [(run: Int, folder: RunFolder, report: OpeningReport)] {
        let numbers: [Int]
        do {
            numbers = try runs()
        } catch {
            throw StoreError(error)
        }
        var found: [(run: Int, folder: RunFolder, report: OpeningReport)] = []
        for number in numbers {
            guard let (folder, report) = try RunFolder.snapshot(files, path: path(ofRun: number)) else { continue }
            found.append((number, folder, report))
        }
        return found
    }

    /// Every pending event of all run folders, oldest first. Changes nothing.
    package func pendingEvents() throws(StoreError) -> PendingEvents {
        PendingEvents(files, try snapshots().map { ($0.run, $0.folder.pendingRanges) })
    }
}
