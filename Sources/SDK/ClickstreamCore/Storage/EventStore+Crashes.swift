/// Crashes of earlier processes, left for the next launch.
extension EventStore {
    /// Crash that is not recorded yet, with its file.
    package struct StoredCrash: Sendable, Equatable {
        package var path: String
        package var report: CrashReport
        /// The number of the run whose process crashed; `nil` for a crash reported by the app.
        package var run: Int?
    }

    /// Returns a path for the crash file of this process.
    package func newTraces() throws(FileError) -> String { try folder.newTraces(in: folder.path(ofRun: run)) }

    /// The maximum size in bytes of a crash report made by the app itself.
    private static let mostCrashBytes = 4_194_304

    /// Returns the crashes left for this launch, oldest first. Damaged files are reported and removed; files that are
    /// currently unreadable remain for a later launch.
    /// - Parameter capture: decodes crash files; without it they remain for a later launch.
    package mutating func crashes(_ capture: (any CrashCapture)?) -> [StoredCrash] {
        var found: [StoredCrash] = []
        for path in crashFiles(in: folder.path) {
            read(path) { store throws(FileError) in
                guard let bytes = try store.files.contents(of: path, limit: Self.mostCrashBytes) else { return }
                if let report = CrashReport(bytes: bytes) {
                    found.append(StoredCrash(path: path, report: report))
                } else {
                    if bytes != CrashReport.recorded { store.reportDamage(of: "\(path) is damaged") }
                    try store.files.remove(path)
                }
            }
        }
        guard let capture else { return found }
        for run in runs {
            for path in crashFiles(in: folder.path(ofRun: run)) {
                read(path) { store throws(FileError) in
                    switch try capture.traces(at: path) {
                    case .crash(let report):
                        found.append(StoredCrash(path: path, report: report, run: run))
                    case .unreadable(let reason):
                        store.reportDamage(of: "\(path): \(reason)")
                        try store.files.remove(path)
                    case .none:
                        try store.files.remove(path)
                    }
                }
            }
        }
        return found.orderedByNumber { $0.report.timestamp.milliseconds }
    }

    /// The crash files in a folder that no withdrawal of consent covers.
    private mutating func crashFiles(in folder: String) -> [String] {
        let withdrawn = WithdrawalList(entries: shared.current?.withdrawn ?? [])
        let root = self.folder.path + "/"
        do {
            return try self.folder.traces(in: folder).filter { !withdrawn.covers(String($0.dropFirst(root.count))) }
        } catch {
            findings.append(.warning("\(error)"))
            return []
        }
    }

    private mutating func read(_ path: String, _ body: (inout EventStore) throws(FileError) -> Void) {
        do throws(FileError) {
            try body(&self)
        } catch {
            findings.append(.warning("\(error)"))
        }
    }

    private mutating func reportDamage(of file: String) {
        findings.append(.warning("\(file): the crash it tells of is not recorded"))
    }

    package func write(_ report: CrashReport) throws(FileError) {
        guard isOpen else { return }
        // If the folder cannot be listed, a name with the timestamp avoids overwriting an earlier report.
        let path = (try? folder.newTraces(in: folder.path)) ?? "\(folder.path)/crash.\(report.timestamp.milliseconds)"
        try files.replace(path, with: report.bytes, durably: true)
    }

    /// Removes the file of a recorded crash. A file that cannot be removed is overwritten, so that no later launch
    /// records it again.
    package func remove(_ crash: StoredCrash) throws(FileError) {
        do {
            try files.remove(crash.path)
        } catch {
            do {
                try files.replace(crash.path, with: CrashReport.recorded, durably: false)
            } catch _ {
                // The error of the removal is more informative than that of the overwriting.
                throw error
            }
        }
    }
}
