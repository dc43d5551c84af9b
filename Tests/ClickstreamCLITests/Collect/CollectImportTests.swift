#if Collector
import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

/// The option `--import` of `collect`, run as a process.
@Suite("collect --import")
struct CollectImportTests {
    private struct Summary: Decodable {
        struct Imported: Decodable, Equatable {
            var events: Int
            var requests: Int
            var duplicates: Int
            var lines: Int
            var requests_already_stored: Int
            var bad_lines: Int
            var damaged_files: Int
        }

        var events: Int
        var imported: Imported?
    }

    private static let script = """
        clickstream: 1
        config: { appId: shop }
        steps: [launch, { record: tap }, { repeat: { times: 3, steps: [ { record: more } ] } }]
        """

    private func summary(_ finished: Finished) throws -> Summary {
        try JSONDecoder().decode(Summary.self, from: Data(try #require(finished.lines.last).utf8))
    }

    /// Runs `collect` to the end of its import.
    private func collect(
        _ workplace: Workplace,
        _ arguments: String...,
        input: String? = nil
    ) async throws -> Finished {
        try await workplace.run(["collect", "--port", "0", "--timeout", "0s"] + arguments, input: input)
    }

    @Test("stores the events of replay, and reports bad lines with their position")
    func lines() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let events = try await workplace.run("replay", script, "--dry-run").output
            let file = try workplace.write("{\n" + events + #"{"name":"tap"}"#, to: "events.ndjson")
            let ended = try await collect(workplace, "--import", file)
            #expect(ended.status == 65)
            #expect(ended.errors.contains("error: \(file):1:2: not JSON: "))
            #expect(ended.errors.contains("error: \(file):9:1: an event without"))
            #expect(ended.errors.contains("2 lines of \(file) not used"))
            #expect(
                ended.errors.contains("imported 7 events in 1 request from \(file); 0 duplicates; 2 lines not used")
            )
            let found = try summary(ended)
            #expect(found.events == 7)
            #expect(
                found.imported
                    == Summary.Imported(
                        events: 7,
                        requests: 1,
                        duplicates: 0,
                        lines: 9,
                        requests_already_stored: 0,
                        bad_lines: 2,
                        damaged_files: 0
                    )
            )
        }
    }

    @Test("reads the folder of an archive once, standard input, and what is whole of a cut file")
    func archive() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Self.script, to: "day.yaml")
            let events = try await workplace.run("replay", script, "--dry-run").output
            let made = try await collect(workplace, "--import", "-", "--archive", "archive", input: events)
            #expect(made.status == 0, "\(made.errors)")
            for present in [0, 1] {
                let again = try await collect(workplace, "--import", "archive", "--store", "other.sqlite")
                #expect(again.status == 0, "\(again.errors)")
                let found = try summary(again)
                #expect(found.events == 7)
                #expect(found.imported?.requests_already_stored == present)
            }
            let name = try #require(workplace.contents(of: "archive").first { $0.hasSuffix(".gz") })
            let whole = [UInt8](try Data(contentsOf: URL(filePath: workplace.path("archive/\(name)"))))
            let cut = Gzip.deflate(Array(events.utf8)) + whole.dropLast(20)
            try Data(cut).write(to: URL(filePath: workplace.path("cut.gz")))
            let ended = try await collect(workplace, "--import", workplace.path("cut.gz"))
            #expect(ended.status == 65)
            #expect(ended.errors.contains("cut.gz to its end: the gzip data ends too early"))
            #expect(try summary(ended).imported?.damaged_files == 1)
            #expect(try summary(ended).events == 7)
        }
    }

    @Test("stores the lines of standard input while it goes on")
    func growing() async throws {
        try await Workplace.use { workplace in
            let output = workplace.path("collect.out")
            let arguments = ["collect", "--port", "0", "--store", "grown.sqlite", "--timeout", "0s", "--import", "-"]
            let running = try workplace.start(arguments, output: output, input: .pipe)
            try running.write(WireEvents.event("tap", id: "first-event-of-the-input") + "\n")
            let isStored = try await running.wait {
                (try? Data(contentsOf: URL(filePath: workplace.path("grown.sqlite-wal"))))?.range(
                    of: Data("first-event-of-the-input".utf8)
                )
                    != nil
            }
            #expect(isStored)
            try running.write(WireEvents.event("tap", id: "E2"))
            try running.endInput()
            #expect(try await running.finish().status == 0)
            #expect(try workplace.text(of: "collect.out").contains(#""events":2,"#))
        }
    }

    @Test("ends on SIGTERM with a summary of what is stored, and does not start the command")
    func stop() async throws {
        try await Workplace.use { workplace in
            let arguments = [
                "collect", "--port", "0", "--store", "kept.sqlite", "--import", "-", "--", "touch", "started",
            ]
            let running = try workplace.start(arguments, input: .pipe)
            try running.write(WireEvents.event("tap", id: "read-before-the-signal") + "\n")
            let isStored = try await running.wait {
                (try? Data(contentsOf: URL(filePath: workplace.path("kept.sqlite-wal"))))?.range(
                    of: Data("read-before-the-signal".utf8)
                )
                    != nil
            }
            #expect(isStored)
            running.send(SIGTERM)
            let ended = try await running.finish()
            #expect(ended.status == 143)
            #expect(ended.errors.contains("imported 1 event in 1 request from standard input"))
            let found = try summary(ended)
            #expect(found.events == 1)
            #expect(found.imported?.events == 1)
            #expect(!FileManager.default.fileExists(atPath: workplace.path("started")))
        }
    }

    @Test(
        "refuses an input that cannot be read before anything is started",
        arguments: [
            (["--import", "none.ndjson"], 66, "cannot read none.ndjson: no such file"),
            (["--import", "."], 66, "it is a folder without the files of an archive"),
            (["--import", "-", "--import", "-"], 64, "standard input can be read only once"),
            (["--import", "tmp", "--archive", "./tmp"], 64, "is the folder of --archive or within it"),
            (["--import", "tmp", "--archive", "tmp/.."], 64, "is the folder of --archive or within it"),
            (["--import", ""], 64, "--import is empty"),
        ] as [([String], Int32, String)]
    )
    func refusals(_ arguments: [String], _ status: Int32, _ message: String) async throws {
        try await Workplace.use { workplace in
            let ended = try await workplace.run(["collect", "--port", "0", "--timeout", "0s"] + arguments)
            #expect(ended.status == status)
            #expect(ended.errors.contains(message), "\(ended.errors)")
            #expect(ended.output == "")
        }
    }
}
#endif
