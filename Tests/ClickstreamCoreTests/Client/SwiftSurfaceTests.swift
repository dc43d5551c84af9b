import ClickstreamSimulation
import FoundationEssentials
import Testing

@testable import ClickstreamCore

@Suite("The Swift-native surface of a client")
struct SwiftSurfaceTests {
    private let recorder = ClickstreamTestRecorder()

    // MARK: Events

    @Test("records items without attributes")
    func items() throws {
        let client = try recorder.launch()
        client.record("view_cart", items: [["id": "1"], ["id": 2]])
        client.record("view_cart", attributes: ["value": 2], items: [["id": "1"]])
        let events = recorder.events(named: "view_cart")
        #expect(events.map(\.items) == [[["id": "1"], ["id": 2]], [["id": "1"]]])
        #expect(events.last?["value"] == 2)
    }

    @Test("records events of another user, and keeps the current one")
    func actingUser() throws {
        let client = try recorder.launch()
        client.setUserID("carl")
        client.addUserAttributes(["plan": "free"])
        client.setUserID("agent")
        client.addUserAttributes(["team": "support"])
        client.record("refund", attributes: ["value": 5], items: [["id": "1"]], user: "carl")
        client.record("note")
        let refund = try #require(recorder.events(named: "refund").first)
        #expect(refund.user["_user_id"] == "carl" && refund.user["plan"] == "free" && refund.user["team"] == nil)
        #expect(refund.items == [["id": "1"]])
        let note = try #require(recorder.events(named: "note").first)
        #expect(note.user["_user_id"] == "agent" && note.user["team"] == "support")
        #expect(refund["_session_id"] == note["_session_id"])
        #expect(client.userID == "agent")
    }

    @Test("passes events of another user through middleware")
    func actingUserThroughMiddleware() throws {
        let client = try recorder.launch()
        client.addMiddleware("redact") { event in
            event.attributes["email"] = nil
            return event.name == "secret" ? .drop : .keep
        }
        client.record("refund", attributes: ["email": "a@example.com", "value": 5], user: "carl")
        client.record("secret", user: "carl")
        let refund = try #require(recorder.events(named: "refund").first)
        #expect(refund["email"] == nil && refund["value"] == 5 && refund.user["_user_id"] == "carl")
        #expect(recorder.events(named: "secret").isEmpty)
    }

    @Test(
        "reports an invalid id of another user, and counts the event",
        arguments: ["", String(repeating: "u", count: 257)]
    )
    func invalidUser(id: String) throws {
        let client = try recorder.launch()
        let before = client.ledger.ledger
        client.record("refund", user: id)
        #expect(recorder.events(named: "refund").isEmpty)
        let code: ErrorCode = id.isEmpty ? .userAttributeNameInvalid : .userAttributeValueTooLong
        try recorder.expectEvent("_clickstream_error", count: .exactly(1)) { $0.error == code }
        #expect(client.ledger.ledger != before)
        client.disable()
        client.record("refund", user: id)
        #expect(recorder.events(named: "_clickstream_error").count == 1)
    }

    // MARK: Attributes

    private enum Plan: String, AttributeValueConvertible {
        case free
    }

    private enum Level: Int8, AttributeValueConvertible {
        case high = 3
    }

    @Test("converts the types of the standard library and of Foundation")
    func conversions() throws {
        let id = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
        let page = try #require(URL(string: "https://example.com/a?b=c"))
        let attributes: Attributes = [
            "float": Float(0.1), "int8": Int8.min, "int16": Int16.max, "int32": Int32.min, "uint8": UInt8.max,
            "uint16": UInt16.max, "uint32": UInt32.max, "uint": UInt(7), "uint64": UInt64(7), "int128": Int128(-7),
            "uint128": UInt128(7), "substring": "a-b".prefix(1), "character": Character("x"),
            "date": Date(timeIntervalSince1970: 1.5), "url": page, "uuid": id, "plan": Plan.free, "level": Level.high,
        ]
        let expected: Attributes = [
            "float": 0.1, "int8": -128, "int16": 32_767, "int32": -2_147_483_648, "uint8": 255, "uint16": 65_535,
            "uint32": 4_294_967_295, "uint": 7, "uint64": 7, "int128": -7, "uint128": 7, "substring": "a",
            "character": "x", "date": 1_500, "url": "https://example.com/a?b=c",
            "uuid": "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "plan": "free", "level": 3,
        ]
        #expect(attributes == expected)
    }

    @Test("keeps every digit of an integer beyond 64 bits")
    func largeIntegers() throws {
        let client = try recorder.launch()
        client.record("large", attributes: ["a": UInt64.max, "b": Int128.min, "c": UInt128.max, "d": UInt64(1) << 63])
        let event = try #require(recorder.events(named: "large").first)
        #expect(event.json.contains(#""a":18446744073709551615,"b":-170141183460469231731687303715884105728"#))
        #expect(event.json.contains(#""c":340282366920938463463374607431768211455,"d":9223372036854775808"#))
        #expect(event.error == nil)
    }

    @Test("reports numbers that are not finite, of every floating-point type and date")
    func notFinite() throws {
        let client = try recorder.launch()
        client.record("ratio", attributes: ["a": Float.nan, "b": Float.infinity, "c": -Double.infinity])
        let event = try #require(recorder.events(named: "ratio").first)
        #expect(event.violations.map(\.code.rawValue) == [2005, 2005, 2005])
        #expect(Date(timeIntervalSince1970: .infinity).attributeValue == .integer(.max))
        #expect(Date(timeIntervalSince1970: -0.0015).attributeValue == .integer(-2))
    }

    @Test("leaves an optional without a value out, in literals of every length and in dictionaries")
    func optionals() {
        let (absent, present): (String?, Int?) = (nil, 3)
        let short: Attributes = ["a": absent, "b": present, "c": 1, "d": nil]
        #expect(short == ["b": 3, "c": 1])
        let long: Attributes = [
            "a": absent, "b": present, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10, "k": 11,
            "l": 12,
            "m": 13, "n": 14, "o": 15, "p": 16, "q": 17, "r": 18, "s": 19, "t": 20, "u": 21, "v": 22, "w": 23, "x": 24,
            "y": absent, "z": 26,
        ]
        #expect(long.count == 24)
        #expect(long["a"] == nil)
        #expect(long["y"] == nil)
        #expect(long["b"] == 3)
        #expect(long["z"] == 26)
        #expect(
            Attributes(["b": present, "a": absent, "c": 1] as [String: (any AttributeValueConvertible)?]) == [
                "b": 3, "c": 1,
            ]
        )
        // The value before stays: `nil` states nothing.
        #expect(["a": 1, "a": absent] as Attributes == ["a": 1])
    }

    @Test("takes dictionaries in variables by name, and literals in their order")
    func dictionaries() throws {
        let client = try recorder.launch()
        let (texts, numbers) = (["b": "2", "a": "1"], ["n": 1])
        let values: [String: any AttributeValueConvertible] = ["z": true, "y": 1.5]
        let optionals: [String: Int?] = ["kept": 1, "missing": nil]
        client.record("texts", attributes: texts)
        client.record("numbers", attributes: numbers, items: [["id": "1"]])
        client.record("values", attributes: values, user: "carl")
        client.record("optionals", attributes: optionals)
        client.record("literal", attributes: ["b": 1, "a": 2, "b": 3])
        client.addGlobalAttributes(numbers)
        client.addUserAttributes(texts)
        client.record("later")
        let parts = [
            "texts": #""a":"1","b":"2""#, "numbers": #""n":1"#, "values": #""y":1.5,"z":true"#,
            "optionals": #""kept":1"#, "literal": #""b":3,"a":2"#, "later": #""n":1"#,
        ]
        for (name, part) in parts {
            let event = try #require(recorder.events(named: name).first)
            #expect(event.json.contains(part), "\(event.json)")
        }
        #expect(recorder.events(named: "numbers").first?.items == [["id": "1"]])
        #expect(recorder.events(named: "values").first?.user["_user_id"] == "carl")
        #expect(recorder.events(named: "optionals").first?["missing"] == nil)
        let later = try #require(recorder.events(named: "later").first)
        #expect(later.user["a"] == "1" && later.user["b"] == "2")
        #expect(later.user["_user_id"] == nil)
    }

    @Test("merges attributes into a copy")
    func merging() {
        let attributes: Attributes = ["a": 1, "b": 2]
        #expect(attributes.merging(["c": 4, "b": 3]) == ["a": 1, "b": 3, "c": 4])
        #expect(attributes == ["a": 1, "b": 2])
    }

    @Test("reports lists and dictionaries with a code, and keeps the rest")
    func nested() throws {
        let client = try recorder.launch()
        client.record(
            "buy",
            attributes: [
                "sizes": [41, 42], "address": ["city": "Oslo"], "tags": Set(["a"]), "deep": [[1]], "kept": 1,
            ],
            items: [["id": "1", "sizes": [1]], ["id": "2"]]
        )
        let event = try #require(recorder.events(named: "buy").first)
        #expect(event.violations.map(\.code.rawValue) == [2006, 2006, 2006, 2006, 4008])
        #expect(event.violations.map(\.name) == ["sizes", "address", "tags", "deep", "sizes"])
        #expect(event["kept"] == 1)
        #expect(event["sizes"] == nil)
        #expect(event.items == [["id": "2"]])
        #expect(event.error == .attributeValueNested)
        recorder.forget()
        client.addUserAttributes(["newsletters": ["sports"], "plan": "free"])
        client.addGlobalAttributes(["list": [1], "channel": "web"])
        #expect(recorder.violations.map(\.code.rawValue) == [3006, 2006])
        client.record("later")
        let later = try #require(recorder.events(named: "later").first)
        #expect(later.user["plan"] == "free" && later.user["newsletters"] == nil)
        #expect(later["channel"] == "web" && later["list"] == nil)
    }

    // MARK: Time

    @Test(
        "takes whole milliseconds of a duration, within the range",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 0), (.milliseconds(1), 1), (.microseconds(1_001), 1), (.seconds(30), 30_000),
            (.milliseconds(-5), -5), (.microseconds(-1_500), -1), (.milliseconds(Int64.max), .max),
            (.milliseconds(Int64.min), .min), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (Duration.seconds(Int64.max) * 2, .max), (Duration.seconds(Int64.min) * 2, .min),
        ] as [(Duration, Int64)]
    )
    func milliseconds(duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }

    @Test(
        "accepts every duration as a setting",
        arguments: [
            .seconds(Int64.min), .milliseconds(-1), .zero, .nanoseconds(1), .milliseconds(Int64.max),
            .seconds(Int64.max),
        ] as [Duration]
    )
    func anySetting(time: Duration) async throws {
        let client = try recorder.launch {
            $0.durability = .power
            ($0.sendInterval, $0.synchronizeInterval, $0.sessionTimeout) = (time, time, time)
            ($0.connectTimeout, $0.requestTimeout, $0.maxEventAge) = (time, time, time)
        }
        client.record("tap")
        client.background()
        await recorder.advance(by: .seconds(3_600))
        #expect(recorder.delivered.map(\.name).contains("tap"))
        client.foreground()
        client.record("later")
        #expect(recorder.events(named: "later").first?.sessionNumber == (time > .seconds(3_600) ? 1 : 2))
    }

    @Test("flushes and shuts down within a duration")
    func deadlines() async throws {
        let client = try recorder.launch()
        client.record("tap")
        let report = await client.flush(deadline: .seconds(5))
        #expect(report.lastError == nil && report.sent > 0)
        client.record("late")
        await client.shutdown(deadline: .seconds(1))
        #expect(recorder.delivered.map(\.name).contains("late"))
    }

    // MARK: State

    @Test("reads user, session and switch back")
    func state() async throws {
        let client = try recorder.launch { $0.sessionTimeout = .seconds(1) }
        #expect(client.isRecording)
        #expect(client.userID == nil)
        let first = try #require(client.currentSession)
        #expect(first.number == 1)
        #expect(first.start == Date(timeIntervalSince1970: 1_704_067_200))
        #expect(recorder.events.last?["_session_id"] == .string(first.id))
        client.setUserID("carl")
        #expect(client.userID == "carl")
        client.disable()
        #expect(!client.isRecording)
        client.enable()
        client.background()
        await recorder.advance(by: .seconds(5))
        client.foreground()
        #expect(client.currentSession?.number == 2)
        client.setUserID(nil)
        #expect(client.userID == nil)
        client.terminate()
        #expect(!client.isRecording)
        #expect(client.currentSession == nil)
    }

    // MARK: Notices

    @Test("delivers notices as a sequence, the newest if the reader is slow")
    func notices() async throws {
        let client = try recorder.launch()
        let (all, newest) = (client.notices(), client.notices(bufferingNewest: 2))
        for name in ["one", "two", "three"] { client.record(name) }
        #expect(await names(of: all, count: 3) == ["one", "two", "three"])
        #expect(await names(of: newest, count: 2) == ["two", "three"])
    }

    @Test("ends the registration with the sequence")
    func cancelledNotices() async throws {
        let client = try recorder.launch()
        let task = Task { [notices = client.notices()] in
            for await _ in notices {}
        }
        task.cancel()
        await task.value
        client.record("after")
        try recorder.expectEvent("after")
    }

    private func names(of notices: AsyncStream<Notice>, count: Int) async -> [String] {
        var names: [String] = []
        for await case .recorded(let name, _, _, _) in notices {
            names.append(name)
            if names.count == count { break }
        }
        return names
    }
}
