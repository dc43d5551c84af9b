import ClickstreamCore
import ClickstreamJudges
import ClickstreamReplay
import Testing

@testable import clickstream_cli

@Suite("Simulated shop user")
struct ShopLifeTests {
    @Test("is deterministic, and does not live longer than the server keeps sessions")
    func seeds() {
        var spans: Set<Int64> = []
        for seed in UInt64(1)...200 {
            let life = ShopLife(appID: "shop", seed: seed, invalid: 0.1)
            let again = ShopLife(appID: "shop", seed: seed, invalid: 0.1)
            #expect((life.steps, life.facts) == (again.steps, again.facts))
            #expect(life.span < ServerRule.freshness)
            spans.insert(life.span)
        }
        #expect(spans.count == 200)
    }

    @Test("begins with a launch, and acts only while a process exists")
    func order() {
        for seed in UInt64(1)...200 {
            var isAlive = false
            for step in ShopLife(appID: "shop", seed: seed, invalid: 0).steps {
                switch step.action {
                case .launch:
                    #expect(!isAlive)
                    isAlive = true
                case .terminate, .kill:
                    #expect(isAlive)
                    isAlive = false
                case .wait: break
                default: #expect(isAlive)
                }
            }
            #expect(!isAlive)
        }
    }

    @Test(
        "makes the requested number of mistakes",
        arguments: [(0.0, 0...0), (0.5, 300...700), (1.0, 1_000...1_000)]
    )
    func errors(invalid: Double, perMille: ClosedRange<Int>) {
        var recorded = 0
        var errors = 0
        for seed in UInt64(1)...30 {
            let life = ShopLife(appID: "shop", seed: seed, invalid: invalid)
            recorded += life.steps.count { if case .record = $0.action { true } else { false } }
            errors += life.invalidSteps
        }
        #expect(perMille.contains(errors * 1_000 / recorded))
    }
}
