/// Notices that the process crashes, and leaves traces for the next launch. Made real where the system is known.
///
/// One value serves one client. Its members are called under the client's lock and must not call back.
package protocol CrashCapture: Sendable {
    /// Watches from now on; the traces of a crash will stand in the file `path`, which is made.
    /// - Throws: the disk's reason, `EEXIST` for a file that is there; nothing is watched then.
    func watch(_ path: String) throws(FileError)

    /// Puts down what a crash from now on is to be recorded with; `nil` when it is not to be recorded.
    ///
    /// When this returns it survives the death of the process.
    /// - Returns: why it could not be put down; the one before then still stands, or none.
    func keep(_ draft: CrashDraft?) -> FileError?

    /// The process ends in order, or the client does: nothing is watched any more, and the file is removed.
    func end()

    /// What an earlier process left in the file `path`. The file is left as it is.
    func traces(at path: String) throws(FileError) -> CrashTraces
}

/// What a file that was made for a crash holds when its process is gone.
package enum CrashTraces: Sendable, Equatable {
    /// There was no crash, or none that was to be recorded.
    case none
    case crash(CrashReport)
    /// There was a crash, and why nothing can be recorded of it.
    case unreadable(String)
}
