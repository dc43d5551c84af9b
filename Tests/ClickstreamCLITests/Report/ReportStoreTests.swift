#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Testing

@Suite("report on a store")
struct ReportStoreTests {
    private static let questions = [
        ["count"], ["count", "--by", "attributes.value"], ["count", "--by", "session", "--name", "buy"],
        ["funnel", "view", "buy"], ["funnel", "view", "buy:attributes.value == 2", "--by", "app", "--per", "session"],
        ["user", "u-1"], ["crashes"], ["row", "orders", "17"],
    ]

    @Test("gives the JSON of the collector that uses it, and does not disturb that", arguments: questions)
    func inUse(question: [String]) async throws {
        try await Workplace.use { workplace in
            let path = workplace.path("store.sqlite")
            try await Collector.use(CollectorConfiguration(storePath: path)) { collector in
                let events = [
                    WireEvents.event("view", id: "1"), WireEvents.event("buy", id: "2", attributes: "\"value\": 1"),
                    WireEvents.event("buy", id: "3", attributes: "\"value\": 2"),
                    WireEvents.event("view", id: "4", user: "u-2", session: "s-2"),
                    WireEvents.event("_app_exception", id: "5", attributes: "\"_exception_message\": \"cold\""),
                ]
                #expect(try await WireEvents.send(events, to: collector.endpoint) == 200)
                let served = try await workplace.run(["report"] + question + ["--url", collector.baseURL])
                #expect(served.status == 0, "\(served.errors)")
                let read = try await workplace.run(["report"] + question + ["--store", path])
                // A note names the source.
                #expect(read.errors.contains("the store \(path)") == served.errors.contains(collector.baseURL))
                #expect((read.status, read.output) == (served.status, served.output))
                #expect(try await WireEvents.send([WireEvents.event("view", id: "6")], to: collector.endpoint) == 200)
                #expect(try await collector.summary().events == 6)
            }
        }
    }

    @Test("leaves the file of a stopped collector unchanged")
    func closed() async throws {
        try await Workplace.use { workplace in
            let path = workplace.path("store.sqlite")
            try await Collector.use(CollectorConfiguration(storePath: path)) { collector in
                let status = try await WireEvents.send([WireEvents.event("view", id: "1")], to: collector.endpoint)
                #expect(status == 200)
            }
            let before = try Data(contentsOf: URL(filePath: path))
            let run = try await workplace.run("report", "count", "--store", path, "--format", "human")
            #expect((run.status, run.errors) == (0, ""))
            #expect(run.lines.map { $0.split(separator: " ").first } == ["name", "view", "total"])
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            let none = try await workplace.run("report", "count", "--store", path, "--name", "x", "--format", "human")
            #expect(
                none
                    == Finished(
                        status: 0,
                        output: "",
                        errors: "no event matches --name x; the store \(path) has 1 clickstream event\n"
                    )
            )
        }
    }

    @Test("refuses a question as the endpoint does, with status 64")
    func refused() async throws {
        let question = ["report", "funnel", "view:attributes.value = 2"]
        try await Workplace.use { workplace in
            let path = workplace.path("store.sqlite")
            try await Collector.use(CollectorConfiguration(storePath: path)) { collector in
                let served = try await workplace.run(question + ["--url", collector.baseURL])
                let read = try await workplace.run(question + ["--store", path])
                #expect((served.status, read.status) == (64, 64), "\(served.errors)\(read.errors)")
                #expect(served.errors.hasPrefix("error: the collector at \(collector.baseURL) rejected the query: "))
                #expect(
                    read.errors
                        == served.errors.replacing("the collector at \(collector.baseURL)", with: "the store \(path)")
                )
            }
        }
    }

    @Test("reports a missing file, and one that is not a store, without creating or changing it")
    func unusable() async throws {
        try await Workplace.use { workplace in
            let missing = try await workplace.run("report", "count", "--store", "nowhere.sqlite")
            #expect(
                missing
                    == Finished(
                        status: 66,
                        output: "",
                        errors: "error: no store at nowhere.sqlite: No such file or directory; check --store\n"
                    )
            )
            #expect(!FileManager.default.fileExists(atPath: workplace.path("nowhere.sqlite")))
            let text = String(repeating: "not a database\n", count: 100)
            let path = try workplace.write(text, to: "notes.txt")
            let foreign = try await workplace.run("report", "count", "--store", path)
            #expect(foreign.status == 73)
            #expect(foreign.errors.hasPrefix("error: cannot use \(path) as a store: "))
            #expect(try workplace.text(of: "notes.txt") == text)
        }
    }

    @Test("shows a person, and a crash with what preceded it")
    func personAndCrash() async throws {
        try await Workplace.use { workplace in
            try await Collector.use { collector in
                let events = [
                    WireEvents.event("view", id: "1"), WireEvents.event("view", id: "2", user: "u-2", session: "s-2"),
                    WireEvents.event("_app_exception", id: "3", attributes: "\"_exception_message\": \"cold\""),
                ]
                #expect(try await WireEvents.send(events, to: collector.endpoint) == 200)
                let url = ["--url", collector.baseURL]
                let person = try await workplace.run(["report", "user", "u-1", "--format", "human"] + url)
                #expect((person.status, person.errors) == (0, ""))
                #expect(person.lines.contains("Session s-1, device d") && !person.output.contains("s-2"))
                let newest = try await workplace.run(["report", "user", "u-1", "-n1", "--format", "ndjson"] + url)
                #expect(newest.lines.count == 1)
                #expect(newest.errors == "the newest 1 of 2 events; use --limit 2 for all\n")
                let crashes = try await workplace.run(["report", "crashes"] + url)
                let crash = try #require(JSONReader.parse(Array(crashes.output.utf8))["crashes"]?.array?.first)
                #expect(crash["crash"]?["event"]?["event_id"]?.string == "3")
                #expect(crash["before"]?.array?.compactMap { $0["event"]?["event_id"]?.string } == ["1"])
            }
        }
    }
}
#endif
