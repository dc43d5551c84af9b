import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

@Suite("validate --archive")
struct ArchiveRunTests {
    private static func event(_ id: String, _ extra: String = "", time: Int64 = 1_699_999_999_000) -> String {
        #"{"event_type":"tap","event_id":"\#(id)","app_id":"shop","timestamp":\#(time)\#(extra)}"#
    }

    private static func line(_ data: String) -> String {
        let members: [JSONMember] = [
            .text("data", data), .number("ingest_time", 1_700_000_000_000), .text("appId", "shop"),
            .text("uri", "/collect?appId=shop"),
        ]
        return JSONValue(.object(members)).description
    }

    /// Writes an archive of two hours, with a file that is not closed.
    private static func write(_ workplace: Workplace) throws {
        let long = String(repeating: "x", count: 300)
        let hours = [
            [
                line("[\(event("A")),\(event("B", time: 1_600_000_000_000))]"),
                line("[\(event("A", #","model":"\#(long)""#))]"),
            ],
            [line("[\(event("C", #","platform":[]"#))]"), line(event("D")), "cut {"],
        ]
        for (hour, lines) in hours.enumerated() {
            let folder = workplace.path("archive/year=2023/month=11/day=14/hour=0\(hour)")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let bytes = Gzip.deflate(Array(lines.joined(separator: "\n").utf8))
            try Data(bytes).write(to: URL(filePath: "\(folder)/1700000000-a.log.gz"))
            try Data([0]).write(to: URL(filePath: "\(folder)/_1700000000-b.log.gz.part"))
        }
    }

    @Test("prints the fate of each event, in order")
    func fates() async throws {
        try await Workplace.use { workplace in
            try Self.write(workplace)
            let run = try await workplace.run("validate", "--archive", "archive", "--format", "ndjson")
            #expect(run.status == 1)
            let found = try run.lines.map { try JSONReader.parse(Array($0.utf8)) }
            let fates = found.map { value in
                ["event_id", "fate", "code"].map { value[$0]?.string ?? "-" }.joined(separator: " ")
                    + " \(value["line"]?.integer ?? 0) \(value["index"]?.integer ?? -1)"
            }
            #expect(
                fates == [
                    "A row - 1 0", "B dropped etl_stale 1 1", "A merged - 2 0",
                    "C etl_corrupted_json_clickstream etl_not_a_text 1 0", "- dropped etl_unreadable_body 2 -1",
                    "- etl_corrupted_json_data etl_unreadable_body 3 -1",
                ]
            )
            #expect(found[2]["changes"]?.array?.map(\.string) == ["etl_cut"])
            let human = try await workplace.run("validate", "--archive", "archive/year=2023", "--format", "human")
            #expect(human.lines.count == 6)
            #expect(human.lines.last?.hasPrefix("6 events in 5 requests: 1 row, 1 merged, ") == true)
            #expect(human.lines.last?.hasSuffix("; 1 with changed values") == true)
            let report = try await workplace.run("validate", "--archive", "archive", "--report", "github")
            #expect(report.status == 1)
            #expect(report.lines.filter { $0.hasPrefix("::error ") }.count == 4)
        }
    }

    @Test("reads the files behind a damaged one, and then reports it", arguments: ["json", "human"])
    func damaged(format: String) async throws {
        try await Workplace.use { workplace in
            try Self.write(workplace)
            let file = workplace.path("archive/year=2023/month=11/day=14/hour=00/1700000000-a.log.gz")
            let whole = [UInt8](try Data(contentsOf: URL(filePath: file)))
            try Data(whole.dropLast(8)).write(to: URL(filePath: file))
            let run = try await workplace.run("validate", "--archive", "archive", "--format", format)
            #expect(run.status == 65)
            #expect(run.errors.contains("the gzip data ends too early"))
            if format == "json" {
                let found = try JSONReader.parse(Array(run.output.utf8)).array
                #expect(found?.last?["message"]?.string == "the line is not JSON")
            } else {
                #expect(run.lines.last?.contains("1 etl_corrupted_json_clickstream") == true)
            }
        }
    }

    @Test(
        "fails if an event has no row",
        arguments: [
            ([], 0), (["--strict"], 1), (["--freshness", "1h"], 0), (["--freshness", "500ms"], 1),
            (["--app-id", "shop"], 0),
            (["--app-id", "desk"], 1), (["--app-id", "desk", "--app-id", "shop"], 0),
        ] as [([String], Int32)]
    )
    func status(options: [String], status: Int32) async throws {
        try await Workplace.use { workplace in
            let file = workplace.path("requests.ndjson")
            try workplace.write(
                Self.line("[\(Self.event("A", #","model":"\#(String(repeating: "x", count: 300))""#))]"),
                to: "requests.ndjson"
            )
            let run = try await workplace.run(["validate", "--archive", file] + options)
            #expect(run.status == status, "\(run.output)")
        }
    }

    @Test(
        "refuses what does not fit",
        arguments: [
            (["--archive", "tmp"], 66, "without the files of an archive"), (["--archive", "none"], 66, "no such file"),
            ([], 64, "name a file of events"), (["-", "--archive", "tmp"], 64, "--archive replaces the file"),
            (["--archive", "tmp", "--form", "pulse"], 64, "cannot be combined"),
            (["-", "--app-id", "shop"], 64, "need --archive"),
            (["--archive", "tmp", "--app-id", ""], 64, "--app-id is empty"),
        ] as [([String], Int32, String)]
    )
    func refusals(arguments: [String], status: Int32, text: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["validate"] + arguments)
            #expect(run.status == status)
            #expect(run.errors.contains(text), "\(run.errors)")
        }
    }
}
