import ClickstreamCore
import Foundation
import Testing

@Suite("replay --dry-run")
struct DryRunTests {
    @Test("prints the same bytes each time, only JSON lines, and keeps no files")
    func repeatable() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let first = try await workplace.run("replay", script, "--dry-run")
            let second = try await workplace.run("replay", script, "--dry-run")
            #expect(first.status == 0)
            #expect(first.lines == second.lines)
            #expect(
                try first.lines.map { try Self.event($0)["event_type"]?.string } == [
                    "_first_open", "_app_start", "_session_start", "_screen_view", "_user_engagement", "_screen_view",
                    "add_to_cart", "_profile_set", "_clickstream_error", "_user_engagement", "_app_end",
                ]
            )
            #expect(first.output.hasSuffix("}\n"))
            #expect(workplace.contents(of: "tmp") == [])
            #expect(workplace.contents(of: "state") == [])
        }
    }

    @Test("starts the clock at 2024-01-01 in UTC")
    func start() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run("replay", script, "--dry-run")
            let stamps = try run.lines.map { try Self.event($0)["timestamp"]?.integer }
            let start: Int64 = 1_704_067_200_000
            #expect(stamps.first == start)
            #expect(stamps.last == start + 5_500)
        }
    }

    @Test("reads the same script as JSON")
    func json() async throws {
        try await Workplace.use { workplace in
            let yaml = try await workplace.run("replay", workplace.write(Scripts.shop, to: "a.yaml"), "--dry-run")
            let json = try await workplace.run("replay", workplace.write(Scripts.shopAsJSON, to: "a.json"), "--dry-run")
            #expect(json.status == 0)
            #expect(yaml.output == json.output)
        }
    }

    @Test("--seed affects only the ids")
    func seed() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let own = try await workplace.run("replay", script, "--dry-run")
            let same = try await workplace.run("replay", script, "--dry-run", "--seed", "11")
            let other = try await workplace.run("replay", script, "--dry-run", "--seed", "12")
            let otherAgain = try await workplace.run("replay", script, "--dry-run", "--seed", "12")
            #expect(own.output == same.output)
            #expect(other.output == otherAgain.output)
            let ids = try [own, other].map { try $0.lines.map { try Self.event($0)["event_id"]?.string } }
            #expect(Set(ids[0]).isDisjoint(with: ids[1]))
            let names = try [own, other].map { try $0.lines.map { try Self.event($0)["event_type"]?.string } }
            #expect(names[0] == names[1])
        }
    }

    @Test("scripts of two apps record different ids with the same seed")
    func apps() async throws {
        try await Workplace.use { workplace in
            var ids: [[String?]] = []
            for app in ["shop", "news"] {
                let script = try workplace.write(Scripts.events(3, appID: app), to: "\(app).yaml")
                let run = try await workplace.run("replay", script, "--dry-run", "--seed", "7")
                ids.append(try run.lines.map { try Self.event($0)["event_id"]?.string })
            }
            #expect(ids.allSatisfy { $0.count > 3 })
            #expect(Set(ids[0]).isDisjoint(with: ids[1]))
        }
    }

    @Test("--users plays users consecutively, with consecutive seeds")
    func users() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            var alone = ""
            for seed in ["11", "12", "13"] {
                alone += try await workplace.run("replay", script, "--dry-run", "--seed", seed).output
            }
            let together = try await workplace.run("replay", script, "--dry-run", "--users", "3")
            #expect(together.status == 0)
            #expect(together.output == alone)
        }
    }

    @Test("plays several scripts consecutively, each with its own store")
    func several() async throws {
        try await Workplace.use { workplace in
            let shop = try workplace.write(Scripts.shop, to: "shop.yaml")
            let other = try workplace.write(Scripts.events(2), to: "other.yaml")
            let alone = [
                try await workplace.run("replay", other, "--dry-run"),
                try await workplace.run("replay", shop, "--dry-run"),
            ]
            let together = try await workplace.run("replay", other, shop, "--dry-run")
            #expect(together.status == 0)
            #expect(together.output == alone.map(\.output).joined())
        }
    }

    @Test("continues in the store of --storage, and keeps it")
    func storage() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(1), to: "one.yaml")
            let first = try await workplace.run("replay", script, "--dry-run", "--storage", "store")
            let second = try await workplace.run("replay", script, "--dry-run", "--storage", "store")
            #expect([first.status, second.status] == [0, 0])
            #expect(first.output.contains("_first_open"))
            #expect(second.lines.count == 2)
            #expect(!second.output.contains("_first_open"))
            #expect(workplace.contents(of: "store").contains("shop/clickstream-store"))
        }
    }

    @Test("repeats ten thousand times, and limits repeated errors on standard error")
    func many() async throws {
        try await Workplace.use { workplace in
            let many = try await workplace.run(
                "replay",
                workplace.write(Scripts.events(10_000), to: "a.yaml"),
                "--dry-run"
            )
            #expect(many.status == 0)
            #expect(many.lines.count == 10_003)
            #expect(many.errors == "")
            let wrong = Scripts.events(2_000).replacing("add_to_cart", with: "\"no name\"")
            let invalid = try await workplace.run("replay", workplace.write(wrong, to: "b.yaml"), "--dry-run")
            #expect(invalid.status == 0)
            #expect(invalid.lines.count == 2_003)
            let errors = invalid.errors.split(separator: "\n")
            #expect(errors.count == 102)
            #expect(errors.first?.hasPrefix("warning: invalid event name \"no name\": use letters") == true)
            #expect(errors.last == "warning: 2000 warnings in total")
            let quiet = try await workplace.run("replay", "b.yaml", "--dry-run", "--quiet")
            #expect(quiet == Finished(status: 0, output: invalid.output, errors: ""))
        }
    }

    @Test("reports that its output cannot be written", .enabled(if: Workplace.hasFullDevice))
    func fullOutput() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(2_000), to: "a.yaml")
            let run = try await workplace.run("replay", script, "--dry-run", output: "/dev/full")
            #expect(run.status == 74)
            #expect(run.errors.contains("cannot write to standard output: No space left on device"))
        }
    }

    private static func event(_ line: Substring) throws -> JSONValue {
        try JSONReader.parse(Array(line.utf8))
    }
}

extension Workplace {
    static var hasFullDevice: Bool { FileManager.default.isWritableFile(atPath: "/dev/full") }
}
