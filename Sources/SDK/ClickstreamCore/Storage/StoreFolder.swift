/// Folder of one app's store: identified by a marker file, with run folders that are locked by the process that records
/// there.
///
/// `<root>/<app id>/` contains `clickstream-store` (the marker), `lock` (held during uploads), `state` (identity and
/// sessions) with `state.lock` (held while it is changed), `users.<n>` (``UserLog``), and `runs/<n>/`, each with its own `lock`, `session` (held
/// by a process with a session), `delivery`, segments, `after` (the folder to be delivered before), and `crash`,
/// `crash.2`, …. Only names of these patterns are ever removed. A value type: it holds no lock itself.
package struct StoreFolder: Sendable {
    /// Run folder with its lock, which is held for the lifetime of this value and of anything opened with it.
    package struct Run: Sendable {
        package let number: Int
        package let path: String
        package let lock: any FileLock
    }

    package let path: String
    /// The folder that contains the run folders.
    private let runsPath: String
    /// The folder of the upload lock and of the dead letters.
    let deliveryPath: String
    /// The file with identity and sessions, shared by all processes.
    package let state: StateFile
    package let files: any FileSystem
    let isDurable: Bool

    /// The name of the marker file, which identifies a folder as an app's store.
    package static let mark = "clickstream-store"
    /// The name of a crash file: in a run folder that of its process, in the app's folder one reported by the app.
    package static let traces = "crash"

    /// True for ``traces`` and the names `crash.2`, `crash.3`, …, used while earlier crash files are not recorded yet.
    package static func isTraces(_ name: String) -> Bool {
        name == traces || name.hasPrefix(traces + ".") && Int(name.dropFirst(traces.count + 1)).map { $0 > 1 } == true
    }

    /// Returns the paths of the crash files in a folder.
    func traces(in folder: String) throws(FileError) -> [String] {
        try files.names(in: folder).filter(StoreFolder.isTraces).map { "\(folder)/\($0)" }
    }

    /// Returns an unused path for a new crash file in a folder.
    func newTraces(in folder: String) throws(FileError) -> String {
        let names = Set(try files.names(in: folder))
        var name = StoreFolder.traces
        var number = 1
        while names.contains(name) {
            number += 1
            name = "\(StoreFolder.traces).\(number)"
        }
        return "\(folder)/\(name)"
    }
    private static let explanation = """
        This folder is the event store of one app, kept by Clickstream for Swift.
        runs/*/*.events hold one event a line: checksum, number, F(oreground) or B(ackground) with the time, JSON.
        While no process uses it the whole folder may be removed; events that were not sent yet go with it.

        """

    /// Opens the store of an app, and creates it if it does not exist.
    ///
    /// - Throws: ``StoreError/foreignFolder(path:contains:)`` if the folder is not empty and has no marker file.
    package init(_ files: any FileSystem, root: String, appID: String, isDurable: Bool = false) throws(StoreError) {
        self.files = files
        self.isDurable = isDurable
        path = "\(root)/\(StoreFolder.escaped(appID))"
        runsPath = path + "/runs"
        deliveryPath = path
        state = StoreFolder.state(files, path, isDurable: isDurable)
        try StoreError.mapping {
            try files.createFolder(path)
            let names = try files.names(in: path)
            let markPath = "\(path)/\(StoreFolder.mark)"
            if let mark = try files.contents(of: markPath) {
                let version = StateFile.decode(mark, kind: StoreFolder.mark)?.version
                if let version, version > 1 { throw StoreError.laterVersion(path: path, version: version) }
                if version == nil { try writeMark(to: markPath) }
            } else {
                // A crash during creation leaves at most an incomplete marker file.
                if let foreign = names.first(where: { !StoreFolder.isUnfinishedMark($0) }) {
                    throw StoreError.foreignFolder(path: path, contains: foreign)
                }
                try writeMark(to: markPath)
            }
            try files.createFolder(runsPath)
        }
    }

    /// Opens an existing store for inspection: nothing is created or written.
    /// - Parameter path: the app's own folder.
    package init(_ files: any FileSystem, existing path: String) throws(StoreError) {
        self.files = files
        self.path = path
        runsPath = path + "/runs"
        deliveryPath = path
        isDurable = false
        state = StoreFolder.state(files, path, isDurable: false)
        let mark: [UInt8]?
        do {
            mark = try files.contents(of: "\(path)/\(StoreFolder.mark)")
        } catch {
            throw StoreError(error)
        }
        guard let mark else { throw .failed(FileError(.read, "\(path)/\(StoreFolder.mark)", errno: FileError.absent)) }
        let version = StateFile.decode(mark, kind: StoreFolder.mark)?.version
        if let version, version > 1 { throw .laterVersion(path: path, version: version) }
    }

    /// Returns the file with identity and sessions in a store's folder. The profiles of known users are in it before version 2, and
    /// later in a ``UserLog``.
    private static func state(_ files: any FileSystem, _ path: String, isDurable: Bool) -> StateFile {
        StateFile(files, path: path + "/state", kind: "clickstream-state", version: 2, isDurable: isDurable)
    }

    /// Returns the same store with the run folders, the dead letters and the upload lock of another format, in the folder
    /// `runs-<format>`, which is created if it does not exist.
    package func folder(of format: any WireFormat) throws(StoreError) -> StoreFolder {
        let folder = StoreFolder(self, runs: "\(path)/runs-\(format.name.rawValue)")
        do {
            try files.createFolder(folder.runsPath)
        } catch {
            throw StoreError(error)
        }
        return folder
    }

    /// Returns the names of the other formats that have run folders in this store, sorted. Changes nothing.
    package func formats() throws(FileError) -> [FormatName] {
        try files.names(in: path).compactMap(Self.format(ofRuns:)).orderedByText { $0.rawValue }
    }

    /// Returns the format whose run folders a folder with that name contains; `nil` for other names.
    static func format(ofRuns name: String) -> FormatName? {
        name.hasPrefix("runs-") ? FormatName(rawValue: String(name.dropFirst("runs-".count))) : nil
    }

    /// Returns the same store with the run folders and the dead letters of one of the ``formats()``, for inspection.
    package func folder(existing format: FormatName) -> StoreFolder {
        StoreFolder(self, runs: "\(path)/runs-\(format.rawValue)")
    }

    private init(_ store: StoreFolder, runs: String) {
        path = store.path
        runsPath = runs
        deliveryPath = runs
        state = store.state
        files = store.files
        isDurable = store.isDurable
    }

    /// True for the temporary name of a marker file that was incomplete when a process ended.
    package static func isUnfinishedMark(_ name: String) -> Bool { name.hasPrefix(mark + ".new") }

    private func writeMark(to path: String) throws(FileError) {
        let body = Array(StoreFolder.explanation.utf8)
        try files.replace(path, with: StateFile.encode(body, kind: StoreFolder.mark, version: 1), durably: false)
    }

    // MARK: Runs

    /// Returns the numbers of all run folders, in ascending order.
    package func runs() throws(FileError) -> [Int] {
        try files.names(in: runsPath).compactMap { name in
            guard let number = Int(name), number > 0, String(number) == name else { return nil }
            return number
        }.orderedByNumber { Int64($0) }
    }

    package func path(ofRun number: Int) -> String {
        "\(runsPath)/\(number)"
    }

    /// Takes the lowest-numbered unused run folder, or creates one if all are in use.
    ///
    /// Folders with events that follow those of a folder in use are left out: see ``followsFolderInUse(_:)``.
    ///
    /// - Parameter last: the run folder that the caller recorded to before. It is taken again if possible. While another process
    ///   uses it, an empty folder is taken, and its events are delivered after those of `last`.
    package func takeRun(after last: Int? = nil) throws(StoreError) -> Run {
        do throws(FileError) {
            let numbers = try runs()
            guard let last else {
                return try takeRun(of: numbers, behind: numbers.last ?? 0) { number throws(FileError) in
                    try !followsFolderInUse(number)
                }
            }
            guard numbers.contains(last) else { return try takeEmptyRun(of: numbers, behind: numbers.last ?? 0) }
            if let run = try take(last) { return run }
            let run = try takeEmptyRun(of: numbers.filter { $0 != last }, behind: numbers.last ?? 0)
            try setRun(run.number, after: last)
            return run
        } catch {
            throw StoreError(error)
        }
    }

    /// Takes the first of these run folders that is unused and without events, or creates one with a number above `last`.
    func takeEmptyRun(of numbers: [Int], behind last: Int) throws(FileError) -> Run {
        try takeRun(of: numbers, behind: last) { number throws(FileError) in try isEmpty(number) }
    }

    /// Takes the first of these run folders that is unused and usable, or creates one with a number above `last`.
    private func takeRun(
        of numbers: [Int],
        behind last: Int,
        where isUsable: (Int) throws(FileError) -> Bool
    ) throws(FileError) -> Run {
        for number in numbers {
            guard let run = try take(number) else { continue }
            if try isUsable(number) { return run }
            run.lock.unlock()
        }
        var number = last + 1
        while true {
            // Another process may take the folder between its creation and the lock.
            try files.createFolder(path(ofRun: number))
            if let run = try take(number) { return run }
            number += 1
        }
    }

    /// True if a run folder contains no events.
    func isEmpty(_ number: Int) throws(FileError) -> Bool {
        try segments(ofRun: number).isEmpty
    }

    /// Returns the numbers of the segments in a run folder.
    func segments(ofRun number: Int) throws(FileError) -> [Int] {
        try files.names(in: path(ofRun: number)).compactMap(Segment.number(in:))
    }

    /// Takes every other unused run folder that contains events or crash files, so that this process delivers them.
    /// - Parameter own: the run folder of this process. If given, folders with events that follow those of a folder in use
    ///   elsewhere are left out.
    package func adoptable(beside own: Int? = nil) throws(StoreError) -> [Run] {
        do {
            var found: [Run] = []
            for number in try runs() {
                let names = try files.names(in: path(ofRun: number))
                guard names.contains(where: { Segment.number(in: $0) != nil || StoreFolder.isTraces($0) }),
                    let run = try take(number)
                else { continue }
                found.append(run)
            }
            return if let own { try releasingFollowers(found, own: own) } else { found }
        } catch {
            throw StoreError(error)
        }
    }

    /// Takes a run folder; returns `nil` if it is in use.
    func take(_ number: Int) throws(FileError) -> Run? {
        let path = path(ofRun: number)
        return try files.lock(path + "/lock").map { Run(number: number, path: path, lock: $0) }
    }

    /// Acquires the session lock of a run folder, which marks the process as running; returns `nil` if it is held.
    package func lockSession(ofRun number: Int) throws(FileError) -> (any FileLock)? {
        try files.lock(path(ofRun: number) + "/session")
    }

    /// Returns the other runs whose processes are running and have a session.
    package func runsInSession(except own: Int) throws(FileError) -> [Int] {
        var living: [Int] = []
        for number in try runs() where number != own {
            guard try files.size(of: path(ofRun: number) + "/session") != nil else { continue }
            if let lock = try lockSession(ofRun: number) { lock.unlock() } else { living.append(number) }
        }
        return living
    }

    /// The events of this app that a server permanently rejects.
    package var deadLetters: DeadLetters { DeadLetters(files, self, isDurable: isDurable) }

    // MARK: The state's lock

    /// The timeout for the state's lock. Other processes hold it for a few file operations only, unless they are
    /// suspended meanwhile.
    private static let timeout = Duration.seconds(2)

    /// Acquires the lock for changing the state. Blocks for two seconds at most, which suffices for many contending
    /// processes on a busy machine.
    /// - Parameter waits: `false` tries once without blocking.
    /// - Returns: `nil` if another process still holds it.
    package func lockState(waits: Bool = true) throws(FileError) -> (any FileLock)? {
        try files.lock(path + "/state.lock", timeout: waits ? Self.timeout : .zero)
    }

    // MARK: Delivery

    /// Acquires the upload lock, which one process holds at a time; returns `nil` while another process holds it.
    package func lockForUpload() throws(FileError) -> (any FileLock)? {
        try files.lock(deliveryPath + "/lock")
    }

    /// Returns the accounting of all runs as last written, and the number of pending events. Changes nothing.
    package func ledger() throws(StoreError) -> (ledger: Ledger, pendingEvents: Int) {
        var total = Ledger()
        var pending = 0
        let numbers: [Int]
        do {
            numbers = try runs()
        } catch {
            throw StoreError(error)
        }
        for number in numbers {
            let (folder, _) = try RunFolder.open(files, path: path(ofRun: number), lock: nil, isRepairing: false)
            total += folder.ledger
            pending += folder.pendingEvents
        }
        return (total, pending)
    }

    // MARK: Names

    /// Returns the folder name for an app id: letters, digits, `-`, `_` and dots not in first place are kept, every
    /// other byte becomes `%XX`.
    package static func escaped(_ appID: String) -> String {
        var name = ""
        for (index, byte) in appID.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where index > 0:
                name += "."
            default:
                name += "%" + String(zeroPadded: byte, width: 2, radix: 16, uppercase: true)
            }
        }
        guard !name.isEmpty else { return "%" }
        guard name.utf8.count > 200 else { return name }
        // File names are limited to 255 bytes. The checksum distinguishes long names.
        let checksum = Array(name.utf8).withUnsafeBytes { Checksum.crc32c($0) }
        return String(name.prefix(190)) + "%" + String(checksum, radix: 16)
    }
    /// Returns the text whose ``escaped(_:)`` form this is; `nil` if it is none.
    package static func unescaped(_ name: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
