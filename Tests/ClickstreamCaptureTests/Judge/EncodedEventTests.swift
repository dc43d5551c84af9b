import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import Testing

/// Output of the real encoders, checked as the collector does.
@Suite("CapturedJudge on encoded events")
struct EncodedEventTests {
    private let encoder = PulseEncoder(connection: .mobile, previousEvents: [UniqueID(high: 3, low: 4)])

    /// The findings without those on times: the clock of these tests starts in 1970.
    private func verdict(_ json: [UInt8], _ judge: inout CapturedJudge) throws -> CapturedJudge.Verdict {
        var verdict = judge.judge(try JSONReader.parse(json))
        verdict.findings.removeAll { $0.code.hasSuffix("_time_unit") }
        verdict.isBad = verdict.findings.contains { $0.severity == .error }
        return verdict
    }

    @Test("has no finding on the examples of document 003, as printed and as encoded", arguments: PulseExample.all)
    func examples(_ example: PulseExample) throws {
        let encoded = try #require(encoder.encode(example.event()))
        for value in [try example.json(), try JSONReader.parse(encoded)] {
            var judge = CapturedJudge(.pulse, receivedAt: Timestamp(milliseconds: 1_722_351_400_000))
            let verdict = judge.judge(value)
            #expect(verdict.findings == [])
            #expect(verdict.name == value["event_type"]?.string)
        }
    }

    @Test("has no finding on revenue events", arguments: RevenueKind.allCases)
    func revenue(_ kind: RevenueKind) throws {
        let event = RevenueEvent(
            kind,
            id: UniqueID(high: 1, low: 2),
            time: .at(0),
            isInBackground: true,
            context: PageContext(),
            properties: ["price": 9.99]
        )
        var judge = CapturedJudge(.pulse, receivedAt: nil)
        #expect(try verdict(encoder.encode(event), &judge).findings == [])
    }

    @Test("has no error on the events of random sessions, which the seed determines")
    func random() throws {
        var counts: [String: Int] = [:]
        for number in 1...400 {
            let script = RandomCapture.script(number: UInt64(number))
            var contentsquare = ContentsquareEncoder()
            for (index, event) in CapturePlayer.play(script).events.enumerated() {
                var judge = CapturedJudge(.pulse, receivedAt: nil)
                if let json = encoder.encode(event) {
                    try check(json, &judge, number, index, &counts)
                }
                judge = CapturedJudge(.contentsquare, receivedAt: nil)
                if let json = contentsquare.encode(event, in: context) {
                    try check(json, &judge, number, index, &counts)
                }
            }
        }
        for name in ["page_load", "page_view", "click", "scroll", "gesture", "items_impression", "tap", "flick"] {
            #expect(counts[name, default: 0] > 20, "\(name)")
        }
    }

    private func check(
        _ json: [UInt8],
        _ judge: inout CapturedJudge,
        _ script: Int,
        _ index: Int,
        _ counts: inout [String: Int]
    ) throws {
        let verdict = try verdict(json, &judge)
        counts[verdict.name, default: 0] += 1
        // A drag of 48.5 dp has the truncated distance 48; the clock of a script may be set back.
        let expected: Set<String> = ["contentsquare_gesture_threshold", "pulse_item_time"]
        let findings = verdict.findings.filter { !expected.contains($0.code) }
        let text = String(decoding: json, as: UTF8.self)
        #expect(findings == [] && !verdict.isBad, "event \(index) of script \(script): \(text)")
    }

    private let context = ContentsquareContext(
        appID: "shop",
        device: Device(platform: "iOS", networkType: "WIFI", screenWidth: 393, screenHeight: 852),
        session: Session(number: 1, uniqueID: "dc7a7a18", at: .at(0))
    )

    @Test("has no finding on the other events of document 002")
    func contentsquare() throws {
        var encoder = ContentsquareEncoder()
        let euro = try #require(Currency("EUR"))
        let variables = (1...21).map { CustomVariable(index: $0, name: "name_\($0)", value: "value") }
        let actions: [(ContentsquareAction, String)] = [
            (.start, "app_start"), (.show, "app_show"), (.hide, "app_hide"),
            (
                .screen(ContentsquareScreen(name: "Startseite ä", className: "A/B"), CustomVariables(variables)),
                "screenview"
            ),
            (.transaction(try #require(Transaction(value: 20, currency: euro, id: "T"))), "transaction"),
            (.transaction(try #require(Transaction(value: -0.5, currency: euro))), "transaction"),
            (.variable(DynamicVariable(key: "k", value: .text(""))), "dynamic_variable"),
            (.variable(DynamicVariable(key: "k", value: .integer(.min))), "dynamic_variable"),
        ]
        var judge = CapturedJudge(.contentsquare, receivedAt: nil)
        for (action, name) in actions {
            let json = encoder.encode(action, id: UniqueID(high: 1, low: 2), at: .at(5), in: context)
            let verdict = try verdict(json, &judge)
            #expect(verdict.findings == [] && verdict.name == name, "\(String(decoding: json, as: UTF8.self))")
        }
    }
}
