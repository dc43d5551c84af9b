import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import Glibc

/// The exit statuses of all commands, with numbers of `sysexits.h` where possible.
enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    /// An expectation failed, or findings exist.
    case findings = 1
    case usage = 64
    /// A bad script, or bad data.
    case badData = 65
    case inputMissing = 66
    /// No server responds, or this build lacks the command.
    case serverUnavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    /// Try again later: events are kept.
    case temporaryFailure = 75
    case noPermission = 77
    case configuration = 78
    /// The expectations could not be checked, or the archive and the store not be closed, before the end of a stop.
    case unfinished = 79
    /// Time ran out first.
    case deadline = 124
    /// Ended by SIGHUP: the terminal is gone.
    case hungUp = 129
    case interrupted = 130
    /// Standard output was closed by its reader: 128 plus the number of SIGPIPE.
    case readerLeft = 141
    case terminated = 143

    /// The status of a store that cannot be used.
    init(_ error: StoreError) {
        switch error {
        case .foreignFolder, .notFolder, .laterVersion: self = .cannotCreate
        case .notWritable: self = .noPermission
        case .failed(let error): self = ExitStatus(error)
        }
    }

    /// The status of a disk error.
    init(_ error: FileError) {
        switch error.errno {
        case EACCES, EPERM, EROFS: self = .noPermission
        case ENOTDIR, EEXIST, ENAMETOOLONG, ELOOP: self = .cannotCreate
        case ENOENT where error.operation == .createFolder || error.operation == .open: self = .cannotCreate
        default: self = .inputOutput
        }
    }

    /// The status of a collector that cannot be used.
    init(_ error: CollectorError) {
        switch error {
        case .listeningForbidden: self = .noPermission
        case .storeUnusable(let path, _) where Self.isForbidden(path): self = .noPermission
        case .portInUse, .cannotListen, .unknownHost, .stopped: self = .serverUnavailable
        case .noTemporaryFolder(let folder, _) where access(folder, F_OK) == 0 && Self.isForbidden(folder):
            self = .noPermission
        case .noTemporaryFolder, .storeUnusable, .storeForeign, .storeTooNew, .storeAltered, .archiveUnusable,
            .storeArchived:
            self = .cannotCreate
        // Every setting of the collector is an option.
        case .invalidConfiguration: self = .usage
        case .storeDamaged, .storeTooOld: self = .badData
        case .unreadable, .storeGone: self = .inputOutput
        }
    }

    /// True if permissions prevent writing a file or creating it in its folder.
    static func isForbidden(_ path: String) -> Bool {
        if access(path, W_OK) == 0 { return false }
        if errno == ENOENT {
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            if access(folder, W_OK | X_OK) == 0 { return false }
        }
        return errno == EACCES || errno == EPERM || errno == EROFS
    }
}

/// A failure that ends the command: a one-line message and the exit status.
struct CommandFailure: Error {
    var status: ExitStatus
    /// Cause and advice; empty if the message has been written already.
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: StoreError) {
        // Folders cannot be created there, as below /proc.
        if case .failed(let reason) = error, reason.operation == .createFolder, reason.errno == ENOENT {
            self.init(ExitStatus(error), "cannot create \(reason.path) here; choose another --storage")
        } else {
            self.init(ExitStatus(error), "\(error)")
        }
    }

    init(_ error: CollectorError) {
        self.init(ExitStatus(error), "\(error)")
    }

    /// Converts an error of the command, the store, the disk or the collector; `nil` for any other error.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError: self.init(error)
        case let error as FileError: self.init(ExitStatus(error), "\(error)")
        case let error as CollectorError: self.init(error)
        default: return nil
        }
    }

    /// Refuses an existing file without read permission; a missing file is reported by the caller.
    static func refuseForbidden(reading path: String) throws(CommandFailure) {
        guard access(path, R_OK) != 0, errno == EACCES else { return }
        throw CommandFailure(.noPermission, "cannot read \(path): permission denied; check its permissions")
    }

    /// Prints the message, and returns the exit code for the argument parser.
    func report() -> ExitCode {
        if !message.isEmpty { Console.fail("\(message)") }
        return ExitCode(status.rawValue)
    }
}
