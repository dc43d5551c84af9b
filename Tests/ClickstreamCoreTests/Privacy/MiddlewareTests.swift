import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Middleware")
struct MiddlewareTests {
    @Test("changes, keeps and drops events of the app before the rules, and is counted by name")
    func chain() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addMiddleware("redact") { event in
            if event.attributes["email"] != nil { event.attributes["email"] = "redacted" }
            return .keep
        }
        client.addMiddleware("internal") { $0.name.hasPrefix("debug_") ? .drop : .keep }
        client.addMiddleware("rename") { event in
            if event.name == "bad name" { event.name = "good_name" }
            return .keep
        }
        client.record("signup", attributes: ["email": "ann@example.com"])
        client.record("debug_tap", attributes: ["email": "ann@example.com"])
        client.record("bad name")
        client.record("buy", attributes: ["email": "a"], items: [["id": "1"]])
        let events = phone.log.events.suffix(3)
        #expect(events.map(\.name) == ["signup", "good_name", "buy"])
        #expect(!events.contains { $0.text.contains("ann@example.com") })
        let (ledger, pending) = client.ledger
        #expect(ledger[.middlewareDropped] == 1)
        #expect(ledger.middleware["redact"]?.changed == 3)
        #expect(ledger.middleware["redact"]?.dropped == 0)
        #expect(ledger.middleware["internal"]?.dropped == 1)
        #expect(ledger.middleware["rename"]?.changed == 1)
        #expect(ledger.recorded == ledger.settled + pending)
        // Across a restart nothing is forgotten.
        client.terminate()
        let next = try phone.launch()
        #expect(next.ledger.ledger.middleware == ledger.middleware)
    }

    @Test("of the same name replaces, and is removed by name")
    func names() {
        var chain = MiddlewareChain()
        chain.add(Middleware("one") { _ in .drop })
        chain.add(Middleware("two") { _ in .keep })
        chain.add(Middleware("one") { _ in .keep })
        #expect(chain.all.map(\.name) == ["one", "two"])
        var draft = DraftEvent("tap")
        let outcome = chain.run(&draft)
        #expect(outcome == MiddlewareOutcome())
        chain.remove("one")
        #expect(chain.all.map(\.name) == ["two"])
    }

    @Test("after a function that drops is not called")
    func order() {
        var chain = MiddlewareChain()
        chain.add(Middleware("drop") { _ in .drop })
        chain.add(
            Middleware("later") { draft in
                draft.name = "changed"
                return .keep
            }
        )
        var draft = DraftEvent("tap")
        let outcome = chain.run(&draft)
        #expect(outcome.droppedBy == "drop")
        #expect(outcome.changedBy == [])
        #expect(draft.name == "tap")
    }

    @Test("sees the attributes of the scope, of which the innermost and the event's own are used")
    func scopes() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.addGlobalAttributes(["variant": "global", "channel": "web"])
        ScopedAttributes.$current.withValue(ScopedAttributes.nested(["experiment": "checkout", "variant": "A"])) {
            ScopedAttributes.$current.withValue(ScopedAttributes.nested(["variant": "B"])) {
                client.record("tap", attributes: ["own": 1])
                client.record("tap", attributes: ["variant": "own"])
            }
            client.record("tap")
        }
        client.record("tap")
        let taps = phone.log.events.suffix(4)
        #expect(taps.map { $0["variant"] } == ["B", "own", "A", "global"].map { .string($0) })
        #expect(taps.map { $0["experiment"] != nil } == [true, true, true, false])
        #expect(taps.allSatisfy { $0["channel"] == .string("web") })
    }
}
