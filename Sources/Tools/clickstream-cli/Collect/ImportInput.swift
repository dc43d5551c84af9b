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

    /// - Parameter path: a file, the folder of an archive or a folder in it, or `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
        name = InputFile.name(of: path)
        files = path == "-" ? [path] : try ArchiveFolder.files(at: path)
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
