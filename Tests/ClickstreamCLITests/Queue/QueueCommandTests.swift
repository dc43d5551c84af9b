import ClickstreamCore
import Foundation
import TestSupport
import Testing

@testable import clickstream_cli

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("queue")
struct QueueCommandTests {
    private static let store = "s/clickstream_cli"
    private static let segment = "s/clickstream_cli/runs/1/00000001.events"

    /// Records an event of each name, and gives their ids.
    @discardableResult
    private func record(_ names: [String], in workplace: Workplace) async throws -> [String] {
        let lines = names.map { "{\"name\":\"\($0)\"}\n" }.joined()
        let run = try await workplace.run("record", "-", "--storage", "s", input: lines)
        #expect(run.status == 0, "\(run.errors)")
        return run.lines.map(String.init)
    }

    /// Adds a dead letter with the content of the first pending event.
    private func addDeadLetter(in workplace: Workplace) async throws {
        let folder = try StoreFolder(LocalFileSystem(), existing: workplace.path(Self.store))
        let line = Array(try await workplace.run("queue", "export", "--storage", "s").lines[0].utf8)
        try folder.deadLetters.add([
            DeadLetter(
                json: line,
                status: 400,
                reason: "refused",
                attempts: 1,
                setAside: Timestamp(milliseconds: 1)
            )
        ])
    }

    private func json(_ run: Finished) throws -> JSONValue {
        try JSONReader.parse(Array(run.output.utf8))
    }

    /// Every file of the store with its bytes and the moment it was changed.
    private func files(_ workplace: Workplace) throws -> [String: String] {
        var found: [String: String] = [:]
        for name in workplace.contents(of: "s") {
            let path = workplace.path("s/\(name)")
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            let content = isFolder ? "" : String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            found[name] = "\(attributes[.modificationDate] ?? "") \(content)"
        }
        return found
    }

    @Test("lists, shows, counts and exports pending events, and changes nothing, even with concurrent recording")
    func reading() async throws {
        try await Workplace.use { workplace in
            let app = try LivingApp(in: workplace)
            let ids = try await record(["a", "b", "c"], in: workplace)
            app.record("d")
            // The app's run folder is the first; its event is the latest.
            let stored = try workplace.storedEvents(in: "s").sorted { ($0.eventName ?? "") < ($1.eventName ?? "") }
            let all = ids + stored.suffix(1).compactMap(\.eventID)
            let before = try files(workplace)

            let list = try await workplace.run("queue", "ls", "--storage", "s")
            #expect(try json(list).array?.map { $0["event_id"]?.string } == all)
            #expect(try json(list).array?.map { $0["event_type"]?.string } == ["a", "b", "c", "d"])
            let two = try await workplace.run("queue", "ls", "--storage", "s", "--limit", "2", "--format", "human")
            #expect(two.lines.map { $0.hasSuffix("  a") || $0.hasSuffix("  b") } == [true, true])

            let export = try await workplace.run("queue", "export", "--storage", "s")
            #expect(try export.lines.map { try JSONReader.parse(Array($0.utf8)).eventID } == all)
            #expect(try export.lines.map { try JSONReader.parse(Array($0.utf8)) } == stored)

            let stats = try json(try await workplace.run("queue", "stats", "--storage", "s"))
            #expect(["recorded", "pending", "delivered"].map { stats[$0]?.integer } == [4, 4, 0])
            #expect(stats["adds_up"]?.boolean == true)
            #expect(stats["runs"]?.array?.map { $0["pending"]?.integer } == [1, 3])

            let show = try await workplace.run("queue", "show", String(ids[1].prefix(12)), "--storage", "s")
            #expect(try json(show).array?.map { $0["event"] } == [stored[1]])
            let oldest = try await workplace.run("queue", "show", "--storage", "s", "--format", "human")
            #expect(oldest.output.contains("\n  \"event_type\": \"a\",\n"))

            let verify = try await workplace.run("queue", "verify", "--storage", "s")
            #expect(verify == Finished(status: 0, output: "[]\n", errors: ""))
            #expect(try files(workplace) == before)
            app.end()
        }
    }

    @Test("exports every acknowledged event of killed processes, in order")
    func killed() async throws {
        try await Workplace.use { workplace in
            var acknowledged: [[String]] = []
            for round in 0..<TestLength.count(3, full: 5) {
                let run = try workplace.start(["record", "-", "--storage", "s"], input: .pipe)
                for number in 0..<100 { try run.write("{\"name\":\"n\(round)_\(number)\"}\n") }
                // Each is killed at another point of its work.
                #expect(try await run.wait { run.outputSoFar.filter { $0 == "\n" }.count >= round * 20 })
                run.send(SIGKILL)
                let end = try await run.finish()
                // The last line may have been cut by the death; a whole one is an id.
                acknowledged.append(end.lines.map(String.init).filter { $0.count == 36 })
            }
            let export = try await workplace.run("queue", "export", "--storage", "s")
            #expect(export.status == 0)
            let ids = try export.lines.compactMap { try JSONReader.parse(Array($0.utf8)).eventID }
            #expect(Set(ids).count == ids.count)
            for round in acknowledged {
                let wanted = Set(round)
                #expect(ids.filter { wanted.contains($0) } == round)
            }
            let verify = try await workplace.run("queue", "verify", "--storage", "s", "--format", "ndjson")
            #expect(verify.lines.allSatisfy { $0.contains("torn_end") }, "\(verify.output)")
        }
    }

    @Test("finds damage, repairs it, and keeps every other event")
    func repair() async throws {
        try await Workplace.use { workplace in
            try await record(["a", "b", "c"], in: workplace)
            let text = try workplace.text(of: Self.segment)
            try workplace.write(
                text.replacing("\"event_type\":\"b\"", with: "\"event_type\":\"B\"") + "half",
                to: Self.segment
            )
            let verify = try await workplace.run("queue", "verify", "--storage", "s")
            #expect(verify.status == 1)
            let kinds = try json(verify).array?.compactMap { $0["kind"]?.string }
            #expect(kinds == ["torn_end", "damaged_record"])
            let repair = try await workplace.run("queue", "repair", "--storage", "s")
            #expect(repair.status == 0, "\(repair.errors)")
            #expect(
                repair.output
                    == #"{"runs":1,"damaged":1,"torn_bytes":4,"missing":0,"state_restored":false,"dead_letters_restored":false}"#
                    + "\n"
            )
            #expect(try await workplace.run("queue", "verify", "--storage", "s").status == 0)
            let export = try await workplace.run("queue", "export", "--storage", "s")
            #expect(try export.lines.map { try JSONReader.parse(Array($0.utf8)).eventName } == ["a", "c"])
            let stats = try json(try await workplace.run("queue", "stats", "--storage", "s"))
            #expect(["recorded", "pending", "damaged", "torn"].map { stats[$0]?.integer } == [4, 2, 1, 1])
        }
    }

    @Test("imports exported events, byte for byte and once, into that app's store only")
    func roundTrip() async throws {
        try await Workplace.use { workplace in
            try await record(["a", "b"], in: workplace)
            let export = try await workplace.run("queue", "export", "--storage", "s")
            let lines = export.output + "nope\n{\"event_type\":\"x\"}\n"
            try workplace.write(lines, to: "events.ndjson")
            let first = try await workplace.run("queue", "import", "events.ndjson", "--storage", "t")
            #expect(first.status == 65)
            #expect(first.output == #"{"imported":2,"skipped":0,"bad_lines":2,"evicted":0,"next_line":null}"# + "\n")
            #expect(
                first.errors == """
                    error: events.ndjson:3:1: not JSON: unexpected 'nope' (line not imported)
                    error: events.ndjson:4:1: not an event in wire form: event_id, event_type, app_id and timestamp are required \
                    (line not imported)
                    error: 2 lines of events.ndjson not imported; correct and import them again

                    """
            )
            let again = try await workplace.run("queue", "import", "-", "--storage", "t", input: export.output)
            #expect(again.status == 0)
            #expect(again.output == #"{"imported":0,"skipped":2,"bad_lines":0,"evicted":0,"next_line":null}"# + "\n")
            #expect(try await workplace.run("queue", "export", "--storage", "t").output == export.output)
            let other = try await workplace.run(
                "queue",
                "import",
                "-",
                "--storage",
                "t",
                "--app-id",
                "shop",
                input: export.output
            )
            #expect(other.status == 65)
            #expect(other.errors.contains("the event belongs to app clickstream_cli, not to shop; check --app-id"))
            // A store is created for an event.
            #expect(workplace.contents(of: "t").filter { !$0.contains("/") } == ["clickstream_cli"])
        }
    }

    @Test("imports events of any age, also with --evict")
    func oldEvents() async throws {
        try await Workplace.use { workplace in
            try await record((1...20).map { "e\($0)" }, in: workplace)
            let export = try await workplace.run("queue", "export", "--storage", "s")
            let run = try await workplace.run(
                ["queue", "import", "-", "--evict", "--storage", "t"],
                input: export.output,
                environment: ["CLICKSTREAM_MAX_STORE_BYTES": "65536", "CLICKSTREAM_MAX_EVENT_AGE": "1"]
            )
            #expect(run.output == #"{"imported":20,"skipped":0,"bad_lines":0,"evicted":0,"next_line":null}"# + "\n")
        }
    }

    @Test("names an event that no eviction makes room for")
    func longEvent() async throws {
        try await Workplace.use { workplace in
            let text = String(repeating: "x", count: 5_000)
            let run = try await workplace.run(
                ["queue", "import", "-", "--storage", "t"],
                input: #"{"event_id":"1","app_id":"clickstream_cli","event_type":"e","timestamp":1,"x":"\#(text)"}"#,
                environment: ["CLICKSTREAM_MAX_STORE_BYTES": "4096"]
            )
            #expect(run.status == 73)
            #expect(run.errors.hasPrefix("error: line 1 of standard input has 50"), "\(run.errors)")
            #expect(!run.errors.contains("--evict"), "\(run.errors)")
        }
    }

    @Test(
        "imports until the store is full, and evicts events only with --evict",
        arguments: [
            ["CLICKSTREAM_MAX_STORE_EVENTS": "3"], ["CLICKSTREAM_MAX_STORE_BYTES": "4096"],
            ["CLICKSTREAM_MAX_STORE_EVENTS": "3", "CLICKSTREAM_MAX_EVENT_AGE": "1"],
        ]
    )
    func fullStore(limits: [String: String]) async throws {
        try await Workplace.use { workplace in
            try await record((1...20).map { "e\($0)" }, in: workplace)
            let export = try await workplace.run("queue", "export", "--storage", "s")
            let importing = ["queue", "import", "-", "--storage", "t"]
            let first = try await workplace.run(importing, input: export.output, environment: limits)
            #expect(first.status == 73)
            let imported = try #require(try json(first)["imported"]?.integer)
            #expect((1..<20).contains(imported))
            #expect(
                first.output
                    == "{\"imported\":\(imported),\"skipped\":0,\"bad_lines\":0,\"evicted\":0,\"next_line\":\(imported + 1)}\n"
            )
            let from = "import from line \(imported + 1) on"
            #expect(first.errors.hasPrefix("error: t/clickstream_cli is full (maxStoreBytes "), "\(first.errors)")
            #expect(first.errors.contains(from), "\(first.errors)")
            let stored = try await workplace.run("queue", "export", "--storage", "t")
            #expect(stored.lines == Array(export.lines.prefix(Int(imported))))

            let second = try await workplace.run(importing + ["--evict"], input: export.output, environment: limits)
            #expect(second.status == 0, "\(second.errors)")
            let counts = try json(second)
            let evicted = try #require(counts["evicted"]?.integer)
            #expect(evicted > 0)
            let removed = Plural.events(Int(evicted), "older unsent")
            #expect(second.errors.contains("warning: the store is full: removed \(removed)\n"), "\(second.errors)")
            #expect(["imported", "skipped"].map { counts[$0]?.integer } == [20 - imported, imported])
            let rest = try await workplace.run("queue", "export", "--storage", "t")
            #expect(rest.lines == Array(export.lines.suffix(20 - Int(evicted))))
        }
    }

    @Test("purges pending events, but not those of a running process")
    func purge() async throws {
        try await Workplace.use { workplace in
            let app = try LivingApp(in: workplace)
            app.record("a", "b", "c")
            try await record(["d"], in: workplace)
            let purge = try await workplace.run("queue", "purge", "--yes", "--storage", "s")
            #expect(purge.status == 75)
            #expect(try json(purge)["in_use"]?.integer == 3)
            #expect(try json(purge)["purged"]?.integer == 1)
            #expect(purge.errors.contains("kept for running processes"))
            app.end()
            let rest = try await workplace.run("queue", "purge", "--storage", "s", "--yes", "--format", "human")
            #expect(rest == Finished(status: 0, output: "3 events removed from \(Self.store)\n", errors: ""))
            #expect(try await workplace.run("queue", "export", "--storage", "s").output == "")
        }
    }

    @Test(
        "removes nothing without --yes if there is no terminal",
        arguments: [["purge"], ["dead", "purge"]]
    )
    func refusesUnasked(command: [String]) async throws {
        try await Workplace.use { workplace in
            try await record(["a", "b"], in: workplace)
            try await addDeadLetter(in: workplace)
            for input in [nil, "y\n", "yes\n"] {
                let run = try await workplace.run(["queue"] + command + ["--storage", "s"], input: input)
                #expect(run.status == 64)
                #expect(run.output == "")
                #expect(run.errors.hasPrefix("error: ") && run.errors.contains("--yes"), "\(run.errors)")
            }
            let stats = try json(try await workplace.run("queue", "stats", "--storage", "s"))
            #expect(["pending", "dead_letters"].map { stats[$0]?.integer } == [2, 1])
        }
    }

    private static let answers: [(String, Int64)] = [
        ("n\n", 2), ("\n", 2), ("\u{4}", 2), ("yes please\n", 2), ("y\n", 0), ("YES\n", 0),
    ]

    @Test(
        "removes at a terminal only after confirmation",
        .enabled(if: Terminal.isAvailable),
        arguments: TestLength.sample(answers, short: 4)
    )
    func asks(answer: String, left: Int64) async throws {
        try await Workplace.use { workplace in
            try await record(["a", "b"], in: workplace)
            let run = try await workplace.runAtTerminal(["queue", "purge", "--storage", "s"], typing: answer)
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("Remove 2 unsent events of clickstream_cli? [y/N]"), "\(run.output)")
            let stats = try json(try await workplace.run("queue", "stats", "--storage", "s"))
            #expect(stats["pending"]?.integer == left)
        }
    }

    @Test(
        "removes nothing once a signal stops the question",
        .enabled(if: Terminal.isAvailable),
        .timeLimit(.minutes(10)),
        arguments: [["purge"], ["dead", "purge"]],
        [SIGINT, SIGTERM, SIGHUP]
    )
    func stopsAsking(command: [String], signal: Int32) async throws {
        try await Workplace.use { workplace in
            try await record(["a", "b"], in: workplace)
            try await addDeadLetter(in: workplace)
            let run = try await workplace.runAtTerminal(
                ["queue"] + command + ["--storage", "s"],
                stop: (signal, after: "[y/N] ")
            )
            #expect(run.status == 128 + signal)
            #expect(run.screen.suffix(2) == ["nothing removed", ""], "\(run.output)")
            let stats = try json(try await workplace.run("queue", "stats", "--storage", "s"))
            #expect(["pending", "dead_letters"].map { stats[$0]?.integer } == [2, 1])
        }
    }

    @Test(
        "reports with status 66 that there is no store, creates none, and names the existing ones",
        arguments: ["ls", "stats", "show", "export", "verify", "repair", "purge"]
    )
    func missing(command: String) async throws {
        try await Workplace.use { workplace in
            try await record(["a"], in: workplace)
            let before = workplace.contents(of: "s")
            let run = try await workplace.run("queue", command, "--storage", "s", "--app-id", "shop")
            #expect(run.status == 66)
            #expect(run.output == "")
            #expect(
                run.errors == "error: no store of app shop in s; found stores of clickstream_cli: "
                    + "check --app-id and --storage\n"
            )
            #expect(workplace.contents(of: "s") == before)
        }
    }

    @Test("names the ids of the existing stores, not their folders", arguments: ["../x", "ünïcode", "a b"])
    func decodedNames(appID: String) async throws {
        try await Workplace.use { workplace in
            let record = try await workplace.run("record", "a", "--storage", "s", "--app-id", appID)
            #expect(record.status == 0, "\(record.errors)")
            let run = try await workplace.run("queue", "ls", "--storage", "s", "--app-id", "shop")
            #expect(run.status == 66)
            #expect(run.errors.contains("found stores of \(appID): check"), "\(run.errors)")
        }
    }

    @Test("reports events that it cannot show")
    func unknown() async throws {
        try await Workplace.use { workplace in
            let ids = try await record(["a"], in: workplace)
            let run = try await workplace.run("queue", "show", "ZZ", ids[0].lowercased(), "--storage", "s")
            #expect(run.status == 66)
            #expect(try json(run).array?.count == 1)
            #expect(run.errors.hasPrefix("error: no pending event in \(Self.store) has an id that starts with ZZ; "))
        }
    }

    @Test("lists, shows, requeues and purges dead letters")
    func dead() async throws {
        try await Workplace.use { workplace in
            let ids = try await record(["a", "b", "c", "d"], in: workplace)
            let export = try await workplace.run("queue", "export", "--storage", "s")
            #expect(try await workplace.run("queue", "purge", "--yes", "--storage", "s").status == 0)
            let folder = try StoreFolder(LocalFileSystem(), existing: workplace.path(Self.store))
            try folder.deadLetters.add(
                export.lines.enumerated().map { index, line in
                    DeadLetter(
                        json: Array(line.utf8),
                        status: 400,
                        reason: "refused beside accepted neighbors",
                        attempts: index + 1,
                        setAside: Timestamp(milliseconds: 1_000)
                    )
                }
            )
            let list = try await workplace.run("queue", "dead", "ls", "--storage", "s")
            #expect(try json(list).array?.map { $0["event_id"]?.string } == ids)
            #expect(try json(list).array?.map { $0["attempts"]?.integer } == [1, 2, 3, 4])
            #expect(try json(list).array?.first?["reason"]?.string == "refused beside accepted neighbors")
            let show = try await workplace.run("queue", "dead", "show", String(ids[1].prefix(12)), "--storage", "s")
            #expect(try json(show).array?.map { $0["event"]?.eventName } == ["b"])
            for command in ["show", "requeue", "purge"] {
                let empty = try await workplace.run("queue", "dead", command, "", "--storage", "s")
                #expect(empty.status == 64)
                #expect(empty.errors.contains("an event id is empty"))
            }
            let unknown = try await workplace.run("queue", "dead", "purge", "ZZ", "--storage", "s")
            #expect(unknown.status == 66)
            #expect(
                unknown.errors.contains("has an id that starts with ZZ; 'clickstream-cli queue dead ls' lists them")
            )

            let one = try await workplace.run("queue", "dead", "requeue", ids[2], "--storage", "s")
            #expect(one == Finished(status: 0, output: "{\"requeued\":1}\n", errors: ""))
            let waiting = try await workplace.run("queue", "export", "--storage", "s")
            #expect(waiting.lines == [export.lines[2]])
            let stats = try json(try await workplace.run("queue", "stats", "--storage", "s"))
            #expect(["pending", "dead_letters"].map { stats[$0]?.integer } == [1, 3])

            let purge = try await workplace.run("queue", "dead", "purge", ids[0], "--yes", "--storage", "s")
            #expect(purge.output == "{\"purged\":1}\n")
            let rest = try await workplace.run("queue", "dead", "requeue", "--storage", "s", "--format", "human")
            #expect(rest.output == "2 events moved back to the queue in \(Self.store)\n")
            #expect(try await workplace.run("queue", "dead", "ls", "--storage", "s").output == "[]\n")
        }
    }
}
