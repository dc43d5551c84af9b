import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("A withdrawal of consent beside a process that is sending")
struct WithdrawalBesideSenderTests {
    /// The process that is sending.
    enum Sender: Sendable, CaseIterable {
        /// An app, from its own run folder.
        case app
        /// `clickstream-cli flush`, from the run folder of an ended process.
        case tool
    }

    /// Two processes on one store: `one` decides, and the first request of `sender` with events named `before` is held.
    private struct Scene {
        let phone = Phone()
        let one: ClickstreamClient
        let sender: ClickstreamClient

        init(_ kind: Sender, _ policy: ClickstreamClient.Configuration.ConsentPolicy, reply status: Int) async throws {
            one = try phone.launch { $0.consent = policy }
            if policy != .notRequired { one.setConsent(.granted, for: .analytics) }
            let recorder = try phone.launch {
                $0.consent = policy
                $0.compressesEvents = false
            }
            for number in 0..<400 { recorder.record("before", attributes: ["number": number]) }
            if kind == .tool { recorder.kill() }
            sender = kind == .tool ? try phone.sender() : recorder
            phone.server.answer(.hold(.status(status)))
            sender.flushEvents()
            await phone.settle()
        }

        /// Waits for the end of the flush, and for the time of the next ones.
        func finishFlush() async {
            phone.server.release()
            _ = await sender.flush()
            await phone.time.advance(milliseconds: 600_000)
            _ = await sender.flush()
        }
    }

    @Test("ends the flush before its next request", arguments: Sender.allCases, [200, 400, 413, 503])
    func ends(kind: Sender, status: Int) async throws {
        for policy in [ClickstreamClient.Configuration.ConsentPolicy.notRequired, .hold] {
            let scene = try await Scene(kind, policy, reply: status)
            let (phone, one) = (scene.phone, scene.one)
            #expect(phone.server.heldCount == 1)
            one.setConsent(.denied, for: .analytics)
            await scene.finishFlush()
            #expect(phone.server.attempts.count == 1, "\(policy)")
            #expect(phone.records().isEmpty, "\(policy)")
            if kind == .app { #expect(scene.sender.consent(for: .analytics) == .denied) }
            scene.sender.terminate()
            one.terminate()
            let folder = try StoreFolder(phone.disk, root: "/data", appID: "shop")
            #expect(try folder.deadLetters.all() == [])
            let (ledger, pending) = try folder.ledger()
            #expect(ledger.recorded == ledger.settled)
            #expect(pending == 0)
        }
    }

    @Test("leaves only what is recorded after a new consent", arguments: Sender.allCases)
    func grantedAgain(kind: Sender) async throws {
        let scene = try await Scene(kind, .hold, reply: 200)
        let (phone, one, sender) = (scene.phone, scene.one, scene.sender)
        one.setConsent(.denied, for: .analytics)
        one.setConsent(.granted, for: .analytics)
        one.record("after")
        await scene.finishFlush()
        #expect(phone.server.attempts.count == 1)
        if kind == .app { sender.record("after") }
        sender.terminate()
        one.terminate()
        let next = try phone.sender()
        #expect(await next.flush().isComplete)
        let later = phone.server.uploads.dropFirst().flatMap(\.recordedEvents)
        #expect(!later.contains { $0.name == "before" })
        #expect(later.count { $0.name == "after" } == (kind == .app ? 2 : 1))
    }

    @Test(
        "is found by the first line of the state: another process's save makes it outdated, this one's reading does not"
    )
    func outdated() throws {
        let phone = Phone()
        func isOutdated(_ client: ClickstreamClient) -> Bool {
            client.shared.change { $0.access.log.store.isStateOutdated }
        }
        let one = try phone.launch()
        #expect(!isOutdated(one))
        let other = try phone.launch()
        #expect(isOutdated(one))
        #expect(!isOutdated(other))
        one.setUserID("carl")
        #expect(!isOutdated(one))
        #expect(isOutdated(other))
        phone.disk[Phone.path("state")] = nil
        #expect(isOutdated(one))
        one.kill()
        #expect(!isOutdated(one))
    }
}
