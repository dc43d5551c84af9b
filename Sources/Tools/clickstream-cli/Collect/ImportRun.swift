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

    /// Imports all files, and reports bad lines and the result of each input.
    /// - Throws: ``CommandFailure`` if a file cannot be read or the store not be written; `CancellationError` when the task is
    ///   cancelled. The lines before that are imported.
    func run(_ inputs: [ImportInput]) async throws -> ImportCounts {
        var all = ImportCounts()
        for input in inputs {
            if input.files == ["-"] { Console.note("importing standard input; \(collector.baseURL)/ answers already") }
            var counts = ImportCounts()
            for file in input.files { counts += try await run(file) }
            if counts.lines == 0, counts.damagedFiles == 0 {
                Console.warn("\(input.name) has no events: the input is empty")
            }
            Console.note(Self.summary(of: counts, from: input.name))
            all += counts
        }
        return all
    }

    private func run(_ file: String) async throws -> ImportCounts {
        let reader = try LineReader(file, acceptsGzip: true)
        let progress = LineProgress(of: reader)
        defer { progress?.end() }
        var lines = collector.beginImport()
        var errors = LineErrors(of: reader.name, outcome: "not used")
        var damage: CommandFailure?
        do {
            reading: while true {
                switch try reader.part() {
                case .line(let line):
                    try Task.checkCancellation()
                    if let error = lines.add(line) { errors.add([Self.sentence(error, line, of: reader.name)]) }
                    progress?.advance(reader)
                    if lines.isFull { try await lines.store() }
                case .pause:
                    try await lines.flush()
                case .end:
                    break reading
                }
            }
        } catch let failure as CommandFailure where failure.status == .badData {
            damage = failure
        } catch let failure as ImportFailure {
            throw Self.failure(failure, reader.name)
        }
        do { try await lines.flush() } catch let failure as ImportFailure { throw Self.failure(failure, reader.name) }
        progress?.end()
        errors.printTotal("correct them, or leave them out")
        var counts = lines.counts
        if let damage {
            Console.fail(damage.message)
            counts.damagedFiles += 1
        }
        return counts
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
            "cannot import all of \(name): \(failure.reason); import it again: requests that are stored are not stored twice"
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
