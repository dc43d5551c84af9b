// The Swift blocks of Docs/server.md, compiled as printed.
import ClickstreamServer
import ClickstreamSimulation
import Foundation
import Testing

#if Server
import Logging
import ServiceLifecycle
import UnixSignals
#endif

func makeEvents() throws -> ServerEvents {
    let configuration = ClickstreamConfiguration()
        .withAppId("shop")
        .withEndpoint("https://example.com/collect")
    return try ServerEvents(configuration, sessions: SessionTable())
}

func addToCart(_ events: ServerEvents, cookie: String) {
    let visitor = Visitor(
        deviceID: cookie,
        userID: "u-17",
        userAttributes: ["plan": "gold"],
        screen: "Cart",
        locale: "de_DE",
        platform: "Web"
    )
    events.record("add_to_cart", ["value": 12.5], [["id": "p-1", "price": 12.5]], for: visitor)
}

func handle(_ events: ServerEvents, cookie: String) async {
    await ServerEvents.withVisitor(Visitor(deviceID: cookie)) {
        await search(events)
    }
}

func search(_ events: ServerEvents) async {
    events.record("search", ["term": "shoes"])
}

func stop(_ events: ServerEvents) async {
    let report = await events.shutdown(deadline: .seconds(10))
    print("sent \(report.sent), kept \(report.retained)")
}

func recordScroll(_ events: ServerEvents, by visitor: Visitor) {
    guard events.pressure.fraction < 0.8 else { return }
    events.record("scroll", for: visitor)
}

#if Server
func run(_ events: ServerEvents, logger: Logger) async throws {
    let analytics = ServerEventsService(events, logger: logger, deadline: .seconds(10))
    try await ServiceGroup(services: [analytics], gracefulShutdownSignals: [.sigterm], logger: logger).run()
}
#endif

@Suite("The examples of Docs/server.md")
struct ServerSnippets {
    @Test("record as described")
    func examples() async throws {
        let site = Site()
        let events = try site.start(sessions: SessionTable())
        addToCart(events, cookie: "d-1")
        await handle(events, cookie: "d-1")
        recordScroll(events, by: Visitor(deviceID: "d-1"))
        let names = site.takeLines().compactMap { RecordedEvent(json: Array($0.utf8))?.name }
        #expect(names == ["_session_start", "add_to_cart", "search", "scroll"])
    }

    @Test("are those of the article")
    func printed() throws {
        let article = try text(of: "Docs/server.md")
        let compiled = try text(of: "Tests/ClickstreamServerTests/ServerSnippets.swift")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count == 9)
        // `.ci/light-consumer` checks the parts of a manifest.
        for block in blocks where !block.hasPrefix(".") {
            for part in block.components(separatedBy: "\n\n") where !part.hasPrefix("import ") {
                #expect(compiled.contains(part.trimmingCharacters(in: .whitespacesAndNewlines)))
            }
        }
    }

    private func text(of path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
