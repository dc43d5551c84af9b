import ClickstreamCore
import Foundation
import Testing

@Suite("File errors")
struct FileErrorTests {
    @Test(
        "contain operation, path, cause and remedy",
        arguments: [
            (
                FileError(.append, "/store/00000001.events", errno: ENOSPC),
                "cannot append to /store/00000001.events: No space left on device (error 28); "
                    + "free some space on that disk; recording continues automatically"
            ),
            (
                FileError(.createFolder, "/store", errno: EACCES),
                "cannot create folder /store: Permission denied (error 13); "
                    + "check its owner and permissions, or choose another storage directory"
            ),
            (
                FileError(.measure, "/store", errno: ERANGE),
                "cannot look up /store: Numerical result out of range (error 34); see the system's log for more"
            ),
        ]
    )
    func describe(error: FileError, text: String) {
        #expect(error.description == text)
    }

    @Test(
        "have a remedy for the common errors",
        arguments: [
            ENOSPC, EDQUOT, EROFS, EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, ENOTEMPTY, EIO, EMFILE, ENFILE, ENAMETOOLONG,
            ELOOP, EFBIG, EXDEV, ENOLCK, ESTALE, EBADF,
        ]
    )
    func advise(errno: Int32) {
        #expect(FileError(.open, "/x", errno: errno).advice != "see the system's log for more")
    }
}
