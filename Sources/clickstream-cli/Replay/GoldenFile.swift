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
        guard !isWritten else { return }
        try CommandFailure.refuseForbidden(reading: path)
        guard FileManager.default.isReadableFile(atPath: path) else {
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
                throw CommandFailure(
                    ExitStatus.isForbidden(path) ? .noPermission : .cannotCreate,
                    "cannot write \(path): \(error.localizedDescription); check its folder"
                )
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
        for line in difference.prefix(Self.shownLines) { Console.say(line) }
        if difference.count > Self.shownLines { Console.say("and \(difference.count - Self.shownLines) further lines") }
        throw CommandFailure(
            .findings,
            "the recorded events differ from \(path); if they are right, write it anew with --update"
        )
    }

    /// The most lines of a difference that are shown: a person reads the first.
    private static let shownLines = 100
    /// The most lines that are looked at for those that moved; the search costs their number squared.
    private static let comparedLines = 500

    /// The lines that differ, `-` for expected and `+` for recorded, each with its number.
    ///
    /// What is equal at both ends is left out first. What is left is compared line by line when there is much of it.
    static func difference(expected: [String], actual: [String]) -> [String] {
        let start = zip(expected, actual).prefix { $0 == $1 }.count
        let end = zip(expected[start...].reversed(), actual[start...].reversed()).prefix { $0 == $1 }.count
        let expected = expected[start..<expected.count - end]
        let actual = actual[start..<actual.count - end]
        var changes: [(line: Int, text: String)] = []
        func expect(_ line: String, at place: Int) { changes.append((place, "- \(place + 1): \(line)")) }
        func record(_ line: String, at place: Int) { changes.append((place, "+ \(place + 1): \(line)")) }
        if max(expected.count, actual.count) > comparedLines {
            for place in expected.indices where !actual.indices.contains(place) || actual[place] != expected[place] {
                expect(expected[place], at: place)
            }
            for place in actual.indices where !expected.indices.contains(place) || actual[place] != expected[place] {
                record(actual[place], at: place)
            }
        } else {
            for change in Array(actual).difference(from: Array(expected)) {
                switch change {
                case .remove(let place, let line, _): expect(line, at: start + place)
                case .insert(let place, let line, _): record(line, at: start + place)
                }
            }
        }
        // An expected line stands before the recorded one in its place: "-" comes after "+" by its byte.
        return changes.sorted { ($0.line, $1.text) < ($1.line, $0.text) }.map(\.text)
    }
}
#endif
