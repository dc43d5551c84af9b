/// Generations of the processes that record to several run folders at once, as the shards of server events do.
///
/// The number of such a run folder contains the generation of its process: 2003 is a folder of the second generation. The
/// generation of a process is greater than those of all ended processes with pending events, and not less than those of the
/// processes that are running. So the order of delivery does not depend on the clock, which may be set back between two
/// processes. Folders of clients and of earlier versions have lower numbers, and generation 0.
extension StoreFolder {
    /// The number of run folders of a generation. Further ones count as of the next.
    private static let runsPerGeneration = 1_000
    /// The greatest number that is a generation's; folders with greater ones, which this library does not create, are ignored.
    private static let lastRun = 1 << 53

    /// Returns the generation of the process that recorded to a run folder.
    static func generation(ofRun number: Int) -> Int { number / runsPerGeneration }

    /// Takes the run folder of a queue with these limits.
    /// - Parameter last: the number of the run folder that the caller recorded to before; it is taken again if possible.
    package func takeRun(for limits: QueueLimits, after last: Int? = nil) throws(StoreError) -> Run {
        guard limits.shards != nil else { return try takeRun(after: last) }
        do throws(FileError) {
            let numbers = try runs().filter { $0 <= Self.lastRun }
            if let last, numbers.contains(last), let run = try take(last) { return run }
            let generation = try currentGeneration(of: numbers)
            let own = numbers.filter { Self.generation(ofRun: $0) == generation }
            return try takeEmptyRun(of: own, behind: own.last ?? generation * Self.runsPerGeneration - 1)
        } catch {
            throw StoreError(error)
        }
    }

    /// Takes an unused run folder without events, or creates one, for its manifest alone.
    /// - Parameter last: the number of the folder that the caller took before; it is taken again if possible.
    func takeEmptyRun(after last: Int?) throws(StoreError) -> Run {
        do throws(FileError) {
            let numbers = try runs().filter { $0 <= Self.lastRun }
            let preferred = last.flatMap { numbers.contains($0) ? $0 : nil }
            return try takeEmptyRun(of: (preferred.map { [$0] } ?? []) + numbers, behind: numbers.last ?? 0)
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the generation of a process that starts now.
    /// - Parameter numbers: those of all run folders, in ascending order.
    private func currentGeneration(of numbers: [Int]) throws(FileError) -> Int {
        var generation = 1
        for number in numbers.reversed() {
            let other = Self.generation(ofRun: number)
            guard other >= generation else { break }
            guard let run = try take(number) else {
                generation = other
                continue
            }
            let isEnded = try !isEmpty(number)
            run.lock.unlock()
            if isEnded { generation = other + 1 }
        }
        return generation
    }
}
