#if Tools
import ClickstreamCore
import ClickstreamTools
import Foundation
import Glibc

/// The folder of the stores: whether it can be written, has room, is healthy, and who uses it. Changes and locks nothing.
struct StorageCheck {
    private(set) var findings: [DoctorFinding] = []
    private let store: StoreOfApp

    init(_ store: StoreOfApp) {
        self.store = store
        lookAtFolder()
        lookAtSpace()
        let isThere: Bool
        do {
            isThere = try store.exists()
        } catch {
            // Why it cannot be looked into is mostly found above.
            guard !findings.contains(where: { $0.level == .problem }) else { return }
            findings.append(
                DoctorFinding(
                    .problem,
                    .store,
                    error.message,
                    at: store.folder,
                    why: "nothing can be recorded there, and what it may hold is not sent",
                    next: "move it away, put back what is missing, or name another with --storage or storageDirectory"
                )
            )
            return
        }
        guard isThere else {
            let others = store.neighbours
            findings.append(
                DoctorFinding(
                    .ok,
                    .store,
                    "there is no store of \(store.configuration.appID) yet"
                        + (others.isEmpty ? "" : "; there are those of \(others.joined(separator: ", "))"),
                    at: store.folder
                )
            )
            return
        }
        lookAtStore()
        lookAtLocks()
    }

    // MARK: - The folder

    /// The folder, or the nearest one above it that is there.
    private var nearest: String {
        var path = store.root[...]
        while !FileManager.default.fileExists(atPath: String(path)) {
            guard let slash = path.lastIndex(of: "/") else { return "." }
            path = path[..<slash]
            if path.isEmpty { return "/" }
        }
        return String(path)
    }

    private mutating func lookAtFolder() {
        if store.rootIsStore {
            findings.append(
                DoctorFinding(
                    .problem,
                    .storage,
                    "\(store.root) is the store of one app",
                    at: store.root,
                    why: "a store inside a store is refused",
                    next: "name the folder that holds it"
                )
            )
            return
        }
        let isStore: Bool
        do {
            isStore = try store.exists()
        } catch {
            // What may not be entered is there: looking at it says so.
            isStore = error.status == .noPermission
        }
        let folder = isStore ? store.folder : nearest
        var status = stat()
        guard stat(folder, &status) == 0 else {
            findings.append(
                DoctorFinding(
                    .problem,
                    .storage,
                    "\(folder) cannot be looked at: \(String(cString: strerror(errno)))",
                    at: folder,
                    why: "nothing can be recorded there",
                    next: "check its permissions, or name another with --storage or storageDirectory"
                )
            )
            return
        }
        if status.st_mode & S_IFMT != S_IFDIR {
            findings.append(
                DoctorFinding(
                    .problem,
                    .storage,
                    "\(folder) is no folder",
                    at: folder,
                    why: "stores are kept in a folder",
                    next: "name another with --storage or storageDirectory"
                )
            )
        } else if access(folder, W_OK | X_OK) != 0 {
            let reason = errno
            findings.append(
                DoctorFinding(
                    .problem,
                    .storage,
                    "\(folder) cannot be written: \(String(cString: strerror(reason)))",
                    at: folder,
                    why: "nothing can be recorded there by user \(geteuid())",
                    next: reason == EROFS
                        ? "name a folder on a disk that can be written, with --storage or storageDirectory"
                        : "give that user the folder (it belongs to user \(status.st_uid)), or name another"
                )
            )
        } else {
            let isThere = folder == store.folder || folder == store.root
            findings.append(
                DoctorFinding(
                    .ok,
                    .storage,
                    isThere ? "\(folder) can be written" : "\(store.root) can be made in \(folder)",
                    at: folder
                )
            )
        }
        if isStore, status.st_mode & 0o077 != 0 {
            findings.append(
                DoctorFinding(
                    .warning,
                    .storage,
                    "other users can look into \(folder) (mode \(String(status.st_mode & 0o777, radix: 8)))",
                    at: folder,
                    why: "events may hold what is nobody's business",
                    next: "chmod 700 \(folder)"
                )
            )
        }
    }

    private mutating func lookAtSpace() {
        var status = statvfs()
        guard statvfs(nearest, &status) == 0 else { return }
        let free = Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        let wanted = store.configuration.maxStoreBytes
        let place = nearest
        if free < 1_048_576 {
            findings.append(
                DoctorFinding(
                    .problem,
                    .storage,
                    "the disk of \(place) is full: \(free) bytes are free",
                    at: place,
                    why: "events that cannot be stored are lost",
                    next: "make room, or name another folder with --storage or storageDirectory"
                )
            )
        } else if free < wanted {
            findings.append(
                DoctorFinding(
                    .warning,
                    .storage,
                    "\(free) bytes are free on the disk of \(place)",
                    at: place,
                    why: "the store may grow to \(wanted) bytes",
                    next: "make room, or lower maxStoreBytes"
                )
            )
        } else {
            findings.append(DoctorFinding(.ok, .storage, "\(free / 1_048_576) MiB are free", at: place))
        }
        if status.f_files > 0, status.f_favail < 100 {
            findings.append(
                DoctorFinding(
                    .problem,
                    .storage,
                    "the disk of \(place) takes only \(status.f_favail) more files",
                    at: place,
                    why: "each run and each segment is a file",
                    next: "remove files there, or name another folder"
                )
            )
        }
    }

    // MARK: - The store

    private mutating func lookAtStore() {
        let folder = store.folder
        do {
            let check = try store.check()
            for finding in check.findings {
                findings.append(
                    DoctorFinding(
                        .problem,
                        .store,
                        finding.message,
                        at: finding.path,
                        why: finding.events > 0 ? "\(finding.events) events are lost by it" : nil,
                        next: "clickstream-cli queue repair --app-id \(store.configuration.appID)"
                    )
                )
            }
            if check.findings.isEmpty {
                findings.append(
                    DoctorFinding(
                        .ok,
                        .store,
                        "\(check.events) events wait in \(check.runs) run folders, all whole",
                        at: folder
                    )
                )
            }
            let dead = try store.deadLetters().count
            if dead > 0 {
                findings.append(
                    DoctorFinding(
                        .warning,
                        .store,
                        "\(dead) events are put aside",
                        at: folder,
                        why: "the server refused them for good",
                        next: "clickstream-cli queue dead ls --app-id \(store.configuration.appID)"
                    )
                )
            }
        } catch {
            findings.append(
                DoctorFinding(
                    .problem,
                    .store,
                    "the store cannot be read: \(error.message)",
                    at: folder,
                    why: "nothing can be recorded there",
                    next: "check its permissions; 'clickstream-cli queue verify' says more"
                )
            )
        }
    }

    private mutating func lookAtLocks() {
        guard let held = SystemLocks() else {
            findings.append(DoctorFinding(.skipped, .locks, "this system does not say who holds a lock"))
            return
        }
        var files = [("the right to deliver", "lock"), ("the state", "state.lock")]
        // A folder that cannot be listed was told of already.
        let runs = (try? LocalFileSystem().names(in: store.folder + "/runs")) ?? []
        files += runs.map { ("run \($0)", "runs/\($0)/lock") }
        var isFree = true
        for (what, name) in files {
            let path = "\(store.folder)/\(name)"
            for holder in held.holders(of: path) {
                isFree = false
                let isStopped = holder.state == "T" || holder.state == "t"
                findings.append(
                    DoctorFinding(
                        isStopped ? .warning : .ok,
                        .locks,
                        "\(what) is held by process \(holder.process) (\(holder.command))"
                            + (isStopped ? ", which is stopped" : ""),
                        at: path,
                        why: isStopped ? "others wait for it, or leave its events alone" : nil,
                        next: isStopped ? "kill -CONT \(holder.process), or end it" : nil
                    )
                )
            }
        }
        if isFree { findings.append(DoctorFinding(.ok, .locks, "no process uses the store", at: store.folder)) }
    }
}

/// Who holds which `flock`, as the system tells it (`/proc/locks`). Looking takes no lock.
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

    /// - Returns: `nil` where the system does not tell.
    init?() {
        // It has no length to read by: it is read to its end.
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
            // A process of another user may keep these to itself.
            let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let command = text.split(separator: "(", maxSplits: 1).last?.split(separator: ")").first.map(String.init)
            let state = text.split(separator: ")").last?.first { $0 != " " }
            return Holder(process: process, command: command ?? "unknown", state: state ?? "?")
        }
    }
}
#endif
