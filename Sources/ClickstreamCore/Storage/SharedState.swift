/// The state that all processes of one store share, with the lock under which it is read, changed and replaced.
///
/// Between ``begin()`` and ``end()`` no other process changes it, so that no session number is given twice and no
/// process's change undoes another's. Costs a lock, a read and a replacement; waits for another process that does the same,
/// two seconds at most. One owner, under a lock of its own.
package struct SharedState: Sendable {
    private let folder: StoreFolder
    /// The state as it was last read or saved; `nil` when there was none, or none that can be read.
    package var current: StoredState?
    /// The text of the file as it was last read or saved, and what it says: who finds the same text again need not read
    /// it, which would cost time for each user whom the device knows.
    private var known: (text: [UInt8], state: StoredState)?
    /// Whether the disk would not take what ``current`` says; then our word stands until it does.
    package private(set) var isUnsaved = false
    /// Why the file could not be read when the lock was last taken. What is not known is not replaced.
    private var readFailure: StoreError?
    private var lock: (any FileLock)?
    private var depth = 0
    /// True after another process kept the lock for longer than ``StoreFolder/lockState(waits:)`` waits: until it can be had,
    /// it is tried once each time.
    private var isGivenUp = false

    package init(_ folder: StoreFolder) {
        self.folder = folder
    }

    /// Takes the lock, unless it is ours already, and reads what other processes saved.
    /// - Returns: what a person should know.
    package mutating func begin() throws(StoreError) -> [Notice] {
        depth += 1
        guard depth == 1 else { return [] }
        do {
            lock = try folder.lockState(waits: !isGivenUp)
        } catch {
            throw StoreError(error)
        }
        var findings: [Notice] = []
        if lock == nil, !isGivenUp {
            findings.append(
                .warning("\(folder.path)/state.lock is kept by another process; the state is changed without it")
            )
        }
        isGivenUp = lock == nil
        do {
            let (found, more) = try read()
            readFailure = nil
            if let found { merge(found) }
            return findings + more
        } catch {
            readFailure = error
            throw error
        }
    }

    /// Takes up what other processes saved. The last number never decreases: a process that was stopped for longer than
    /// others wait for the lock saves an old state when it runs again.
    private mutating func merge(_ found: StoredState) {
        let lastNumber = max(found.lastNumber, current?.lastNumber ?? 0)
        if isUnsaved {
            current?.sessions = found.sessions
        } else {
            current = found
        }
        current?.lastNumber = lastNumber
    }

    private mutating func read() throws(StoreError) -> (StoredState?, [Notice]) {
        let content: StateFile.Content
        do {
            content = try folder.state.load()
        } catch {
            throw StoreError(error)
        }
        let fresh =
            current == nil ? "the app starts as if it had just been installed" : "what this process knows stands"
        var findings: [Notice] = []
        let bytes: [UInt8]
        switch content {
        case .none:
            return (nil, [])
        case .loaded(let found):
            bytes = found
        case .recovered(let found, let report):
            findings.append(.warning(report))
            bytes = found
        case .lost(let report):
            return (nil, [.warning("\(report); \(fresh)")])
        case .fromLater(let version):
            throw .laterVersion(path: folder.state.path, version: version)
        }
        if let known, known.text == bytes { return (known.state, findings) }
        let state = StoredState(json: bytes)
        known = state.map { (bytes, $0) }
        if state == nil { findings.append(.warning("\(folder.state.path) holds no state; \(fresh)")) }
        return (state, findings)
    }

    /// Takes up what this process knew when its store was elsewhere, to be saved with the next change. Where another
    /// identity stands already, that one holds from now on.
    package mutating func takeUp(_ known: StoredState) {
        var known = known
        if let current {
            guard current.deviceID == known.deviceID else { return }
            known.lastNumber = max(known.lastNumber, current.lastNumber)
            known.sessions = current.sessions
        } else {
            known.sessions = []
        }
        current = known
        isUnsaved = true
    }

    /// Leaves the lock, whoever further out thinks to have it.
    package mutating func abandon() {
        depth = min(depth, 1)
        end()
    }

    /// Replaces the file with ``current``.
    /// - Parameter twice: whether its predecessor is to say the same, so that damage to one file costs nothing.
    package mutating func save(twice: Bool = false) throws(StoreError) {
        guard let current else { return }
        isUnsaved = true
        if let readFailure { throw readFailure }
        let bytes = current.json
        try folder.state.save(bytes)
        if twice { try folder.state.save(bytes) }
        known = (bytes, current)
        isUnsaved = false
    }

    /// Leaves the lock, when nobody further out needs it.
    package mutating func end() {
        depth = max(0, depth - 1)
        guard depth == 0 else { return }
        lock?.unlock()
        lock = nil
    }
}
