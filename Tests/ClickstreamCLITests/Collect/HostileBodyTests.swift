#if Collector
import FormatFixtures
import Foundation
import TestSupport
import Testing

/// Bodies that are made to cost much, sent to a collector process under an address space of 2 GiB. The script has the
/// whole corpus; here are the kinds that cost most, at a size for debug builds.
@Suite("Hostile bodies", .serialized)
struct HostileBodyTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../Performance/Collector/hostile").standardized.path

    private static let kinds =
        [
            "array of numbers", "elements that are no events", "ten million findings", "bad items",
            "combining characters", "escaped id", "bomb of text", "encoded twice", "members that hide their size",
            "chained identities",
            "audit: many events of many tables", "audit: more rows than are checked", "texts for patterns",
            "values of combining marks", "names near to planned ones", "attributes near to planned ones",
            "audit: names near to known ones",
        ] + FormatFixture.all.flatMap { form in form.commandLine.hostileBodies.map { "\(form): \($0)" } }

    /// Kinds of each format that take little time even in a debug build. That of many rows needs the 700 000 bytes of `corpus`.
    private static let shortKinds =
        [
            "array of numbers", "bad items", "audit: more rows than are checked", "names near to planned ones",
        ] + FormatFixture.all.flatMap { form in form.commandLine.shortHostileBodies.map { "\(form): \($0)" } }

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
