/// State shared by all processes of one store, with the lock for reading, changing and replacing it.
///
/// While the lock is held, no other process changes the state, so session numbers are unique and no change is lost. Costs a
/// lock, a read and a replacement; blocks while another process holds the lock, two seconds at most. Not thread-safe: one
/// owner, under a lock of its own.
package struct SharedState: Sendable {
    private let folder: StoreFolder
    private var log: UserLog
    /// The state as last read or saved, with the profiles of known users; `nil` if there is none, or none that is readable. Contains the
    /// only copy of the profiles, so that a login changes them in place.
    package var current: StoredState?
    /// The content of the file as last read or saved, with its decoded form, so that an unchanged file is not decoded again.
    /// `head` is its first line.
    private var known: (text: [UInt8], state: StoredState, head: [UInt8])?
    /// True if the last save of ``current`` failed; then ``current`` takes precedence over the file until a save
    /// succeeds.
    package private(set) var isUnsaved = false
    /// The error of reading the file when the lock was last taken. An unread file is not replaced.
    private var readFailure: StoreError?
    private var lock: (any FileLock)?
    private var depth = 0
    /// True from ``open()`` to the first ``RecorderAccess/withState(_:)``, which takes over the lock.
    private var isOpening = false
    /// True after another process held the lock for longer than ``StoreFolder/lockState(waits:)`` waits: until it is
    /// acquired again, each attempt is made without waiting. The holder may have been stopped before it saved the next session
    /// number.
    package private(set) var isGivenUp = false

    package init(_ folder: StoreFolder) {
        self.folder = folder
        log = UserLog(folder)
    }

    /// Acquires the lock and reads the state, for an opening of the store. The lock is held to the end of the first
    /// ``RecorderAccess/withState(_:)``, or until ``release()``.
    /// - Returns: problems to report.
    mutating func open() throws(StoreError) -> [Notice.Warning] {
        let findings = try begin()
        isOpening = true
        return findings
    }

    /// Enters a nesting level; at the outermost one, acquires the lock and reads changes of other processes.
    /// - Returns: problems to report.
    mutating func begin() throws(StoreError) -> [Notice.Warning] {
        guard !isOpening else {
            isOpening = false
            return []
        }
        depth += 1
        guard depth == 1 else { return [] }
        do {
            lock = try folder.lockState(waits: !isGivenUp)
        } catch {
            throw StoreError(error)
        }
        var findings: [Notice.Warning] = []
        if lock == nil, !isGivenUp {
            let message = "\(folder.path)/state.lock is kept by another process; the state is changed without it"
            findings.append(Notice.Warning(.stateLocked, message))
        }
        isGivenUp = lock == nil
        do {
            let (found, more) = try read()
            findings += more
            if let found, let damage = try merge(found) { findings.append(Notice.Warning(.storeDamaged, damage)) }
            readFailure = nil
            return findings
        } catch {
            readFailure = error
            throw error
        }
    }

    /// Returns true if another process may have replaced the file since it was last read or saved. Takes no lock, and reads the
    /// first line only.
    func isOutdated() -> Bool {
        do {
            return try folder.state.head() != known?.head
        } catch {
            // Without a file there is nothing to be read, unless it was removed.
            return known != nil || !error.isMissingFile
        }
    }

    /// Merges changes of other processes. The last numbers never decrease: a process that was suspended for longer than
    /// the lock timeout saves an old state when it resumes.
    /// - Returns: the damage of the file of known users, if there is any.
    private mutating func merge(_ found: StoredState) throws(StoreError) -> String? {
        var damage: String?
        let lastNumber = max(found.lastNumber, current?.lastNumber ?? 0)
        let partitions = found.partitions.merging(current?.partitions ?? [:], uniquingKeysWith: max)
        if isUnsaved {
            current?.sessions = found.sessions
            current?.takeConsent(of: found)
        } else {
            var users = KnownUsers(current: found.users.current)
            current?.users.exchangeProfiles(with: &users)
            do {
                damage = try log.read(found.users, into: &users)
            } catch {
                current?.users.exchangeProfiles(with: &users)
                throw StoreError(error)
            }
            current = found
            current?.users = users
        }
        current?.lastNumber = lastNumber
        current?.partitions = partitions
        return damage
    }

    private mutating func read() throws(StoreError) -> (StoredState?, [Notice.Warning]) {
        let content: StateFile.Content
        do {
            content = try folder.state.load()
        } catch {
            throw StoreError(error)
        }
        let fresh =
            current == nil ? "the app starts as if it had just been installed" : "what this process knows stands"
        var findings: [Notice.Warning] = []
        let bytes: [UInt8]
        switch content {
        case .none:
            return (nil, [])
        case .loaded(let found):
            bytes = found
        case .recovered(let found, let report):
            findings.append(Notice.Warning(.storeDamaged, report))
            bytes = found
        case .lost(let report):
            return (nil, [Notice.Warning(.stateLost, "\(report); \(fresh)")])
        case .fromLater(let version):
            throw .laterVersion(path: folder.state.path, version: version)
        }
        if let known, known.text == bytes { return (known.state, findings) }
        let state = StoredState(json: bytes)
        known = state.map { (bytes, $0, folder.state.head(of: bytes)) }
        if state == nil {
            findings.append(Notice.Warning(.stateLost, "\(folder.state.path) holds no state; \(fresh)"))
        }
        return (state, findings)
    }

    /// Adopts the state of this process from another location of the store, to be saved with the next change. If the
    /// file has another identity, that one takes precedence, unless it was erased in the other location.
    package mutating func takeUp(_ known: StoredState) {
        var known = known
        let isErased = WithdrawalList(entries: known.withdrawn).isErasure
        if let current, !isErased {
            guard current.deviceID == known.deviceID else { return }
            known.lastNumber = max(known.lastNumber, current.lastNumber)
            known.partitions.merge(current.partitions, uniquingKeysWith: max)
            // Not all could be copied if their file was unreadable. After an erasure in memory, a withdrawal is left.
            if known.withdrawn.isEmpty { known.users.byID.merge(current.users.byID) { own, _ in own } }
            known.sessions = current.sessions
        } else {
            known.sessions = []
        }
        if isErased {
            // The profiles of the new installation are in no file of this location.
            known.users.position = KnownUsers.Position()
            known.users.position.file = current?.users.position.file ?? 0
        }
        if let current { known.takeConsent(of: current) }
        current = known
        isUnsaved = true
    }

    /// Releases the lock, even if nested callers still expect to hold it.
    mutating func release() {
        isOpening = false
        depth = min(depth, 1)
        end()
    }

    /// Writes changed profiles to the file of known users, and replaces the file of the state with ``current``.
    ///
    /// A process that ends in between leaves the state as it was. Costs nothing per known user, unless all profiles are written again.
    /// - Parameter twice: true if the predecessor file is to have the same content, so that damage to one file is
    ///   harmless.
    package mutating func save(twice: Bool = false) throws(StoreError) {
        guard var saved = current else { return }
        isUnsaved = true
        if let readFailure { throw readFailure }
        let former = known?.state.users.position ?? KnownUsers.Position()
        let position: KnownUsers.Position
        do {
            position = try log.write(saved.users, after: former, isLocked: lock != nil)
        } catch {
            throw StoreError(error)
        }
        saved.users = saved.users.stored(at: position)
        let bytes = saved.json
        try folder.state.save(bytes)
        known = (bytes, saved, folder.state.head(of: bytes))
        // The predecessor file must not name a file of known users that is removed.
        let replacesUsers = former.file > 0 && (former.file != position.file || position.bytes < former.bytes)
        if twice || replacesUsers { try folder.state.save(bytes) }
        current?.users.wereWritten(to: position)
        isUnsaved = false
        // A file that cannot be removed now is removed with the next replacement.
        if replacesUsers, lock != nil { try? log.removeFiles(through: former.file) }
    }

    /// Replaces a damaged state by its predecessor, and a damaged file of known users by the readable profiles.
    /// - Returns: the damage; empty if there is none that can be repaired.
    package static func repair(_ folder: StoreFolder) throws(StoreError) -> [String] {
        var shared = SharedState(folder)
        let findings = try shared.open()
        defer { shared.release() }
        guard !findings.isEmpty, shared.current != nil, shared.lock != nil else { return [] }
        try shared.save()
        return findings.map(\.message)
    }

    /// Leaves one nesting level, and releases the lock at the outermost one.
    mutating func end() {
        depth = max(0, depth - 1)
        guard depth == 0 else { return }
        lock?.unlock()
        lock = nil
    }
}

extension StoredState {
    /// Takes later decisions on consent from another copy, and its withdrawals that are not completed.
    fileprivate mutating func takeConsent(of other: StoredState) {
        consent = consent.merged(with: other.consent)
        withdrawn += other.withdrawn.filter { !withdrawn.contains($0) }
    }
}
