import ClickstreamCore
import Glibc

/// Folder of an archive: `year=…/month=…/day=…/hour=…/….log.gz`.
enum ArchiveFolder {
    /// Folders of an archive, from the outermost to the innermost.
    private static let levels = ["year=", "month=", "day=", "hour="]

    /// Returns a file, or the closed files of an archive or of a folder in it, in the order of their names, which is that of time.
    /// - Throws: ``CommandFailure`` for a file that cannot be read, and for a folder without files of an archive.
    static func files(at path: String) throws(CommandFailure) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw InputFile.failure(of: path, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            try CommandFailure.refuseForbidden(reading: path)
            return [path]
        }
        let files = try files(in: path, levels[...])
        guard files.isEmpty else { return files }
        throw CommandFailure(
            .inputMissing,
            "cannot read \(path): it is a folder without the files of an archive "
                + "(year=…/month=…/day=…/hour=…/….log.gz); name a file, or the folder of an --archive"
        )
    }

    private static func files(in folder: String, _ levels: ArraySlice<String>) throws(CommandFailure) -> [String] {
        let names: [String]
        do throws(FileError) {
            names = try LocalFileSystem().names(in: folder).sorted()
        } catch {
            throw CommandFailure(ExitStatus(error), "\(error)")
        }
        var files: [String] = []
        for name in names {
            if let level = levels.firstIndex(where: { name.hasPrefix($0) }) {
                files += try Self.files(in: "\(folder)/\(name)", levels[(level + 1)...])
            } else if name.hasSuffix(".gz"), !name.hasPrefix("_"), !name.hasPrefix(".") {
                files.append("\(folder)/\(name)")
            }
        }
        return files
    }
}
