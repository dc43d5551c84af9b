import ClickstreamCore
import Foundation
import Synchronization

/// The file of `--expect`: the expected events of a replay, one per line.
final class GoldenFile: Sendable {
    private let path: String
    private let isWritten: Bool
    private let lines = Mutex<[String]>([])

    /// - Parameter isWritten: true to write the lines to the file, false to compare them with it.
    init(_ path: String, isWritten: Bool) throws {
        self.path = path
        self.isWritten = isWritten
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if isWritten {
            // Reported before anything is played: the file is written at the end.
            if isFolder.boolValue {
                throw CommandFailure(.cannotCreate, "cannot write \(path): it is a folder; name a file in it")
            }
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            if !FileManager.default.fileExists(atPath: parent) {
                throw CommandFailure(.cannotCreate, "cannot write \(path): no such folder: \(parent); create it")
            }
            return
        }
        try CommandFailure.refuseForbidden(reading: path)
        guard exists else {
            throw CommandFailure(.inputMissing, "cannot read \(path): no such file; use --update to write it")
        }
        if isFolder.boolValue {
            throw CommandFailure(.inputMissing, "cannot read \(path): it is a folder; name a file in it")
        }
    }

    func add(_ line: [UInt8]) {
        lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    /// Writes the file, or compares with it and prints the differences.
    func finish() throws {
        let actual = lines.withLock { $0 }
        if isWritten {
            do {
                try Data((actual.joined(separator: "\n") + (actual.isEmpty ? "" : "\n")).utf8)
                    .write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                let isForbidden = ExitStatus.isForbidden(path)
                throw CommandFailure(
                    isForbidden ? .noPermission : .cannotCreate,
                    "cannot write \(path): \(isForbidden ? "permission denied" : error.localizedDescription)"
                )
            }
            return
        }
        let bytes = try InputFile.bytes(of: path, maxBytes: .max, folderAdvice: "name a file in it")
        let difference = Self.difference(expected: Self.lines(of: bytes), actual: actual)
        guard !difference.isEmpty else { return }
        for line in difference.prefix(Self.shownLines) { Console.log(line) }
        if difference.count > Self.shownLines { Console.log("… and \(difference.count - Self.shownLines) more") }
        throw CommandFailure(
            .findings,
            "the recorded events differ from \(path); if they are correct, update the file with --update"
        )
    }

    /// The lines of a golden file, without the byte order mark and the carriage returns that some editors and
    /// checkouts add.
    static func lines(of bytes: [UInt8]) -> [String] {
        var lines = bytes.withoutByteOrderMark
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// One line, compared by bytes: `String` treats canonically equivalent texts as equal.
    private struct Line: Equatable {
        var text: String

        static func == (one: Line, other: Line) -> Bool { Characters.areSame(one.text, other.text) }
    }

    /// Maximum number of lines shown.
    private static let shownLines = 100
    /// Maximum number of lines searched for moved ones; the search is quadratic.
    private static let comparedLines = 500

    /// The lines that differ, `-` for expected and `+` for recorded, each with its number.
    ///
    /// Equal lines at both ends are removed first. Long remainders are compared line by line.
    static func difference(expected: [String], actual: [String]) -> [String] {
        let (wanted, given) = (expected.map(Line.init), actual.map(Line.init))
        let start = zip(wanted, given).prefix { $0 == $1 }.count
        let end = zip(wanted[start...].reversed(), given[start...].reversed()).prefix { $0 == $1 }.count
        let expected = wanted[start..<wanted.count - end]
        let actual = given[start..<given.count - end]
        var changes: [(line: Int, text: String)] = []
        func expect(_ line: Line, at index: Int) { changes.append((index, "- \(index + 1): \(line.text)")) }
        func record(_ line: Line, at index: Int) { changes.append((index, "+ \(index + 1): \(line.text)")) }
        if max(expected.count, actual.count) > comparedLines {
            for index in expected.indices where !actual.indices.contains(index) || actual[index] != expected[index] {
                expect(expected[index], at: index)
            }
            for index in actual.indices where !expected.indices.contains(index) || actual[index] != expected[index] {
                record(actual[index], at: index)
            }
        } else {
            for change in Array(actual).difference(from: Array(expected)) {
                switch change {
                case .remove(let index, let line, _): expect(line, at: start + index)
                case .insert(let index, let line, _): record(line, at: start + index)
                }
            }
        }
        // An expected line precedes the recorded one of the same number: "-" is greater than "+" as a byte.
        return changes.sorted { ($0.line, $1.text) < ($1.line, $0.text) }.map(\.text)
    }
}
