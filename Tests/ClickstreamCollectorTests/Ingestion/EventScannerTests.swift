import ClickstreamCore
import ClickstreamJudges
import Foundation
import TestSupport
import Testing

@testable import ClickstreamCollector

@Suite("Event scanner")
struct EventScannerTests {
    private static let receivedAt = Timestamp(milliseconds: FixedTime.start)

    /// The facts in words, so that those of the scanner and of the whole judgement can be compared.
    private struct Facts: Equatable {
        var texts: [String?]
        var numbers: [Int64?]
        var reportsError: Bool
        var isBad: Bool
        var codes: [String]

        init(_ content: UploadContent) {
            let event = content.events[0]
            texts = [
                event.id, event.appID, event.name, event.sessionID, event.uniqueID, event.userID, event.screenName,
                event.screenUniqueID, event.deviceID, event.platform, event.appVersion,
            ].map { $0.isNone ? nil : String(decoding: content.bytes[$0.range], as: UTF8.self) }
            numbers = [event.timestamp, event.sessionNumber, event.sessionStart, event.engagement]
            reportsError = event.reportsError
            isBad = event.isBad
            codes = event.findings.map(\.code)
        }
    }

    private func scanned(_ json: String) -> Facts? {
        let bytes = Array(json.utf8)
        let facts = bytes.withUnsafeBytes {
            EventScanner.facts(of: $0, in: 0..<bytes.count, receivedAt: Self.receivedAt)
        }
        guard let facts else { return nil }
        var content = UploadContent(bytes: bytes, rawBytes: bytes.count)
        content.append(facts)
        return Facts(content)
    }

    private func judged(_ json: String) throws -> Facts {
        let bytes = Array(json.utf8)
        var content = UploadContent(bytes: bytes, rawBytes: bytes.count)
        let value = try bytes.withUnsafeBytes { try JSONReader.parse($0, within: .event) }.value
        let event = JudgedEvent(value, receivedAt: Self.receivedAt)
        content.append(content.facts(of: event, json: TextRange(0..<bytes.count)))
        return Facts(content)
    }

    /// Text with one byte more than the server keeps.
    private static let long = String(repeating: "x", count: 256)

    /// Text long enough for a run of combining marks.
    private static let marked = "u" + String(repeating: "\u{301}", count: 40)

    /// Event with every field that the scanner reads.
    private static let whole = #"""
        {"unique_id":"u-1", "event_type" : "_screen_view","event_id":"E-1","app_id":"shop","timestamp":1715131614123,
        "device_id":"d","platform":"Linux","app_version":"1.2","os_version":"6.1","screen_height":1080,"screen_width":1920,"zone_offset":-3600000,
        "is_x":true,"none":null,"price":-1.25,
        "user":{"_user_id":{"value":"carol","set_timestamp":1715131555001},"_user_first_touch_timestamp":{"value":1715131555017,"set_timestamp":1715131555002},
        "tier":{"value":"gold","set_timestamp":1715131555003},"age":{"value":7,"set_timestamp":1715131555003}},
        "attributes":{"_session_id":"s-1","_session_number":3,"_session_start_timestamp":1715131555123,
        "_session_duration":60000,"_screen_name":"Home","_screen_unique_id":"h1","_screen_id":"x","_engagement_time_msec":5,
        "_previous_timestamp":1715131555004,"_entrances":true,"color":"r\u00e9d","count":12,"ratio":0.5,"is_new":false}}
        """#

    @Test("decodes an ordinary event completely")
    func ordinary() throws {
        let facts = try #require(scanned(Self.whole.replacingOccurrences(of: "r\\u00e9d", with: "réd")))
        #expect(
            facts.texts
                == ["E-1", "shop", "_screen_view", "s-1", "u-1", "carol", "Home", "h1", "d", "Linux", "1.2"]
        )
        #expect(facts.numbers == [1_715_131_614_123, 3, 1_715_131_555_123, 5])
        #expect(facts.codes == [] && !facts.isBad && !facts.reportsError)
        #expect(scanned(event("A")) != nil)
    }

    @Test(
        "reads an optional text, or a number as it is written, like the full check",
        arguments: [
            ("\"\"", nil), ("\"Linux\"", "Linux"), ("\"é\"", "é"), ("null", nil), ("true", nil), ("-1.50", "-1.50"),
            ("7", "7"),
        ] as [(String, String?)]
    )
    func optionalTexts(value: String, text: String?) throws {
        for name in ["device_id", "platform", "app_version"] {
            let json =
                #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","\#(name)" : \#(value) }"#
            let facts = try #require(scanned(json))
            #expect(Array(facts.texts.suffix(3)).contains(text))
            #expect(facts.texts.compactMap(\.self).count == (text == nil ? 3 : 4))
            #expect(try facts == judged(json))
        }
    }

    @Test(
        "defers events that may violate a rule to the full check",
        arguments: [
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"1st"}"#,
            #"{"event_id":"","app_id":"a","timestamp":1715131614123,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":" ","timestamp":1715131614123,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":"　","timestamp":1715131614123,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131616123,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1.5,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"_screen_view"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","items":[]}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","event_id":"F"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"a b":1}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"_session_number":"x"}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","user":{"_user_age":{"value":"x"}}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"v":1e999}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","platform":["Linux"]}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","event_value":true}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","event_value_in_usd":"1"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"_screen_name":{}}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","user":{"_user_first_touch_timestamp":{"value":9223372036854776,"set_timestamp":1}}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","event_previous_timestamp":1715131614}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"_session_start_timestamp":1715131614}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"_session_start_time_msec":1715131614000000}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"_previous_timestamp":0}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","user":{"_user_first_touch_timestamp":{"value":1715131614,"set_timestamp":1715131614123}}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","user":{"tier":{"value":"gold","set_timestamp":1715131614}}}"#,
            #"{"event_id":"\#(long)","app_id":"a","timestamp":1715131614123,"event_type":"x"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","model":"\#(long)"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","attributes":{"_screen_id":"\#(long)"}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","user":{"_user_id":{"value":"\#(long)","set_timestamp":1715131614123}}}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","currency":"EUR"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","platform":"a","platform":"b"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","device_id":1e3}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","app_version":"\u0031"}"#,
            #"{"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x","app_version":"\#(marked)"}"#,
            "{}", "[]", "1", "{\"a\":{}}",
        ]
    )
    func outOfOrder(_ json: String) {
        #expect(scanned(json) == nil)
    }

    @Test("agrees with the full check on the fields behind many others", arguments: [4_096, 65_532, 65_533])
    func manyFields(count: Int) throws {
        let others = (0..<count).map { "\"k\($0)\":1," }.joined()
        let json = #"{\#(others)"event_id":"E","app_id":"a","timestamp":1715131614123,"event_type":"x"}"#
        let facts = scanned(json)
        guard count + 4 <= 65_536 else {
            #expect(facts == nil)
            return
        }
        #expect(facts?.codes == [])
        #expect(try facts == judged(json))
    }

    @Test("agrees with the full check on mutated events, and never reads past their end")
    func differential() throws {
        var random = SplitMix(seed: 7)
        let pieces = [
            "\"", "\\", "{", "}", "[", "]", ":", ",", " ", "\n", "null", "true", "-", "1", "1e9", "0.5", "_", "a b",
            "x",
            #""_error_code":3,"#, #""items":[{"id":"1"}],"#, #""event_name":"n","#, #""_user_age":{"value":3},"#, "é",
            #""event_value":"#, #""event_value_in_usd":"5","#, "9223372036854776", #""platform":[],"#,
            #""event_previous_timestamp":1715131614,"#, "1715131614", #""platform":"","#, #""device_id":null,"#,
            #""app_version":2.50,"#,
            String(repeating: "y", count: 60), String(repeating: "z", count: 1_100), "9999999999999999999", "\"\"",
            String(repeating: "w", count: 253),
        ]
        var taken = 0
        var wellFormed = 0
        let original = Self.whole.replacingOccurrences(of: "r\\u00e9d", with: "red")
        for _ in 0..<20_000 {
            var json = Array(original.utf8)
            for _ in 0...(random.next() % 3) {
                let offset = Int(random.next() % UInt64(json.count))
                let piece = pieces[Int(random.next() % UInt64(pieces.count))].utf8
                switch random.next() % 3 {
                case 0: json.replaceSubrange(offset..<min(offset + piece.count, json.count), with: piece)
                case 1: json.insert(contentsOf: piece, at: offset)
                default: json.removeSubrange(offset..<min(json.count, offset + 1 + Int(random.next() % 20)))
                }
                if json.isEmpty { json = [0x7B, 0x7D] }
            }
            guard (try? json.withUnsafeBytes { try JSONReader.check($0) }) != nil else { continue }
            wellFormed += 1
            let text = String(decoding: json, as: UTF8.self)
            guard let facts = scanned(text) else { continue }
            taken += 1
            let expected = try judged(text)
            if facts != expected { Issue.record("\(text): \(facts) is not \(expected)") }
        }
        #expect(wellFormed > 1_000 && taken > 200)
    }
}
