/// Where events go: the server, and the app that they are said to come from.
package struct Destination: Sendable, Equatable {
    package var appID: String
    /// The whole URL; empty, or one that cannot be used, when there is nowhere to send to yet.
    package var endpoint: String
    package var authCookie: String?

    package init(_ configuration: Configuration) {
        appID = configuration.appID
        endpoint = configuration.endpoint
        authCookie = configuration.authCookie
    }

    /// Whether anything can be sent there.
    package var isUsable: Bool { (try? Endpoint(endpoint)) != nil }  // why not is said where it is tried
}

/// The queue of one destination: what was recorded for it, in run folders of its own, so that no request ever mixes two.
///
/// One owner, under a lock. A client has one that it records to, and after a change of app id or endpoint those that are
/// still to be delivered elsewhere.
package struct DestinationQueue: Sendable {
    /// Tells the queues of one client apart.
    package let id: Int
    package var destination: Destination
    /// The app's store.
    let folder: StoreFolder
    package var queue: EventQueue
    /// The locks of its run folders.
    let locks: [any FileLock]

    /// Settles a range: puts some of its events aside; all others were delivered.
    package mutating func settle(_ range: QueueRange, setAside letters: [DeadLetter]) throws(StoreError) {
        // First the letters: a crash in between leaves an event in both places, not in none.
        if !letters.isEmpty { try folder.deadLetters.add(letters) }
        queue.acknowledge(range, setAside: letters.count)
    }

    /// Whether it lasts as long as the process only.
    var isInMemory: Bool { folder.files is TransientFileSystem }

    /// The door to where it is kept.
    package var files: any FileSystem { folder.files }

    mutating func close() {
        queue.close()
        for lock in locks { lock.unlock() }
    }
}
