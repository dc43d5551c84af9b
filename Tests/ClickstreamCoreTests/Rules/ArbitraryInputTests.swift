import ClickstreamJudges
import ClickstreamSimulation
import Foundation
import Testing

@testable import ClickstreamCore

@Suite("Rules: arbitrary input")
struct ArbitraryInputTests {
    /// Stored events and notices after arbitrary calls.
    private func notices(seed: UInt64, calls: Int) throws -> [Notice] {
        var input = ArbitraryInput(seed: seed)
        let phone = Phone(seed: seed)
        let client = try phone.launch()
        for _ in 0..<calls { input.act(on: client) }
        client.enable()
        return phone.log.take()
    }

    @Test(
        "for any calls, the server-side check finds only what the event reports",
        arguments: 0..<24
    )
    func judge(seed: UInt64) throws {
        let notices = try notices(seed: seed, calls: 60)
        #expect(notices.events.count > 6)
        // Suggested limits may be passed, and an entry of the library's named.
        #expect(notices.codes.allSatisfy { $0 == .suggestion || $0 == .inputIgnored }, "\(notices.warnings)")
        #expect(notices.unstored == [])
        for event in notices.events {
            #expect(!event.json.contains(UInt8(ascii: "\n")))
            let value = try JSONReader.parse(event.json, loneSurrogates: .refused)
            for name in ["attributes", "user"] {
                let names = value[name]?.members?.map(\.name) ?? []
                #expect(Set(names).count == names.count)
            }
            // The library checks neither unit nor range of an attribute that is named like a time, nor the bytes of a text.
            let findings = WireJudge.judge(value, receivedAt: Timestamp(milliseconds: value["timestamp"]?.integer ?? 0))
                .filter { !["etl_time_unit", "etl_time_range", "etl_cut"].contains($0.code) }
            let reported = event["_error_code"] == nil ? 0 : 1
            #expect(findings.count <= reported, "\(findings): \(event.text.prefix(2_000))")
        }
    }

    @Test("every violation is short, of its rule's subject, and without invisible characters", arguments: 0..<12)
    func violations(seed: UInt64) throws {
        var isAny = false
        for notice in try notices(seed: seed &+ 1_000, calls: 60) {
            let violations: [Violation]
            switch notice {
            case .recorded(_, _, _, let found), .rejected(let found): violations = found
            default: continue
            }
            #expect(violations.count <= Rules.maxFindings + 2)
            for violation in violations {
                isAny = true
                #expect(violation.message.unicodeScalars.count <= 256 && violation.name.unicodeScalars.count <= 50)
                #expect(violation.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
                #expect(Rules[violation.code]?.subject == violation.subject)
            }
        }
        #expect(isAny)
    }

    @Test("the same calls produce the same events and violations", arguments: 0..<4)
    func deterministic(seed: UInt64) throws {
        #expect(try notices(seed: seed, calls: 60) == notices(seed: seed, calls: 60))
    }

    @Test("every kept value is read back unchanged", arguments: 0..<16)
    func roundTrip(seed: UInt64) throws {
        var input = ArbitraryInput(seed: seed)
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        let attributes = Attributes((0..<400).map { ("n\($0)", input.value()) })
        client.record("tap", attributes: attributes)
        let event = try JSONReader.parse(try #require(phone.log.events.first).json)
        var kept = 0
        for element in attributes {
            guard let value = event["attributes"]?[element.name] else {
                #expect(Validator.violation(element.name, element.value, Rules.attributes) != nil)
                continue
            }
            kept += 1
            switch element.value {
            case .integer(let integer): #expect(value.integer == integer)
            case .double(let double):
                #expect(value.integer == nil)
                #expect(value.double?.bitPattern == double.bitPattern)
            case .boolean(let truth): #expect(value.boolean == truth)
            case .string(let text): #expect(value.string.map { Array($0.utf8) } == Array(text.utf8))
            case .decimal(let number): #expect(value.number?.text == number.text)
            }
        }
        #expect(kept > 250)
    }

    @Test(
        "half of a surrogate pair, as in other programs' JSON, becomes the replacement character",
        arguments: [
            (#"\ud800"#, "\u{FFFD}"), (#"a\udfffb"#, "a\u{FFFD}b"), (#"\ud83d\ud83d\ude00"#, "\u{FFFD}\u{1F600}"),
            (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\u0000"#, "\0"),
        ]
    )
    func surrogates(escaped: String, text: String) throws {
        let value = try JSONReader.parse(Array(#"{"\#(escaped)":"\#(escaped)"}"#.utf8))
        let member = try #require(value.members?.first)
        let phone = Phone()
        let client = try phone.launch()
        _ = phone.log.take()
        let given = try #require(member.value.string)
        client.record("tap", attributes: ["text": given, member.name: 1])
        client.record(member.name)
        let events = phone.log.events
        #expect(events.map(\.name) == ["tap", "_clickstream_error"])
        let tap = try JSONReader.parse(try #require(events.first).json, loneSurrogates: .refused)
        #expect(tap["attributes"]?["text"]?.string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(tap["attributes"]?["_error_code"]?.integer == 2002)
    }

    @Test(
        "a decimal number is written exactly, over its whole range",
        arguments: [
            (Decimal(string: "12.50"), "12.5"), (Decimal(string: "0.1"), "0.1"), (Decimal(-7), "-7"), (Decimal(0), "0"),
            (Decimal(sign: .plus, exponent: 127, significand: 9), "9" + String(repeating: "0", count: 127)),
            (
                Decimal(sign: .minus, exponent: -128, significand: 5),
                "-0." + String(repeating: "0", count: 127) + "5"
            ),
            (Decimal(string: "123456789012345678901234567890.12345678"), "123456789012345678901234567890.12345678"),
        ] as [(Decimal?, String)]
    )
    func decimals(number: Decimal?, text: String) throws {
        let number = try #require(number)
        var bytes: [UInt8] = []
        JSONWriter.append(number.attributeValue, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        #expect(try JSONReader.parse(bytes).number?.text == text)
    }

    @Test("the greatest and the smallest decimal numbers are JSON", arguments: [true, false])
    func decimalExtremes(isNegative: Bool) throws {
        for extreme: Decimal in [.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude] {
            let number = isNegative ? -extreme : extreme
            var bytes: [UInt8] = []
            JSONWriter.append(number.attributeValue, to: &bytes)
            let text = try #require(try JSONReader.parse(bytes).number?.text)
            #expect(Decimal(string: text) == number)
        }
        #expect(Decimal.nan.attributeValue.isFinite == false)
    }
}
