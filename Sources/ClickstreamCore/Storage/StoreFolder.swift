/// The folder of one app's store: marked as ours, each run in it locked by the process that records there.
///
/// `<root>/<app id>/` holds `clickstream-store` (the mark), `lock` (held by whoever uploads), `state` (identity and
/// sessions) with `state.lock` (held while it is changed), and `runs/<n>/`, each with its own `lock`, `session` (held by
/// a process that has a session), `delivery`, segments, and `crash`, `crash.2`, …. Only names of these patterns are ever removed. A
/// value: it holds no lock itself.
package struct StoreFolder: Sendable {
    /// A run folder whose lock is held, for as long as this value or what was opened with it lives.
    package struct Run: Sendable {
        package let number: Int
        package let path: String
        package let lock: any FileLock
    }

    package let path: String
    /// The identity and the session, shared by all processes.
    package let state: StateFile
    package let files: any FileSystem
    private let isDurable: Bool

    /// The file that says that a folder is one app's store.
    package static let mark = "clickstream-store"
    /// The file that holds a crash: in a run folder the one of its process, in the app's folder one that the app reported.
    package static let traces = "crash"

    /// True for ``traces`` and its successors: `crash.2`, `crash.3`, … stand beside files that could not be recorded yet.
    package static func isTraces(_ name: String) -> Bool {
        name == traces || name.hasPrefix(traces + ".") && Int(name.dropFirst(traces.count + 1)).map { $0 > 1 } == true
    }

    /// The paths of the crash files in a folder.
    func traces(in folder: String) throws(FileError) -> [String] {
        try files.names(in: folder).filter(StoreFolder.isTraces).map { "\(folder)/\($0)" }
    }

    /// A path for a new crash file in a folder, beside those that are there.
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

    /// Opens the store of an app, and makes it when it is not there.
    ///
    /// - Throws: ``StoreError/foreignFolder(path:contains:)`` when the folder holds anything and no mark of ours.
    package init(_ files: any FileSystem, root: String, appID: String, isDurable: Bool = false) throws(StoreError) {
        self.files = files
        self.isDurable = isDurable
        path = "\(root)/\(StoreFolder.escaped(appID))"
        state = StateFile(files, path: path + "/state", kind: "clickstream-state", isDurable: isDurable)
        do {
            try files.createFolder(path)
            let names = try files.names(in: path)
            let markPath = "\(path)/\(StoreFolder.mark)"
            if let mark = try files.contents(of: markPath) {
                let version = StateFile.decode(mark, kind: StoreFolder.mark)?.version
                if let version, version > 1 { throw StoreError.laterVersion(path: path, version: version) }
                if version == nil { try writeMark(to: markPath) }
            } else {
                // A crash while the store was made leaves the unfinished mark at most.
                if let foreign = names.first(where: { !StoreFolder.isUnfinishedMark($0) }) {
                    throw StoreError.foreignFolder(path: path, contains: foreign)
                }
                try writeMark(to: markPath)
            }
            try files.createFolder(path + "/runs")
        } catch let error as FileError {
            throw StoreError(error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("Invalid state: \(error) is neither the disk's nor the store's")
        }
    }

    /// A store that is there, to be looked at: nothing is made, and nothing written.
    /// - Parameter path: the app's own folder.
    package init(_ files: any FileSystem, existing path: String) throws(StoreError) {
        self.files = files
        self.path = path
        isDurable = false
        state = StateFile(files, path: path + "/state", kind: "clickstream-state")
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

    /// True for the name of a mark that was being written when a process died.
    package static func isUnfinishedMark(_ name: String) -> Bool { name.hasPrefix(mark + ".new") }

    private func writeMark(to path: String) throws(FileError) {
        let body = Array(StoreFolder.explanation.utf8)
        try files.replace(path, with: StateFile.encode(body, kind: StoreFolder.mark, version: 1), durably: false)
    }

    // MARK: Runs

    /// The numbers of all run folders, in order.
    package func runs() throws(FileError) -> [Int] {
        try files.names(in: path + "/runs").compactMap { name in
            guard let number = Int(name), number > 0, String(number) == name else { return nil }
            return number
        }.sorted()
    }

    package func path(ofRun number: Int) -> String {
        "\(path)/runs/\(number)"
    }

    /// Takes the lowest-numbered run folder that no process uses, and makes a new one if all are in use.
    ///
    /// - Parameter last: the run folder that the caller recorded to before. That one is taken again; while another process
    ///   has it, one without events. So what the caller records never stands between older events of its own, which are
    ///   delivered folder by folder.
    package func takeRun(after last: Int? = nil) throws(StoreError) -> Run {
        do throws(FileError) {
            let numbers = try runs()
            if let last, numbers.contains(last), let run = try take(last) { return run }
            for number in numbers where number != last {
                guard let run = try take(number) else { continue }
                let isUsable = if last == nil { true } else { try isEmpty(number) }
                if isUsable { return run }
                run.lock.unlock()
            }
            var number = (numbers.last ?? 0) + 1
            while true {
                // Another process may be as fast as we are, and take the one that we have just made.
                try files.createFolder(path(ofRun: number))
                if let run = try take(number) { return run }
                number += 1
            }
        } catch {
            throw StoreError(error)
        }
    }

    private func isEmpty(_ number: Int) throws(FileError) -> Bool {
        try files.names(in: path(ofRun: number)).allSatisfy { Segment.number(in: $0) == nil }
    }

    /// Takes every other run folder that holds events, or traces of a crash, and that nobody uses, so that we deliver them.
    package func adoptable() throws(StoreError) -> [Run] {
        do {
            var found: [Run] = []
            for number in try runs() {
                let names = try files.names(in: path(ofRun: number))
                guard names.contains(where: { Segment.number(in: $0) != nil || StoreFolder.isTraces($0) }),
                    let run = try take(number)
                else { continue }
                found.append(run)
            }
            return found
        } catch {
            throw StoreError(error)
        }
    }

    private func take(_ number: Int) throws(FileError) -> Run? {
        let path = path(ofRun: number)
        return try files.lock(path + "/lock").map { Run(number: number, path: path, lock: $0) }
    }

    /// The right to have a session in a run folder of ours: who looks for it sees by it that we live.
    package func lockSession(ofRun number: Int) throws(FileError) -> (any FileLock)? {
        try files.lock(path(ofRun: number) + "/session")
    }

    /// The other runs whose processes live and have a session.
    package func runsInSession(except own: Int) throws(FileError) -> [Int] {
        var living: [Int] = []
        for number in try runs() where number != own {
            guard try files.size(of: path(ofRun: number) + "/session") != nil else { continue }
            if let lock = try lockSession(ofRun: number) { lock.unlock() } else { living.append(number) }
        }
        return living
    }

    /// The events of this app that a server will never take.
    package var deadLetters: DeadLetters { DeadLetters(files, self, isDurable: isDurable) }

    // MARK: The state's lock

    /// The longest wait for the state's lock. Other processes hold it for some file operations only, unless they were
    /// stopped in the middle.
    private static let patience = Duration.seconds(2)

    /// The right to change the state. Waits for another holder, two seconds at most, so that many processes that want it at
    /// once on a busy machine each get their turn.
    /// - Parameter waits: `false` tries once.
    /// - Returns: `nil` if another process still holds it.
    package func lockState(waits: Bool = true) throws(FileError) -> (any FileLock)? {
        try files.lock(path + "/state.lock", patience: waits ? Self.patience : .zero)
    }

    // MARK: Delivery

    /// The right to upload, which one process has at a time; `nil` while another has it.
    package func lockForUpload() throws(FileError) -> (any FileLock)? {
        try files.lock(path + "/lock")
    }

    /// The books of all runs together, as last written, and how many events they leave pending. Changes nothing.
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

    /// The folder's name for an app id: letters, digits, `-`, `_` and dots inside as they are, every other byte as `%XX`.
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
                name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        guard !name.isEmpty else { return "%" }
        guard name.utf8.count > 200 else { return name }
        // File systems stop at 255 bytes. The checksum keeps two long names apart.
        let checksum = Array(name.utf8).withUnsafeBytes { Checksum.crc32c($0) }
        return String(name.prefix(190)) + "%" + String(checksum, radix: 16)
    }
}
