#if !Collector && !Audit
import Testing

@Suite("A build without traits")
struct BuildTraitTests {
    @Test(
        "ends a command that it lacks with 69, and names the command that builds it",
        arguments: [
            ("Collector", ["collect"]), ("Collector", ["collect", "--port", "0", "--", "true"]),
            ("Collector", ["replay", "shop.yaml"]), ("Collector", ["generate", "--events", "1"]),
            ("Collector", ["bench", "--events", "50"]), ("Collector", ["report", "count", "--store", "a.sqlite"]),
            ("Collector", ["mcp", "--store", "a.sqlite"]),
            ("Audit", ["audit", "a.sqlite", "--activity", "a", "--", "SELECT 1"]),
        ]
    )
    func missing(trait: String, arguments: [String]) async throws {
        try await Workplace.use { workplace in
            _ = try workplace.write(Scripts.shop, to: "shop.yaml")
            let run = try await workplace.run(arguments)
            #expect(run.status == 69)
            #expect(run.errors.contains("'swift build --traits \(trait) --product clickstream-cli'"), "\(run.errors)")
        }
    }
}
#endif
