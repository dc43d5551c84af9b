/// List of what a withdrawal of consent has still to remove from a store, by path in the app's folder.
///
/// Stored as ``StoredState/withdrawn``. An earlier version of the library lists run folders alone, and takes each other entry
/// for a folder that does not exist.
struct WithdrawalList: Sendable, Equatable {
    /// Run folders to be emptied: `runs/1`, `runs-FORMAT/1`.
    var runs: [String] = []
    /// Files to be removed: `dead`, `runs-FORMAT/dead.old`, `crash.2`. `nil` in a list of an earlier version, for all of them.
    var files: [String]? = []
    /// True if the content of the store could not be listed, since the disk failed or the store is in memory. It is listed
    /// when the store is on the disk and can be read.
    var isEverything = false

    /// Entry for ``isEverything``.
    private static let everything = "*"
    /// Entry of each list with ``files``.
    private static let filesMark = "files"
    /// Beginning of the entry of a file.
    private static let filePrefix = "file:"

    init() {}

    init(entries: [String]) {
        isEverything = entries.contains(Self.everything)
        let named = entries.filter { $0.hasPrefix(Self.filePrefix) }.map { String($0.dropFirst(Self.filePrefix.count)) }
        files = entries.isEmpty || entries.contains(Self.filesMark) ? named : nil
        runs = entries.filter {
            $0 != Self.everything && $0 != Self.filesMark && !$0.hasPrefix(Self.filePrefix)
        }
    }

    /// True for the list of an erasure, which has at least one file of known users.
    var isErasure: Bool { files?.contains(where: UserLog.isName) == true }

    var isEmpty: Bool { runs.isEmpty && files?.isEmpty != false && !isEverything }

    var entries: [String] {
        guard !isEmpty else { return [] }
        let named = files.map { [Self.filesMark] + $0.map { Self.filePrefix + $0 } } ?? []
        return (isEverything ? [Self.everything] : []) + runs + named
    }

    /// Returns true if a file is to be removed.
    func covers(_ file: String) -> Bool {
        guard !isEmpty else { return false }
        guard let files, !isEverything else { return true }
        return files.contains(file) || runs.contains { file.hasPrefix($0 + "/") }
    }

    /// Adds what another list contains.
    mutating func formUnion(_ other: WithdrawalList) {
        runs += other.runs.filter { !runs.contains($0) }
        files = (files ?? []) + (other.files ?? []).filter { files?.contains($0) != true }
        isEverything = isEverything || other.isEverything
    }
}

extension StoreFolder {
    /// Returns everything that a withdrawal removes: the run folders and the dead letters of all formats, and the crash files
    /// that the app recorded. The crash files of a process are in its run folder.
    func withdrawalList() throws(FileError) -> WithdrawalList {
        let names = try files.names(in: path)
        var list = WithdrawalList()
        list.runs = try runs().map { "runs/\($0)" }
        var found = Self.deadLetterNames
        for name in names {
            guard let format = Self.format(ofRuns: name) else { continue }
            list.runs += try folder(existing: format).runs().map { "\(name)/\($0)" }
            found += Self.deadLetterNames.map { "\(name)/\($0)" }
        }
        list.files = found + names.filter(Self.isTraces)
        return list
    }

    /// The names of the file of the dead letters and of its predecessor.
    static let deadLetterNames = ["dead", "dead.old"]
}
