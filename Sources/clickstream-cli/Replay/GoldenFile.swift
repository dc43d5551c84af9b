#if Tools
import Foundation
import Synchronization

/// The file of `--expect`: the lines that a replay must give, one event each.
final class GoldenFile: Sendable {
    private let path: String
    private let isWritten: Bool
    private let lines = Mutex<[String]>([])

    /// - Parameter isWritten: whether the lines are written to the file rather than compared with it.
    init(_ path: String, isWritten: Bool) throws {
        self.path = path
        self.isWritten = isWritten
        if !isWritten, !FileManager.default.isReadableFile(atPath: path) {
            throw CommandFailure(.inputMissing, "cannot read \(path): no such file; --update writes it")
        }
    }

    func add(_ line: [UInt8]) {
        lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    /// Writes the file, or compares with it and says what differs.
    func finish() throws {
        let actual = lines.withLock { $0 }
        if isWritten {
            do {
                try Data((actual.joined(separator: "\n") + (actual.isEmpty ? "" : "\n")).utf8)
                    .write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                throw CommandFailure(.cannotCreate, "cannot write \(path): \(error.localizedDescription); check its folder")
            }
            return
        }
        let text: String
        do {
            text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        } catch {
            throw CommandFailure(.inputMissing, "cannot read \(path): \(error.localizedDescription)")
        }
        var expected = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if expected.last == "" { expected.removeLast() }
        let difference = Self.difference(expected: expected, actual: actual)
        guard !difference.isEmpty else { return }
        for line in difference { Console.say(line) }
        throw CommandFailure(
            .findings,
            "the recorded events differ from \(path); if they are right, write it anew with --update"
        )
    }

    /// The lines that differ, `-` for expected and `+` for recorded, each with its number.
    static func difference(expected: [String], actual: [String]) -> [String] {
        guard expected != actual else { return [] }
        var changes: [(line: Int, text: String)] = []
        for change in actual.difference(from: expected) {
            switch change {
            case .remove(let place, let line, _): changes.append((place, "- \(place + 1): \(line)"))
            case .insert(let place, let line, _): changes.append((place, "+ \(place + 1): \(line)"))
            }
        }
        // An expected line stands before the recorded one in its place.
        return changes.sorted { ($0.line, $1.text) < ($1.line, $0.text) }.map(\.text)
    }
}
#endif
