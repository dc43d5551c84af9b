#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// The work of `--import`: reads files into a running collector.
///
/// Runs on a thread of its own, which blocks while standard input pauses.
actor ImportRun {
    private nonisolated let executor = DispatchExecutor(label: "clickstream-cli.import")
    private let collector: Collector

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ collector: Collector) {
        self.collector = collector
    }

    /// Imports all files, and reports bad lines and the result of each input. Ends early when the task is cancelled.
    /// - Returns: the numbers of what is stored: all lines that were read.
    /// - Throws: ``CommandFailure`` if a file cannot be read or the store not be written. The lines before that are imported.
    func run(_ inputs: [ImportInput]) async throws -> ImportCounts {
        var all = ImportCounts()
        for input in inputs where !Task.isCancelled {
            if input.files == ["-"] { Console.note("importing standard input; \(collector.baseURL)/ answers already") }
            var counts = ImportCounts()
            do {
                for file in input.files where !Task.isCancelled { try await run(file, into: &counts) }
            } catch {
                Console.note(Self.summary(of: counts, from: input.name))
                throw error
            }
            if counts.lines == 0, counts.damagedFiles == 0, !Task.isCancelled {
                Console.warn("\(input.name) has no events: the input is empty")
            }
            Console.note(Self.summary(of: counts, from: input.name))
            all += counts
        }
        return all
    }

    private func run(_ file: String, into counts: inout ImportCounts) async throws {
        let reader = try LineReader(file, acceptsGzip: true)
        let progress = LineProgress(of: reader)
        var lines = collector.beginImport()
        var errors = LineErrors(of: reader.name, outcome: "not used")
        var failure: (any Error)?
        do {
            try await read(reader, into: &lines, &errors, progress)
        } catch {
            failure = error
        }
        // The lines before a failure to read, or a stop, are stored, too.
        if !(failure is ImportFailure) {
            do { try await lines.flush() } catch { failure = error }
        }
        progress?.end()
        errors.printTotal("correct them, or leave them out")
        counts += lines.counts
        switch failure {
        case nil, is CancellationError:
            return
        case let failure as CommandFailure where failure.status == .badData:
            Console.fail(failure.message)
            counts.damagedFiles += 1
        case let failure as ImportFailure:
            throw Self.failure(failure, reader.name)
        case let failure?:
            throw failure
        }
    }

    private func read(
        _ reader: LineReader,
        into lines: inout Import,
        _ errors: inout LineErrors,
        _ progress: LineProgress?
    ) async throws {
        // The requests of a file do not depend on the time that reading takes.
        let isStream = reader.size == nil
        while true {
            switch try reader.part() {
            case .line(let line):
                if let error = lines.add(line) { errors.add([Self.sentence(error, line, of: reader.name)]) }
                progress?.advance(reader)
                if isStream, lines.isOverdue {
                    try await lines.flush()
                } else if lines.isFull {
                    try await lines.store()
                }
                try Task.checkCancellation()
            case .pause:
                try await lines.flush()
            case .end:
                return
            }
        }
    }

    private static func sentence(_ error: ImportError, _ line: LineReader.Line, of name: String) -> String {
        let column = error.offset.flatMap { offset in
            line.bytes.map { ":\(SourcePosition(of: offset, in: $0).column)" }
        }
        return "\(name):\(line.number)\(column ?? ""): \(error)"
    }

    private static func failure(_ failure: ImportFailure, _ name: String) -> CommandFailure {
        CommandFailure(
            .inputOutput,
            "cannot import all of \(name): \(failure.reason); correct that and import it again: requests of an archive that are "
                + "stored are left out, other events are duplicates"
        )
    }

    /// `imported 1204 events in 13 requests from FILE; 0 duplicates; 2 lines not used`
    static func summary(of counts: ImportCounts, from name: String) -> String {
        var parts = [
            "imported \(Plural.events(counts.events)) in \(Plural.count(counts.requests, "request")) from \(name)",
            Plural.count(counts.duplicates, "duplicate"),
        ]
        if counts.requestsPresent > 0 {
            parts.append("\(Plural.count(counts.requestsPresent, "request")) already stored")
        }
        parts.append("\(Plural.count(counts.badLines, "line")) not used")
        return parts.joined(separator: "; ")
    }
}
#endif
