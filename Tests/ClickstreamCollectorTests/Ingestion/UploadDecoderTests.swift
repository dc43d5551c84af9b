import ClickstreamCore
import ClickstreamJudges
import Foundation
import Testing

@testable import ClickstreamCollector

@Suite("Decoding of uploads")
struct UploadDecoderTests {
    private func envelope(_ body: [UInt8], isContentEncoded: Bool = false) -> Envelope {
        .post(body, id: "0", isContentEncoded: isContentEncoded)
    }

    /// An event with so many attributes whose names break a rule.
    private func badEvent(_ id: Int, names: Int) -> String {
        event("e\(id)", attributes: (0..<names).map { "\"\($0)-\":1" }.joined(separator: ","))
    }

    @Test("reports a bounded number of violations per request, and counts the others of each event")
    func findings() {
        let count = UploadDecoder.maxFindings / 100 + 50
        let body = "[\((0..<count).map { badEvent($0, names: 120) }.joined(separator: ","))]"
        let content = UploadDecoder().decode(envelope(Array(body.utf8))).content
        #expect(content.events.count == count)
        #expect(content.events.allSatisfy { $0.isBad })
        // One more represents those past a hundred.
        #expect(content.events[0].findings.count == 101 && content.events[0].unlisted == 20)
        #expect(content.events[0].findings.last?.message.hasPrefix("20 more mistakes") == true)
        let last = content.events[count - 1]
        #expect(last.findings.count == 1 && last.unlisted == 120)
        #expect(last.findings[0].message.hasPrefix("120 mistakes, the first of them: "))
        #expect(content.events.reduce(0) { $0 + $1.findings.count } <= UploadDecoder.maxFindings + count)
    }

    @Test("counts omitted violations of every part of an event", arguments: [0, 1, 3, 100])
    func everyPart(_ maxListed: Int) throws {
        let json = #"""
            {"event_id":"","app_id":"a","timestamp":"x","event_type":"1","attributes":{"2-":1,"_error_code":7},
            "items":[3,{"name":"no id","4-":1}],"user":{"5-":{"value":1},"_user_id":{}}}
            """#
        let value = try JSONReader.parse(Array(json.utf8))
        let whole = WireJudge.verdict(on: value, receivedAt: nil)
        #expect(whole.findings.count > 5 && whole.unlisted == 0 && whole.isBad)
        let verdict = WireJudge.verdict(on: value, receivedAt: nil, maxListed: maxListed)
        #expect(verdict.isBad)
        switch maxListed {
        case 0: #expect(verdict.findings.count == 1 && verdict.unlisted == whole.findings.count)
        case 100: #expect(verdict == whole)
        default:
            // The report of the SDK itself is last, and is always listed.
            #expect(verdict.findings.prefix(maxListed) == whole.findings.prefix(maxListed))
            #expect(verdict.findings.count == maxListed + 2)
            #expect(verdict.unlisted == whole.findings.count - maxListed - 1)
        }
    }

    @Test("builds a bounded part of an event, and finds its fields after any nested value")
    func bounds() {
        let many = String(repeating: "[1,{\"a\":[{}]}],", count: 50_000) + "1"
        let fields = event("A", attributes: "\"list\":[\(many)]").dropFirst()
        let body = "[{\"junk\":[\(many)],\"more\":{\"x\":[\(many)],\"y\":{\"z\":[\(many)]}},\(fields)]"
        let content = UploadDecoder().decode(envelope(Array(body.utf8))).content
        let facts = content.events.first
        #expect(facts.map { String(decoding: content.bytes[$0.id.range], as: UTF8.self) } == "A")
        #expect(facts.map { String(decoding: content.bytes[$0.uniqueID.range], as: UTF8.self) } == "unique-1")
        #expect(facts?.timestamp == FixedTime.start - 1_000)
    }

    @Test("counts skipped members and items")
    func omitted() {
        let attributes = (0..<10_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        let content = UploadDecoder().decode(envelope(Array("[\(event("A", attributes: attributes))]".utf8))).content
        let facts = content.events[0]
        // The four attributes of the session are additional to the 500 allowed ones.
        let unlisted: Int = 10_000 - 500 - 100
        #expect(facts.isBad)
        #expect(facts.findings.count == 101)
        #expect(facts.unlisted == unlisted)
    }

    @Test("keeps the texts of a decoded event in order, without their escapes")
    func texts() {
        let json = #"""
            {"event_id":"\u0041\n\u0000é😀","app_id":12.50,"event_type":"\ud800x","timestamp":1,"unique_id":"u\/v",
            "device_id":"d\u0000","platform":"","app_version":"\ud83d\ude00",
            "user":{"_user_id":{"value":"\ud83d\ude00"}},"attributes":{"_session_id":"s\t","_screen_name":""}}
            """#
        let content = UploadDecoder().decode(envelope(Array("[\(json),\(json)]".utf8))).content
        for facts in content.events {
            let ranges = [
                facts.id, facts.appID, facts.name, facts.uniqueID, facts.userID, facts.sessionID, facts.screenName,
                facts.deviceID, facts.platform, facts.appVersion,
            ]
            #expect(
                ranges.map { $0.isNone ? nil : String(decoding: content.bytes[$0.range], as: UTF8.self) }
                    == ["A\n\\u0000é😀", "12.50", "\u{FFFD}x", "u/v", "😀", "s\t", nil, "d\u{FFFD}", nil, "😀"]
            )
        }
        let length: Int = 2 * json.utf8.count + 3
        #expect(content.names.keys.count == 1)
        #expect(content.bytes.count == length)
    }

    @Test(
        "processes long runs of combining marks in the time of other texts",
        .timeLimit(.minutes(10)),
        arguments: [1, 10_000]
    )
    func marks(_ names: Int) {
        let marks = String(repeating: "\u{301}\u{316}", count: 100_000 / names)
        let attributes = (0..<names).map { "\"a\(marks)\($0)\":1" }.joined(separator: ",")
        let json = event("A", attributes: attributes).replacingOccurrences(of: "unique-1", with: "u\(marks)v")
        let content = UploadDecoder().decode(envelope(Array("[\(json)]".utf8))).content
        #expect(content.events.first?.isBad == true)
        let user = content.users.keys.first.map { String(decoding: content.bytes[$0.range], as: UTF8.self) } ?? ""
        let kept = String(repeating: "\u{301}\u{316}", count: min(15, 100_000 / names))
        #expect(user == "u\(kept)\(String(repeating: "?", count: marks.utf8.count - kept.utf8.count))v")
    }

    @Test("rejects at once a body that would exceed its memory share, and decodes it with enough")
    func share() {
        let text = Array("[\(String(repeating: "1,", count: 40_000))1]".utf8)
        let bodies = [
            envelope(text), envelope(Base64.encode(Gzip.deflate(text))),
            envelope(Gzip.deflate(text), isContentEncoded: true),
            envelope(Gzip.deflate(Base64.encode(Gzip.deflate(text))), isContentEncoded: true),
        ]
        for body in bodies {
            #expect(UploadDecoder().decode(body, within: 4 * text.count) == nil)
            #expect(UploadDecoder().decode(body, within: 40_000_000)?.content.events.count == 40_001)
        }
        // What is past the decoder's own limit is unreadable, however much memory there is.
        let decoder = UploadDecoder(inflationLimit: 1_000)
        #expect(decoder.decode(bodies[1], within: 500) == nil)
        #expect(decoder.decode(bodies[1], within: 40_000_000)?.content.flaw?.reason == .inflationLimit)
    }

    @Test("reads the claimed size of a compressed body")
    func claims() {
        let decoder = UploadDecoder()
        for count in 0..<40 {
            let text = Array("[\"\(String(repeating: "x", count: 1_000 + count))\"]".utf8)
            let packed = Gzip.deflate(text)
            let base64 = Base64.encode(packed)
            #expect(decoder.claimedBytes(of: envelope(text)) == text.count)
            #expect(decoder.claimedBytes(of: envelope(packed, isContentEncoded: true)) == text.count)
            for body in [base64, Array(" \n".utf8) + base64 + [0x0A], base64.filter { $0 != UInt8(ascii: "=") }] {
                #expect(decoder.claimedBytes(of: envelope(body)) == text.count)
            }
        }
        for body in ["", " ", "=", "a", "ab==", "abc", "[", "{}", "hello"] {
            #expect(decoder.claimedBytes(of: envelope(Array(body.utf8))) == body.utf8.count)
            #expect(decoder.claimedBytes(of: envelope(Array(body.utf8), isContentEncoded: true)) == body.utf8.count)
        }
    }
}
