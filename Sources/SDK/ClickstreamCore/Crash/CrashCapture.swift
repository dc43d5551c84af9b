/// Crash detection, which leaves a crash file for the next launch. Implemented per platform.
///
/// One value serves one client. Its members are called under the client's lock and must not call back.
package protocol CrashCapture: Sendable {
    /// Starts detection; a crash will be written to the file `path`, which is created now.
    /// - Throws: the disk's error, `EEXIST` for an existing file; detection is then not started.
    func watch(_ path: String) throws(FileError)

    /// Saves the draft with which a later crash is recorded; `nil` if it must not be recorded.
    ///
    /// On return the draft survives the death of the process.
    /// - Returns: the error if it could not be saved; the previous draft, if any, then remains in effect.
    func keep(_ draft: CrashDraft?) -> FileError?

    /// Saves a breadcrumb, which a later crash is recorded with; it replaces the oldest one beyond ``Breadcrumbs/maxCount``.
    ///
    /// On return the breadcrumb survives the death of the process.
    func keep(_ breadcrumb: Breadcrumb) -> FileError?

    /// Ends detection and removes the file, at the orderly end of the process or of the client.
    func end()

    /// Reads the crash file `path` of an earlier process. The file is unchanged.
    func traces(at path: String) throws(FileError) -> CrashTraces
}

/// Content of a crash file after the end of its process.
package enum CrashTraces: Sendable, Equatable {
    /// There was no crash, or none to be recorded.
    case none
    case crash(CrashReport)
    /// There was a crash that cannot be recorded, for the given reason.
    case unreadable(String)
}
