/// The file that a crash of this process completes: watched by a ``CrashCapture``, and kept up to date with a draft of the
/// crash's event.
struct CrashDraftFile {
    /// `nil` if crashes cannot be recorded, or after the end.
    private var capture: (any CrashCapture)?
    private var isWatching = false
    /// Revision of the values that the draft was made of; `nil` before the first.
    private(set) var revision: Int?
    /// The latest messages of the process, which the file contains too.
    private(set) var breadcrumbs = Breadcrumbs()
    /// True if the latest breadcrumb could not be written.
    private var losesBreadcrumbs = false

    enum Use {
        /// A crash is to be recorded.
        case record
        /// A crash is not to be recorded: the draft is cleared.
        case clear
        /// The store is in memory, which a crash does not leave: the draft stays as it is.
        case none
    }

    init(_ capture: (any CrashCapture)?) {
        self.capture = capture
    }

    /// Replaces the draft.
    ///
    /// The first one begins the watch. Costs an event's encoding and one write.
    /// - Parameters:
    ///   - revision: of the values that the draft is made of.
    ///   - use: the draft's use now.
    ///   - path: a path for the file; called once, for the watch.
    ///   - draft: makes the draft.
    /// - Returns: a warning if the file cannot be made or written.
    mutating func keep(
        revision: Int,
        for use: Use,
        path: () throws(FileError) -> String,
        draft: () -> CrashDraft
    ) -> Notice? {
        self.revision = revision
        guard let capture, use != .none else { return nil }
        guard use == .record else {
            return isWatching ? capture.keep(nil).map { .warning(.init(.crashReportingFailed, "\($0)")) } : nil
        }
        if !isWatching {
            do throws(FileError) {
                try capture.watch(path())
                isWatching = true
                for breadcrumb in breadcrumbs.kept { losesBreadcrumbs = capture.keep(breadcrumb) != nil }
            } catch {
                self.capture = nil
                return .warning(.init(.crashReportingFailed, "crashes of this process will not be recorded: \(error)"))
            }
        }
        return capture.keep(draft()).map { .warning(.init(.crashReportingFailed, "\($0)")) }
    }

    /// Adds a message that a crash is recorded with. Costs a write of less than 512 bytes while crashes are watched for.
    /// - Returns: a warning if it cannot be written, once until a later one can.
    mutating func leave(_ message: String, at time: Timestamp) -> Notice? {
        let breadcrumb = breadcrumbs.add(message, at: time)
        guard isWatching, let capture else { return nil }
        let (failure, failedBefore) = (capture.keep(breadcrumb), losesBreadcrumbs)
        losesBreadcrumbs = failure != nil
        guard !failedBefore, let failure else { return nil }
        return .warning(.init(.crashReportingFailed, "breadcrumbs of a crash are lost: \(failure)"))
    }

    /// Ends the watch of a run folder that is left; the next draft begins another.
    mutating func move() {
        if isWatching { capture?.end() }
        isWatching = false
        revision = nil
    }

    /// Forgets the breadcrumbs, also those in the file; the next draft begins another watch.
    mutating func forget() {
        breadcrumbs = Breadcrumbs()
        move()
    }

    /// Ends the watch for good.
    /// - Returns: the capture, for another client of the process.
    @discardableResult
    mutating func end() -> (any CrashCapture)? {
        capture?.end()
        defer { capture = nil }
        return capture
    }
}
