/// Accounting of a store: the ledgers of its run folders, each counted once, and of its queues in memory.
///
/// The folders that this process uses are counted as they are in memory, those that a store in memory will return to included. All
/// others are read: those of other processes, and those that this process has used before, such as that of a former destination.
package struct StoreAccounts: Sendable {
    package private(set) var ledger = Ledger()
    package private(set) var pendingEvents = 0
    /// The run folders and the queues in memory that stores have added.
    package private(set) var held: Set<String> = []
    private let format: FormatName

    /// - Parameter format: the format whose events are counted.
    package init(format: FormatName) {
        self.format = format
    }

    /// Counts the run folders that a store uses, its queues in memory, and the events after its end that are in no manifest.
    package mutating func add(_ store: borrowing EventStore) {
        ledger.recorded += store.lateCalls.count
        ledger[.disabled] += store.lateCalls.count
        for index in store.current.queues.indices {
            let queue = store.current.queues[index]
            guard queue.format == format else { continue }
            if queue.isInMemory {
                held.insert("memory:\(queue.queue.own.path)")
                count(queue.queue.own)
            } else if store.isOpen {
                for run in queue.queue.folders {
                    if held.insert(run.path).inserted { count(run) }
                }
            }
        }
    }

    /// Counts the run folders on the disk that no store has added. Changes nothing. A folder that cannot be read is left out.
    package mutating func addOthers(of folder: StoreFolder) {
        for number in Self.attempt({ try folder.runs() }) ?? [] {
            let path = folder.path(ofRun: number)
            guard !held.contains(path) else { continue }
            if let run = Self.attempt({ try RunFolder.snapshot(folder.files, path: path)?.folder }) { count(run) }
        }
    }

    private mutating func count(_ run: RunFolder) {
        ledger += run.ledger
        pendingEvents += run.pendingEvents
    }

    /// Returns the result of a read; `nil` if it fails several times in a row, whatever the error is.
    private static func attempt<Result>(_ read: () throws -> Result?) -> Result? {
        for _ in 0..<FileError.attempts {
            // A failure that lasts leaves the folder out.
            if let result = try? read() { return result }
        }
        return nil
    }
}
