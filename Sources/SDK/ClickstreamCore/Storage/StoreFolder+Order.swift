/// Order of the run folders that contain the events of one process.
///
/// A process that finds its run folder in use elsewhere continues in an empty one, whose file `after` names the folder and the
/// last segment there. Until these segments are delivered, the events in the second folder are delivered only by a process
/// that has both.
extension StoreFolder {
    /// Segments of a run folder up to a number.
    private struct Position {
        var run: Int
        var segment: Int
    }

    private func orderPath(ofRun number: Int) -> String { path(ofRun: number) + "/after" }

    /// Stores that the events of an empty run folder follow those that are pending in another one.
    func setRun(_ number: Int, after last: Int) throws(FileError) {
        guard let segment = try segments(ofRun: last).max() else { return }
        try files.replace(orderPath(ofRun: number), with: Array("\(last) \(segment)\n".utf8), durably: false)
    }

    /// Returns the run folder that still contains segments to be delivered before those of this one.
    private func predecessor(ofRun number: Int) throws(FileError) -> Int? {
        guard let text = try files.contents(of: orderPath(ofRun: number)), let position = Self.position(text),
            position.run != number
        else { return nil }
        do throws(FileError) {
            let isPending = try segments(ofRun: position.run).contains { $0 <= position.segment }
            return isPending ? position.run : nil
        } catch {
            guard error.isMissingFile else { throw error }
            return nil
        }
    }

    /// Decodes a file `after`. Any other text gives no order.
    private static func position(_ text: [UInt8]) -> Position? {
        let numbers = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        guard numbers.count == 2, numbers[0] > 0 else { return nil }
        return Position(run: numbers[0], segment: numbers[1])
    }

    /// Returns true if events of a run folder follow events of one that another process uses.
    func followsFolderInUse(_ number: Int) throws(FileError) -> Bool {
        var visited = [number]
        while let former = try predecessor(ofRun: visited[visited.count - 1]), !visited.contains(former) {
            guard let run = try take(former) else { return true }
            run.lock.unlock()
            visited.append(former)
        }
        return false
    }

    /// Releases the run folders whose events follow those of a folder that is neither among them nor `own`.
    /// - Returns: the others.
    func releasingFollowers(_ runs: [Run], own: Int) throws(FileError) -> [Run] {
        var predecessors: [Int: Int] = [:]
        for run in runs { predecessors[run.number] = try predecessor(ofRun: run.number) }
        var kept = runs
        while true {
            let numbers = Set(kept.map(\.number) + [own])
            func isBehind(_ run: Run) -> Bool { predecessors[run.number].map { !numbers.contains($0) } ?? false }
            let released = kept.filter(isBehind)
            guard !released.isEmpty else { return kept }
            for run in released { run.lock.unlock() }
            kept.removeAll(where: isBehind)
        }
    }
}
