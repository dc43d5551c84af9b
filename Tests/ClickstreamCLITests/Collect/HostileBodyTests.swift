#if Collector
import Foundation
import TestSupport
import Testing

/// Bodies that are made to cost much, sent to a collector process under an address space of 2 GiB. The script has the
/// whole corpus; here are the kinds that cost most, at a size for debug builds.
@Suite("Hostile bodies", .serialized)
struct HostileBodyTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Performance/Collector/hostile").standardized.path

    private static let kinds = [
        "array of numbers", "elements that are no events", "ten million findings", "bad items", "combining characters",
        "escaped id", "bomb of text", "encoded twice", "members that hide their size", "chained identities",
        "pulse: empty events", "pulse: many navigation paths", "pulse: many events of many sources",
        "contentsquare: long header of many events", "contentsquare: header of many members",
        "audit: many events of many tables", "audit: more rows than are checked", "texts for patterns",
        "values of combining marks", "names near to planned ones", "attributes near to planned ones",
        "pulse: texts for patterns", "contentsquare: combining marks", "audit: names near to known ones",
    ]

    /// Kinds of each format that take little time even in a debug build. The last but one needs the 700 000 bytes of `corpus`.
    private static let shortKinds = [
        "array of numbers", "bad items", "pulse: many navigation paths", "contentsquare: header of many members",
        "audit: more rows than are checked", "names near to planned ones",
    ]

    @Test(
        "cost memory and time proportional to their length, and do not affect the collector",
        .enabled("needs python3") {
            try await Workplace.use {
                try await $0.start(command: ["python3", "-c", "import resource"]).finish().status == 0
            }
        },
        arguments: TestLength.current == .short ? shortKinds : kinds
    )
    func corpus(_ kind: String) async throws {
        try await Workplace.use { workplace in
            let finished = try await workplace.start(
                command: ["python3", Self.script, kind],
                environment: [
                    "CLI": Workplace.executable.path, "SIZE": "\(TestLength.count(700_000, full: 1_000_000))",
                    "CPU": "80", "MEMORY": "400", "STOP": "30", "AFTER": "60",
                ]
            ).finish()
            #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
        }
    }
}
#endif
