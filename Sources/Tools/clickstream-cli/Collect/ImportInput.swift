#if Collector
import ArgumentParser
import ClickstreamCore
import Glibc

/// Files that one `--import` names.
struct ImportInput: Sendable, Hashable {
    /// Name in messages.
    let name: String
    /// Paths in the order in which they are read; `-` for standard input.
    let files: [String]

    /// Folders of an archive, from the outermost to the innermost.
    private static let levels = ["year=", "month=", "day=", "hour="]

    /// - Parameter path: a file, the folder of an archive or a folder in it, or `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
        name = InputFile.name(of: path)
        if path == "-" {
            files = [path]
            return
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw InputFile.failure(of: path, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            try CommandFailure.refuseForbidden(reading: path)
            files = [path]
            return
        }
        files = try Self.files(in: path, Self.levels[...])
        if files.isEmpty {
            throw CommandFailure(
                .inputMissing,
                "cannot import \(path): it is a folder without the files of an archive "
                    + "(year=…/month=…/day=…/hour=…/….log.gz); name a file, or the folder of an --archive"
            )
        }
    }

    /// The closed files of an archive in the order of their names, which is that of time.
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

    /// Checks the values of `--import`.
    /// - Parameters:
    ///   - archive: the value of `--archive`.
    ///   - plan: the value of `--plan`.
    static func validate(_ paths: [String], archive: String?, plan: String?) throws {
        if paths.contains("") { throw ValidationError("--import is empty; name a file, or - for standard input") }
        if (paths + [plan].compactMap { $0 }).filter({ $0 == "-" }).count > 1, paths.contains("-") {
            throw ValidationError("standard input can be read only once; name - once")
        }
        guard let archive, let folder = FileIdentity(at: archive) else { return }
        if paths.contains(where: { $0 != "-" && isWithin($0, folder) }) {
            throw ValidationError(
                "--import is the folder of --archive or within it, and each request would be there twice; use another folder "
                    + "for --archive"
            )
        }
    }

    /// True if a path, without symbolic links, is a folder or is within it.
    private static func isWithin(_ path: String, _ folder: FileIdentity) -> Bool {
        guard let resolved = realpath(path, nil) else { return false }
        defer { free(resolved) }
        var parents = String(cString: resolved)[...]
        while let slash = parents.lastIndex(of: "/") {
            if FileIdentity(at: String(parents)) == folder { return true }
            parents = parents[..<slash]
        }
        return FileIdentity(at: "/") == folder
    }
}
#endif
