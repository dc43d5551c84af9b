package import Foundation

/// Folder of programs that a test starts and kills, with their outputs. Removed at the end of the value's life.
package struct ProcessFolder: ~Copyable {
    package let url = FileManager.default.temporaryDirectory.appending(path: "clickstream-processes-\(UUID())")

    package init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)  // leftover files have no effect
    }

    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Starts a program of this package.
    /// - Parameter output: the name of the file for its standard output, which is emptied.
    package func start(_ program: String, _ arguments: [String], output: String) throws -> Process {
        let file = url.appending(path: output)
        try Data().write(to: file)
        return try TestProgram.start(program, arguments, output: FileHandle(forWritingTo: file))
    }

    /// Returns the text of a file; empty if it does not exist.
    package func text(of name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path(name)) ?? Data(), as: UTF8.self)
    }

    /// Returns the complete lines of a file; none if it does not exist. The last line of a killed process may be
    /// incomplete.
    package func lines(of name: String) -> [Substring] {
        Array(text(of: name).split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    }
}
