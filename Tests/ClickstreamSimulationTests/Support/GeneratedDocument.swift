import Foundation
import Testing

/// Document of the package that is generated from tables in the code.
enum GeneratedDocument {
    static func text(of path: String) throws -> String {
        try String(contentsOf: Replay.package.appending(path: path), encoding: .utf8)
    }

    /// Compares a document with the text that the tables give; `CLICKSTREAM_UPDATE_FIXTURES=1` writes it.
    static func compare(_ generated: String, with path: String) throws {
        if ProcessInfo.processInfo.environment["CLICKSTREAM_UPDATE_FIXTURES"] == "1" {
            try Data(generated.utf8).write(to: Replay.package.appending(path: path))
            return
        }
        #expect(
            try text(of: path) == generated,
            "\(path) is out of date: run this suite with CLICKSTREAM_UPDATE_FIXTURES=1"
        )
    }
}
