/// Use of memory by a store while its folder is unusable.
struct MemoryFallback: Sendable {
    /// True if the store moves to memory while the disk is unusable.
    let isAllowed: Bool
    /// The location on disk to return to, while the store is in memory; otherwise `nil`.
    private(set) var home: OpenStore.Location?
    /// The time of the last attempt to return to the disk.
    private var lastReturn: Timestamp?
    /// The number of stores in memory so far: their run folders have different paths.
    private var count = 0

    /// The interval in milliseconds between attempts to return to the disk.
    private static let returnInterval: Int64 = 10_000

    init(isAllowed: Bool) {
        self.isAllowed = isAllowed
    }

    /// The location of the next store in memory, instead of one on the disk.
    func location(insteadOf home: OpenStore.Location) -> OpenStore.Location {
        OpenStore.Location(
            files: TransientFileSystem(),
            root: "memory-\(home.limits.shard)-\(count + 1)",
            limits: home.limits.inMemory
        )
    }

    /// The store is in memory, instead of `home`.
    mutating func enter(insteadOf home: OpenStore.Location, at timestamp: Timestamp?) {
        self.home = home
        lastReturn = timestamp
        count += 1
    }

    /// The store is on the disk.
    mutating func leave() {
        home = nil
        lastReturn = nil
    }

    /// Returns true if the store is to try to return to the disk: ten seconds after the last attempt. The first event in memory
    /// without an attempt begins the interval.
    /// - Parameter timestamp: the current time; `nil` skips the interval.
    mutating func beginsReturn(at timestamp: Timestamp?) -> Bool {
        guard home != nil else { return false }
        guard let timestamp else { return true }
        guard let last = lastReturn else {
            lastReturn = timestamp
            return false
        }
        guard abs(timestamp - last) >= Self.returnInterval else { return false }
        lastReturn = timestamp
        return true
    }
}
