import Foundation
import Testing

@testable import clickstream_cli

@Suite("replay --expect")
struct GoldenFileTests {
    @Test("accepts a file that it wrote, and shows the differences to another")
    func golden() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let dry = try await workplace.run("replay", script, "--dry-run")

            let missing = try await workplace.run("replay", script, "--dry-run", "--expect", "golden.ndjson")
            #expect(missing.status == 66)
            #expect(missing.output == "")
            #expect(missing.errors.contains("use --update to write it"))

            let update = try await workplace.run("replay", script, "--dry-run", "--expect", "golden.ndjson", "--update")
            #expect(update.status == 0)
            #expect(try workplace.text(of: "golden.ndjson") == dry.output)

            let equal = try await workplace.run("replay", script, "--dry-run", "--expect", "golden.ndjson")
            #expect(equal.status == 0)
            #expect(equal.output == dry.output)

            let line = dry.lines[6]
            let changed = line.replacing("279.9", with: "280.0")
            try workplace.write(dry.output.replacing(line, with: changed), to: "golden.ndjson")
            let different = try await workplace.run("replay", script, "--dry-run", "--expect", "golden.ndjson")
            #expect(different.status == 1)
            #expect(different.output == dry.output)
            #expect(different.errors.contains("- 7: \(changed)\n+ 7: \(line)\n"), "\(different.errors)")
            #expect(different.errors.contains("the recorded events differ from golden.ndjson"))
        }
    }

    @Test("cannot write into a missing folder: status 73")
    func unwritable() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run("replay", script, "--dry-run", "--expect", "no/golden", "--update")
            #expect(run.status == 73)
            #expect(run.errors.hasPrefix("error: cannot write no/golden: no such folder: "), "\(run.errors)")
            #expect(run.output == "")
            let folder = try await workplace.run("replay", script, "--dry-run", "--expect", "tmp", "--update")
            #expect(folder.status == 73)
            #expect(folder.errors == "error: cannot write tmp: it is a folder; name a file in it\n")
            let reading = try await workplace.run("replay", script, "--dry-run", "--expect", "tmp")
            #expect(reading.status == 66)
            #expect(reading.errors == "error: cannot read tmp: it is a folder; name a file in it\n")
        }
    }

    @Test(
        "names each missing or additional line",
        arguments: [
            (["a", "b"], ["a", "b"], []),
            (["a", "b", "c"], ["a", "c"], ["- 2: b"]),
            (["a", "c"], ["a", "b", "c"], ["+ 2: b"]),
            (["a", "x", "c"], ["a", "y", "c"], ["- 2: x", "+ 2: y"]),
            ([], ["a"], ["+ 1: a"]),
            (["a", "a"], ["a"], ["- 2: a"]),
            (["\u{E9}"], ["e\u{301}"], ["- 1: \u{E9}", "+ 1: e\u{301}"]),
        ] as [([String], [String], [String])]
    )
    func difference(expected: [String], actual: [String], lines: [String]) {
        #expect(GoldenFile.difference(expected: expected, actual: actual) == lines)
    }

    @Test(
        "accepts line ends and byte order marks of editors",
        arguments: ["a\nb\n", "a\nb", "a\r\nb\r\n", "\u{FEFF}a\nb\n", "\u{FEFF}a\r\nb"]
    )
    func lines(text: String) {
        #expect(GoldenFile.lines(of: Array(text.utf8)) == ["a", "b"])
    }

    @Test("compares completely different files line by line, in time linear in their length")
    func longDifference() {
        let expected = (0..<20_000).map { "\($0)" }
        let lines = GoldenFile.difference(expected: expected, actual: expected.map { $0 + "!" } + ["end"])
        #expect(lines.count == 40_001)
        #expect(Array(lines.prefix(2)) == ["- 1: 0", "+ 1: 0!"])
        #expect(lines.last == "+ 20001: end")
    }
}
