/// Crash that is not recorded yet, with its file.
package struct StoredCrash: Sendable, Equatable {
    package var path: String
    package var report: CrashReport
    /// The number of the run whose process crashed; `nil` for a crash reported by the app.
    package var run: Int?
}

/// Files of crashes that the next launch records: those of processes in their run folders, those reported by the app in the app's
/// folder.
struct CrashFiles: Sendable {
    private let folder: StoreFolder
    /// The numbers of this process's run folder and of the adopted ones.
    private let runs: [Int]

    /// The maximum size in bytes of a crash report made by the app itself.
    private static let maxReportBytes = 4_194_304

    init(_ folder: StoreFolder, runs: [Int]) {
        self.folder = folder
        self.runs = runs
    }

    /// Returns a path for the crash file of a process.
    func newPath(ofRun run: Int) throws(FileError) -> String {
        try folder.newTraces(in: folder.path(ofRun: run))
    }

    /// Stores a crash reported by the app.
    func write(_ report: CrashReport) throws(FileError) {
        // If the folder cannot be listed, a name with the timestamp avoids overwriting an earlier report.
        let path = (try? folder.newTraces(in: folder.path)) ?? "\(folder.path)/crash.\(report.timestamp.milliseconds)"
        try folder.files.replace(path, with: report.bytes, durably: true)
    }

    /// Removes the file of a recorded crash. A file that cannot be removed is overwritten, so that no later launch
    /// records it again.
    func remove(_ crash: StoredCrash) throws(FileError) {
        do {
            try folder.files.remove(crash.path)
        } catch {
            do {
                try folder.files.replace(crash.path, with: CrashReport.recorded, durably: false)
            } catch _ {
                // The error of the removal is more informative than that of the overwriting.
                throw error
            }
        }
    }

    /// Returns the crashes left for this launch, oldest first. Damaged files are reported and removed; files that are
    /// currently unreadable remain for a later launch.
    /// - Parameters:
    ///   - capture: decodes crash files; without it they remain for a later launch.
    ///   - withdrawn: covers files that are to be removed for lack of consent.
    ///   - notices: receives problems to report.
    func crashes(
        _ capture: (any CrashCapture)?,
        except withdrawn: WithdrawalList,
        notices: inout [Notice]
    ) -> [StoredCrash] {
        var found: [StoredCrash] = []
        for path in paths(in: folder.path, except: withdrawn, notices: &notices) {
            noting(&notices) { notices throws(FileError) in
                guard let bytes = try folder.files.contents(of: path, limit: Self.maxReportBytes) else { return }
                if let report = CrashReport(bytes: bytes) {
                    found.append(StoredCrash(path: path, report: report))
                } else {
                    if bytes != CrashReport.recorded { notices.append(Self.damage(of: "\(path) is damaged")) }
                    try folder.files.remove(path)
                }
            }
        }
        guard let capture else { return found }
        for run in runs {
            for path in paths(in: folder.path(ofRun: run), except: withdrawn, notices: &notices) {
                noting(&notices) { notices throws(FileError) in
                    switch try capture.traces(at: path) {
                    case .crash(let report):
                        found.append(StoredCrash(path: path, report: report, run: run))
                    case .unreadable(let reason):
                        notices.append(Self.damage(of: "\(path): \(reason)"))
                        try folder.files.remove(path)
                    case .none:
                        try folder.files.remove(path)
                    }
                }
            }
        }
        return found.orderedByNumber { $0.report.timestamp.milliseconds }
    }

    /// Returns the paths of the crash files in a folder.
    private func paths(in parent: String, except withdrawn: WithdrawalList, notices: inout [Notice]) -> [String] {
        var paths: [String] = []
        noting(&notices) { _ throws(FileError) in
            let root = folder.path + "/"
            paths = try folder.traces(in: parent).filter { !withdrawn.covers(String($0.dropFirst(root.count))) }
        }
        return paths
    }

    /// Runs `body`, and adds its error to the notices.
    private func noting(_ notices: inout [Notice], _ body: (inout [Notice]) throws(FileError) -> Void) {
        do throws(FileError) {
            try body(&notices)
        } catch {
            notices.append(.warning(.init(.crashFileFailed, "\(error)")))
        }
    }

    private static func damage(of file: String) -> Notice {
        .warning(.init(.crashFileFailed, "\(file): the crash it tells of is not recorded"))
    }
}
