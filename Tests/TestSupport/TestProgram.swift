package import Foundation

/// Program of this package that tests start.
package enum TestProgram {
    /// Returns the program of that name, beside the bundle or the program that the tests are run by.
    package static func url(_ name: String) -> URL {
        let beside = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let folders = beside.flatMap { [$0, $0.deletingLastPathComponent()] }
        let found = folders.map { $0.appendingPathComponent(name) }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
        return found ?? beside[0].appendingPathComponent(name)
    }

    /// Starts the program of that name. Its standard error is discarded.
    /// - Parameter output: its standard output, a `FileHandle` or a `Pipe`.
    package static func start(
        _ name: String,
        _ arguments: [String],
        output: Any = FileHandle.nullDevice
    ) throws -> Process {
        let process = Process()
        process.executableURL = url(name)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
