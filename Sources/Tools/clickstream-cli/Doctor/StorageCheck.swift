import ClickstreamCore
import ClickstreamJudges
import ClickstreamStores
import Foundation
import Glibc

/// Checks of the storage folder: permissions, disk space, damage, and the processes that use it. Changes and locks
/// nothing.
struct StorageCheck {
    private(set) var findings: [DoctorFinding] = []
    private let store: StoreOfApp

    init(_ store: StoreOfApp) {
        self.store = store
        checkFolder()
        checkSpace()
        let exists: Bool
        do {
            exists = try store.exists()
        } catch {
            // The earlier checks usually report why the folder cannot be inspected.
            guard !findings.contains(where: { $0.level == .problem }) else { return }
            report(
                .problem,
                .store,
                error.message,
                at: store.folder,
                why: "events cannot be recorded there, and those in it are not sent",
                next:
                    "move it away, restore what is missing, or choose another folder with --storage or storageDirectory"
            )
            return
        }
        guard exists else {
            let others = store.neighbours
            report(
                .ok,
                .store,
                "no store of app \(store.configuration.appID) yet"
                    + (others.isEmpty ? "" : "; found stores of \(others.joined(separator: ", "))"),
                at: store.folder
            )
            return
        }
        checkStore()
        checkLocks()
    }

    private mutating func report(
        _ level: DoctorFinding.Level,
        _ area: DoctorFinding.Area,
        _ what: String,
        at location: String? = nil,
        why: String? = nil,
        next: String? = nil
    ) {
        findings.append(DoctorFinding(level, area, what, at: location, why: why, next: next))
    }

    // MARK: - The folder

    /// The storage folder, or its nearest existing parent.
    private var nearestFolder: String {
        var path = store.root[...]
        while !FileManager.default.fileExists(atPath: String(path)) {
            guard let slash = path.lastIndex(of: "/") else { return "." }
            path = path[..<slash]
            if path.isEmpty { return "/" }
        }
        return String(path)
    }

    private mutating func checkFolder() {
        if store.rootIsStore {
            report(
                .problem,
                .storage,
                "\(store.root) is the store of one app",
                at: store.root,
                why: "a store inside a store is not allowed",
                next: "name its parent folder"
            )
            return
        }
        let isStore: Bool
        do {
            isStore = try store.exists()
        } catch {
            // A folder that may not be entered exists; the next check reports it.
            isStore = error.status == .noPermission
        }
        let folder = isStore ? store.folder : nearestFolder
        var status = stat()
        guard stat(folder, &status) == 0 else {
            report(
                .problem,
                .storage,
                "cannot inspect \(folder): \(String(cString: strerror(errno)))",
                at: folder,
                why: "events cannot be recorded there",
                next: "check its permissions, or choose another folder with --storage or storageDirectory"
            )
            return
        }
        checkAccess(to: folder, status)
        if isStore, status.st_mode & 0o077 != 0 {
            report(
                .warning,
                .storage,
                "other users can read \(folder) (mode \(String(status.st_mode & 0o777, radix: 8)))",
                at: folder,
                why: "events may contain private data",
                next: "chmod 700 \(folder)"
            )
        }
    }

    private mutating func checkAccess(to folder: String, _ status: stat) {
        guard status.st_mode & S_IFMT == S_IFDIR else {
            report(
                .problem,
                .storage,
                "\(folder) is not a folder",
                at: folder,
                why: "stores are kept in a folder",
                next: "choose another with --storage or storageDirectory"
            )
            return
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            let reason = errno
            report(
                .problem,
                .storage,
                "cannot write to \(folder): \(String(cString: strerror(reason)))",
                at: folder,
                why: "user \(geteuid()) cannot record events there",
                next: reason == EROFS
                    ? "choose a folder on a writable disk with --storage or storageDirectory"
                    : "change its owner (now user \(status.st_uid)), or choose another folder"
            )
            return
        }
        let exists = folder == store.folder || folder == store.root
        report(
            .ok,
            .storage,
            exists ? "\(folder) is writable" : "\(store.root) can be created in \(folder)",
            at: folder
        )
    }

    private mutating func checkSpace() {
        var status = statvfs()
        guard statvfs(nearestFolder, &status) == 0 else { return }
        let free = Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        let wanted = store.configuration.maxStoreBytes
        let location = nearestFolder
        if free < 1_048_576 {
            report(
                .problem,
                .storage,
                "the disk of \(location) is full: \(free) bytes free",
                at: location,
                why: "events that cannot be stored are lost",
                next: "free disk space, or choose another folder with --storage or storageDirectory"
            )
        } else if free < wanted {
            report(
                .warning,
                .storage,
                "\(free) bytes are free on the disk of \(location)",
                at: location,
                why: "the store may grow to \(wanted) bytes",
                next: "free disk space, or lower maxStoreBytes"
            )
        } else {
            report(.ok, .storage, "\(free / 1_048_576) MiB free", at: location)
        }
        if status.f_files > 0, status.f_favail < 100 {
            report(
                .problem,
                .storage,
                "only \(Plural.count(Int(status.f_favail), "more file")) can be created on the disk of \(location)",
                at: location,
                why: "each run and each segment is a file",
                next: "remove files there, or choose another folder"
            )
        }
    }

    // MARK: - The store

    private mutating func checkStore() {
        let folder = store.folder
        do {
            let check = try store.check()
            for finding in check.findings {
                report(
                    .problem,
                    .store,
                    finding.message,
                    at: finding.path,
                    why: finding.events > 0 ? "\(Plural.events(finding.events)) lost" : nil,
                    next: "clickstream-cli queue repair --app-id \(store.configuration.appID)"
                )
            }
            if check.findings.isEmpty {
                report(
                    .ok,
                    .store,
                    "\(Plural.events(check.events, "pending")) in \(Plural.count(check.runs, "run folder")), no damage",
                    at: folder
                )
            }
            try checkQueues()
        } catch {
            report(
                .problem,
                .store,
                "cannot read the store: \(error.message)",
                at: folder,
                why: "events cannot be recorded there",
                next: "update this program and the app if the store is of a later version, else check its permissions; "
                    + "'clickstream-cli queue verify' shows details"
            )
        }
    }

    /// Reports the dead letters of each queue, and the pending events of the queues of other formats.
    private mutating func checkQueues() throws(CommandFailure) {
        for form in CapturedFormat.allCases {
            var queue = store
            queue.form = form
            let option = form == .clickstream ? "" : " --form \(form.rawValue)"
            let suffix = form == .clickstream ? "" : " in the queue \(form.rawValue)"
            guard let pending = store.pendingEvents(of: form), try queue.hasQueue() else { continue }
            if form != .clickstream {
                report(
                    .ok,
                    .store,
                    "\(Plural.events(pending, "pending"))\(suffix)",
                    at: store.folder
                )
            }
            let misdated = Self.misdatedEvents(in: queue)
            if misdated > 0 {
                report(
                    .warning,
                    .store,
                    "\(Plural.events(misdated, "pending")) of before 2000\(suffix)",
                    at: store.folder,
                    why: "the clock was not set when they were recorded; servers drop them, or store them in 1970",
                    next: "set the clock before the app starts, such as by a unit after time-sync.target; "
                        + "'clickstream-cli queue ls --app-id \(store.configuration.appID)\(option)' lists them"
                )
            }
            let dead = try queue.deadLetters().count
            if dead > 0 {
                report(
                    .warning,
                    .store,
                    "\(Plural.count(dead, "dead letter"))\(suffix)",
                    at: store.folder,
                    why: "the server rejected them permanently",
                    next: "clickstream-cli queue dead ls --app-id \(store.configuration.appID)\(option)"
                )
            }
        }
    }

    /// The number of pending events with a time of before 2000, up to the first event that cannot be read: damage is reported
    /// already.
    private static func misdatedEvents(in queue: StoreOfApp) -> Int {
        let limit = Timestamp(CivilTime(year: 2000, month: 1, day: 1))
        var count = 0
        do {
            try queue.eachPendingEvent { event in
                if event.timestamp < limit { count += 1 }
            }
        } catch {
            return count
        }
        return count
    }

    private mutating func checkLocks() {
        guard let held = SystemLocks() else {
            report(.skipped, .locks, "this system does not report the holders of locks")
            return
        }
        var files = [("the delivery lock", "lock"), ("the state lock", "state.lock")]
        // A folder that cannot be listed has been reported already.
        let folders = ((try? LocalFileSystem().names(in: store.folder)) ?? []).filter { $0.hasPrefix("runs-") }.sorted()
        files += folders.map { ("the delivery lock of \($0.dropFirst(5))", "\($0)/lock") }
        for folder in ["runs"] + folders {
            let kind = folder == "runs" ? "" : " of \(folder.dropFirst(5))"
            let runs = ((try? LocalFileSystem().names(in: "\(store.folder)/\(folder)")) ?? []).filter { $0 != "lock" }
            files += runs.map { ("the lock of run \($0)\(kind)", "\(folder)/\($0)/lock") }
        }
        var isFree = true
        for (what, name) in files {
            let path = "\(store.folder)/\(name)"
            for holder in held.holders(of: path) {
                isFree = false
                let isStopped = holder.state == "T" || holder.state == "t"
                report(
                    isStopped ? .warning : .ok,
                    .locks,
                    "\(what) is held by process \(holder.process) (\(holder.command))"
                        + (isStopped ? ", which is stopped" : ""),
                    at: path,
                    why: isStopped ? "other processes wait for the lock, or skip its events" : nil,
                    next: isStopped ? "kill -CONT \(holder.process), or end it" : nil
                )
            }
        }
        if isFree { findings.append(DoctorFinding(.ok, .locks, "no process uses the store", at: store.folder)) }
    }
}

/// Holders of `flock` locks as listed in `/proc/locks`. Takes no lock.
struct SystemLocks {
    struct Holder: Sendable, Hashable {
        var process: Int
        /// The program's name.
        var command: String
        /// The state's letter: `T` is stopped.
        var state: Character
    }

    /// Processes by the file's inode.
    private var holders: [UInt64: [Int]] = [:]

    /// - Returns: `nil` if the system does not list locks.
    init?() {
        // A file in /proc has no size: it is read to its end.
        guard let file = FileHandle(forReadingAtPath: "/proc/locks"), let bytes = try? file.readToEnd() else {
            return nil
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // 1: FLOCK  ADVISORY  WRITE 1234 08:02:567890 0 EOF; one that waits has -> before its kind.
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int(fields[4]), process > 0,
                let inode = fields[5].split(separator: ":").last.flatMap({ UInt64($0) })
            else { continue }
            holders[inode, default: []].append(process)
        }
    }

    func holders(of path: String) -> [Holder] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return (holders[UInt64(status.st_ino)] ?? []).map { process in
            // Unreadable for processes of other users.
            let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let command = text.split(separator: "(", maxSplits: 1).last?.split(separator: ")").first.map(String.init)
            let state = text.split(separator: ")").last?.first { $0 != " " }
            return Holder(process: process, command: command ?? "unknown", state: state ?? "?")
        }
    }
}
