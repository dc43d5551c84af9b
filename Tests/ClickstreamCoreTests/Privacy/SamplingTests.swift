import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("Sampling")
struct SamplingTests {
    @Test("records all events of a name or none, by device, with the rate in the event")
    func share() throws {
        var recording = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            let phone = Phone(seed: seed)
            let client = try phone.launch { $0.sampling = ["scroll": 0.25, "always": 1, "never": 0] }
            for _ in 0..<3 { client.record("scroll") }
            client.record("always")
            client.record("never")
            client.record("tap")
            let scrolls = phone.log.events.filter { $0.name == "scroll" }
            #expect(scrolls.isEmpty || scrolls.count == 3)
            #expect(scrolls.allSatisfy { $0["_sampling_rate"] == .number(JSONNumber(double: 0.25)) })
            recording += scrolls.isEmpty ? 0 : 1
            #expect(phone.log.events.last?.name == "tap")
            #expect(phone.log.events.last?["_sampling_rate"] == nil)
            #expect(phone.log.events.contains { $0.name == "always" })
            #expect(!phone.log.events.contains { $0.name == "never" })
            let (ledger, pending) = client.ledger
            #expect(ledger[.sampledOut] == 1 + (scrolls.isEmpty ? 3 : 0))
            #expect(ledger.recorded == ledger.settled + pending)
        }
        // A binomial distribution: 50 of 200, with a standard deviation of 6.
        #expect((26...74).contains(recording))
    }

    @Test("has the same verdict on a device in each process, and another by device and name")
    func stable() {
        var names = 0
        for name in 0..<1_000 {
            let one = Sampler.position(of: "event\(name)", deviceID: "one")
            #expect(one == Sampler.position(of: "event\(name)", deviceID: "one"))
            let other = Sampler.position(of: "event\(name)", deviceID: "other")
            if (one < 0.5) != (other < 0.5) { names += 1 }
            #expect(0..<1 ~= one)
        }
        #expect((400...600).contains(names))
    }

    @Test("follows a change of the configuration")
    func change() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.record("scroll")
        client.configure { $0.sampling = ["scroll": 0] }
        client.record("scroll")
        client.configure { $0.sampling = [:] }
        client.record("scroll")
        #expect(phone.log.events.count { $0.name == "scroll" } == 2)
        #expect(client.ledger.ledger[.sampledOut] == 1)
    }

    @Test(
        "is configured by rates from 0 to 1 of the app's own names",
        arguments: [
            (#"{"scroll": 0.1, "tap": 1}"#, nil), (#"{"scroll": 1.5}"#, "must be rates from 0 to 1"),
            (#"{"scroll": "all"}"#, "must be rates from 0 to 1"), (#"{"_session_start": 0.5}"#, "cannot sample"),
            ("0.5", "must be an object of rates"),
        ] as [(String, String?)]
    )
    func configuration(text: String, problem: String?) throws {
        let key = try #require(ConfigurationKey.named("sampling"))
        var configuration = ClickstreamClient.Configuration(appID: "shop")
        let found = key.apply(key.value(ofVariable: text), to: &configuration)
        #expect((found == nil) == (problem == nil))
        if let problem { #expect(found?.message.contains(problem) == true, "\(found?.message ?? "")") }
        if problem == nil { #expect(configuration.sampling == ["scroll": 0.1, "tap": 1]) }
    }
}

@Suite("Timed events")
struct TimingTests {
    @Test("carry the duration since the start, without the time in the background, once")
    func duration() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.startTiming("checkout")
        await phone.time.advance(milliseconds: 1_500)
        client.record("tap")
        client.background()
        await phone.time.advance(milliseconds: 60_000)
        client.foreground()
        await phone.time.advance(milliseconds: 500)
        client.record("checkout", attributes: ["price": 1])
        client.record("checkout")
        let events = phone.log.events.filter { $0.name == "checkout" }
        #expect(events.map { $0["_event_duration"] } == [.number(JSONNumber(integer: 2_000)), nil])
        #expect(phone.log.events.first { $0.name == "tap" }?["_event_duration"] == nil)
    }

    @Test("restart, and are cancelled")
    func restart() async throws {
        let phone = Phone()
        let client = try phone.launch()
        client.startTiming("one")
        client.startTiming("two")
        await phone.time.advance(milliseconds: 700)
        client.startTiming("one")
        client.cancelTiming("two")
        await phone.time.advance(milliseconds: 300)
        client.record("one")
        client.record("two")
        #expect(phone.log.events.suffix(2).map { $0["_event_duration"] } == [.number(JSONNumber(integer: 300)), nil])
    }

    @Test("are at most 100; one more is refused with a warning")
    func limit() throws {
        let phone = Phone()
        let client = try phone.launch()
        for number in 0...100 { client.startTiming("event\(number)") }
        #expect(phone.log.all.codes == [.inputIgnored])
        client.record("event99")
        client.record("event100")
        #expect(phone.log.events.suffix(2).map { $0["_event_duration"] != nil } == [true, false])
    }

    @Test("measure nothing in the background")
    func background() {
        var timings = Timings()
        timings.pause(at: 100)
        let isStarted = timings.start("a", at: 150)
        #expect(isStarted)
        timings.resume(at: 1_000)
        let durations = [timings.end("a", at: 1_010), timings.end("a", at: 1_010)]
        #expect(durations == [10, nil])
        #expect(timings.isEmpty)
    }
}
