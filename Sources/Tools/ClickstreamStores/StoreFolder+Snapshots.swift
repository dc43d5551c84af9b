package import ClickstreamCore

extension StoreFolder {
    /// Snapshots of all run folders, by number. Changes nothing.
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
