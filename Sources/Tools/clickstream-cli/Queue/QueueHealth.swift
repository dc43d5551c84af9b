import ArgumentParser
import ClickstreamCore
import ClickstreamStores
import Glibc

/// `queue verify`: checks every record, and changes nothing.
struct QueueVerifyCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks the whole store for damage; exits with 1 if it finds any."
    )

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let check = try store.check()
        var list = ResultList(format)
        for finding in check.findings { try list.add(finding.message, or: finding.members) }
        try list.end()
        if format == .human {
            let summary = check.findings.isEmpty ? "no damage" : Plural.count(check.findings.count, "finding")
            try Console.print(
                "\(Plural.events(check.events)) in \(Plural.count(check.runs, "run folder")): \(summary)"
            )
        }
        return check.findings.isEmpty ? .done : .findings
    }
}

/// `queue repair`: makes a damaged store readable again.
struct QueueRepairCommand: QueueSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repairs a damaged store and keeps all readable events.",
        discussion: """
            Cuts off incomplete records, drops damaged records, and rebuilds damaged ledgers, dead letters and state from \
            what is readable. Skips run folders of running processes.
            """
    )

    @OptionGroup
    var options: QueueOptions

    func run(on store: StoreOfApp, _ format: OutputFormat) throws -> ExitStatus {
        let repair = try QueueRepair(of: store)
        try Console.print(repair.human, or: repair.members, as: format)
        let left = try store.check().findings
        guard !left.isEmpty else { return .done }
        for finding in left { Console.warn("\(finding.message)") }
        throw CommandFailure(
            .temporaryFailure,
            "\(Plural.count(left.count, "finding")) left in \(store.folder), which running processes or the next launch "
                + "repair; repair again when those processes have ended"
        )
    }
}

extension StoreOfApp {
    /// Checks every record. Takes no lock.
    func check() throws(CommandFailure) -> StoreCheck {
        let folder = try folderToRead()
        return try CommandFailure.of { () throws(StoreError) in
            try StoreCheck(LocalFileSystem(), folder) { SystemDependencies.block(milliseconds: 20) }
        }
    }
}

extension StoreFinding {
    var members: [JSONMember] {
        [
            .text("kind", kind.rawValue), .text("path", path),
            offset.map { .number("offset", $0) } ?? .text("offset", nil),
            .number("events", events), .text("message", message),
        ]
    }
}

/// Outcome of a repair.
struct QueueRepair {
    private var runs = 0
    private var damaged = 0
    private var tornBytes = 0
    private var missing = 0
    private var isStateRestored = false
    private var areLettersRestored = false
    private let path: String

    init(of store: StoreOfApp) throws {
        path = store.folder
        guard try store.exists() else { throw CommandFailure(.inputMissing, store.missing) }
        let files = LocalFileSystem()
        // Opening the folder replaces a damaged marker file.
        let folder = try StoreFolder(files, root: store.root, appID: store.configuration.appID)
        for queue in [folder] + (try folder.formats().map { folder.folder(existing: $0) }) {
            for run in try queue.adoptable() {
                try repair(run, files)
                run.lock.unlock()
            }
            try restoreDeadLetters(of: queue)
        }
        try restoreState(of: folder)
    }

    private mutating func repair(_ run: StoreFolder.Run, _ files: LocalFileSystem) throws {
        runs += 1
        var (folder, report) = try RunFolder.open(files, path: run.path, lock: run.lock)
        damaged += try folder.dropDamaged()
        tornBytes += report.tornBytes
        missing += report.missingEvents
        for note in report.notes { Console.warn("\(note)") }
    }

    private mutating func restoreDeadLetters(of folder: StoreFolder) throws {
        let letters = folder.deadLetters
        let (unreadable, report) = try letters.damage()
        guard unreadable > 0 || report != nil else { return }
        try letters.repair()
        areLettersRestored = true
        if let report { Console.warn("\(report)") }
    }

    private mutating func restoreState(of folder: StoreFolder) throws {
        let damage = try SharedState.repair(folder)
        isStateRestored = !damage.isEmpty
        for report in damage { Console.warn(report) }
    }

    var members: [JSONMember] {
        [
            .number("runs", runs), .number("damaged", damaged), .number("torn_bytes", tornBytes),
            .number("missing", missing), JSONMember("state_restored", .boolean(isStateRestored)),
            JSONMember("dead_letters_restored", .boolean(areLettersRestored)),
        ]
    }

    var human: String {
        var parts = [
            "\(Plural.count(damaged, "damaged record")) dropped", "\(Plural.count(tornBytes, "byte")) cut off",
            "\(Plural.events(missing)) missing",
        ]
        if areLettersRestored { parts.append("dead letters rebuilt from what is readable") }
        if isStateRestored { parts.append("state and known users rebuilt from what is readable") }
        return "\(path): \(Plural.count(runs, "run folder")) checked, \(parts.joined(separator: ", "))"
    }
}
