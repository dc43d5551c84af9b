import ClickstreamCore
import TestSupport
import Testing

@Suite("Rules: names")
struct RulesNameTests {
    @Test(
        "accepts ASCII letters, digits and underscores without a leading digit, and nothing else",
        arguments: [
            ("a", nil), ("Z", nil), ("_", nil), ("_a1", nil), ("add_to_cart", nil), ("Add2Cart", nil),
            (String(repeating: "a", count: 50), nil),
            (String(repeating: "a", count: 51), 1002),
            (String(repeating: "-", count: 51), 1002),
            (String(repeating: "\u{4E2D}", count: 51), 1002),
            (String(repeating: "\u{4E2D}", count: 50), 1001),
            ("", 1001), ("1", 1001), ("9lives", 1001), ("a b", 1001), ("a-b", 1001), ("a.b", 1001), ("abc\n", 1001),
            ("\nabc", 1001), ("a\0b", 1001), ("\u{7F}", 1001), ("\u{E9}t\u{E9}", 1001), ("e\u{301}", 1001),
            ("\u{4E2D}\u{6587}", 1001), ("\u{5E9}\u{5DC}", 1001), ("a\u{202E}b", 1001), ("\u{1F600}", 1001),
            ("\u{FF41}", 1001), ("\u{661}", 1001), ("a\u{200B}", 1001), ("@", 1001), ("[", 1001), ("`", 1001),
            ("{", 1001), ("/", 1001), (":", 1001), ("a@", 1001), ("a[", 1001), ("a`", 1001), ("a{", 1001), ("a/", 1001),
            ("a:", 1001),
        ] as [(String, Int?)]
    )
    func eventNames(name: String, code: Int?) {
        #expect(Validator.checkEventName(name)?.code.rawValue == code)
    }

    @Test("agrees with the definition on every single byte", arguments: UInt8(0)...127)
    func everyByte(byte: UInt8) {
        let character = Character(UnicodeScalar(byte))
        let isLetter = character.isLetter || character == "_"
        #expect(Characters.areName(String(character)) == isLetter)
        #expect(Characters.areName("a" + String(character)) == (isLetter || character.isNumber))
    }

    @Test("finds a bad byte at any position, in names of every length", arguments: 1...27)
    func everyIndex(length: Int) {
        let name = Array(repeating: UInt8(ascii: "x"), count: length)
        #expect(Characters.areName(String(decoding: name, as: UTF8.self)))
        for index in name.indices {
            for byte in UInt8(0)...127 {
                var other = name
                other[index] = byte
                let character = Character(UnicodeScalar(byte))
                let isExpected = character.isLetter || character == "_" || character.isNumber && index > 0
                guard Characters.areName(String(decoding: other, as: UTF8.self)) == isExpected else {
                    Issue.record("byte \(byte) at \(index) of \(length)")
                    return
                }
            }
        }
        for index in name.indices {
            var scalars = Array(String(decoding: name, as: UTF8.self).unicodeScalars)
            scalars[index] = "\u{E9}"
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            #expect(!Characters.areName(String(text)))
        }
    }

    @Test("repeats a name in a message without invisible characters, cut to 50 characters")
    func reported() {
        #expect(Characters.reported("abc\n\0\u{202E}\u{2028}") == "abc\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(Characters.reported(String(repeating: "\u{4E2D}", count: 60)).unicodeScalars.count == 50)
        #expect(Characters.reported("e\u{301}\u{1F600}\u{5E9}") == "e\u{301}\u{1F600}\u{5E9}")
    }

    @Test(
        "counts Unicode scalars, from the byte count if that is sufficient",
        arguments: [
            ("", 0), ("abc", 3), ("\u{E9}", 1), ("e\u{301}", 2), ("\u{4E2D}\u{6587}", 2),
            ("\u{1F468}\u{200D}\u{1F469}", 3),
            ("\r\n", 2), (String(repeating: "\u{1F600}", count: 300), 300),
        ]
    )
    func counts(text: String, count: Int) {
        #expect(Characters.count(text) == count)
        #expect(Characters.areMore(in: text, than: count) == false)
        #expect(Characters.areMore(in: text, than: count - 1))
    }

    @Test("warns about a leading underscore only if the name is not a known reserved one, and about long names")
    func suggestions() {
        func codes(_ name: String) -> [Int] {
            var findings: [Violation] = []
            Validator.suggestions(forEventName: name, into: &findings)
            #expect(findings.allSatisfy { $0.severity == .warning && $0.subject == .event })
            return findings.map(\.code.rawValue)
        }
        #expect(codes("_screen_view") == [])
        #expect(codes("_mine") == [1001])
        #expect(codes(String(repeating: "a", count: 25)) == [])
        #expect(codes(String(repeating: "a", count: 26)) == [1002])
        #expect(codes("_" + String(repeating: "a", count: 25)) == [1001, 1002])
    }

    @Test(
        "accepts a screen name that is a text, not empty and not too long",
        arguments: [
            ("Home", nil), (.string(String(repeating: "a", count: 1_024)), nil), ("", 5001), (nil, 5001), (1, 5001),
            (true, 5001), (.string(String(repeating: "a", count: 1_025)), 5001),
        ] as [(AttributeValue?, Int?)]
    )
    func screenNames(name: AttributeValue?, code: Int?) {
        #expect(Validator.checkScreenName(name)?.code.rawValue == code)
    }

    @Test(
        "accepts a user id of 1 to 256 characters",
        arguments: [(0, 3003), (1, nil), (256, nil), (257, 3004)] as [(Int, Int?)]
    )
    func userIDs(length: Int, code: Int?) {
        let violation = Validator.checkUserID(String(repeating: "\u{4E2D}", count: length))
        #expect(violation?.code.rawValue == code)
        #expect(violation.map(\.name) == (code == nil ? nil : "_user_id"))
    }

    @Test("reports the exact problem, with names and lengths")
    func messages() {
        #expect(
            Validator.checkEventName("a\nb")
                == Violation(
                    code: .eventNameInvalid,
                    severity: .error,
                    subject: .event,
                    name: "a\u{FFFD}b",
                    message: "invalid event name \"a\u{FFFD}b\": "
                        + "use letters, digits and '_', not starting with a digit"
                )
        )
        #expect(Validator.checkEventName("")?.message == "the event name is empty")
        let long = String(repeating: "a", count: 60)
        #expect(
            Validator.checkEventName(long)?.message
                == "event name \"\(long)\" has 60 characters; at most 50 are allowed"
        )
        #expect(
            Validator.checkUserID(String(repeating: "x", count: 300))?.message
                == "the user id has 300 characters; at most 256 are allowed"
        )
    }
}

@Suite("Rules: event attributes")
struct RulesAttributeTests {
    private func check(
        _ own: Attributes,
        globals: Attributes = [:],
        presets: [String] = [],
        reportsSuggestions: Bool = false
    ) -> (verdict: AttributeVerdict, findings: [Violation]) {
        var findings: [Violation] = []
        let verdict = Validator.checkAttributes(
            own: own,
            globals: globals,
            presetCount: presets.count,
            isPreset: { presets.contains($0) },
            reportsSuggestions: reportsSuggestions,
            into: &findings
        )
        return (verdict, findings)
    }

    private func numbered(_ range: Range<Int>, prefix: String = "a") -> Attributes {
        Attributes(range.map { ("\(prefix)\($0)", .integer(Int64($0))) })
    }

    private let presets = [
        "_session_id", "_session_start_timestamp", "_session_duration", "_session_number", "_screen_name",
        "_screen_unique_id",
    ]

    @Test("keeps everything without a violation")
    func fine() {
        let (verdict, findings) = check(
            ["a": 1, "b": "text", "c": 1.5, "d": true, "_value": 99.9],
            globals: ["g": "x"],
            presets: presets
        )
        #expect(findings == [])
        #expect(verdict == AttributeVerdict())
        #expect(verdict.keepsEverything)
    }

    @Test("reports violations in written order, name before value, and keeps the rest")
    func order() {
        let long = String(repeating: "n", count: 51)
        let infinite = DecimalNumber(text: "", isFinite: false)
        let own: Attributes = [
            "fine": 1, "b-ad": String(repeating: "x", count: 2_000), "nan": Double.nan, long: "x",
            "text": String(repeating: "\u{1F600}", count: 1_025), "decimal": AttributeValue.decimal(infinite),
            "last": "ok", "": 1, "negative": -Double.infinity,
        ]
        let (verdict, findings) = check(own, presets: presets)
        #expect(findings.map(\.code.rawValue) == [2002, 2005, 2001, 2003, 2005, 2002, 2005])
        #expect(
            findings.map(\.name)
                == ["b-ad", "nan", String(repeating: "n", count: 50), "text", "decimal", "", "negative"]
        )
        #expect(own.indices.filter(verdict.keepsOwn(at:)).map { own[$0].name } == ["fine", "last"])
        #expect(findings.firstError?.code == .attributeNameInvalid)
    }

    @Test(
        "counts the presets, which always fit, then the event's own, then the globals",
        arguments: [
            // presets, own, globals -> own kept, globals kept
            (0, 500, 0, 500, 0), (0, 501, 0, 500, 0), (6, 494, 0, 494, 0), (6, 495, 0, 494, 0), (6, 490, 4, 490, 4),
            (6, 490, 5, 490, 4), (6, 494, 3, 494, 0), (6, 600, 500, 494, 0), (500, 1, 1, 0, 0), (501, 0, 1, 0, 0),
        ]
    )
    func cap(presetCount: Int, own: Int, globals: Int, keptOwn: Int, keptGlobals: Int) {
        var findings: [Violation] = []
        let verdict = Validator.checkAttributes(
            own: numbered(0..<own),
            globals: numbered(0..<globals, prefix: "g"),
            presetCount: presetCount,
            into: &findings
        )
        #expect((0..<own).filter(verdict.keepsOwn(at:)) == Array(0..<keptOwn))
        #expect((0..<globals).filter(verdict.keepsGlobal(at:)) == Array(0..<keptGlobals))
        let discarded = own - keptOwn + globals - keptGlobals
        #expect(findings.map(\.code) == Array(repeating: .attributesTooMany, count: min(discarded, 101)))
        #expect(verdict.discardedOwn.count == own - keptOwn)
    }

    @Test("gives the slot of a bad attribute to the next one")
    func badTakesNoCapacity() {
        var own = numbered(0..<499)
        own.set("bad name", to: 1)
        own.set("last", to: 1)
        let (verdict, findings) = check(own)
        #expect(findings.map(\.code.rawValue) == [2002])
        #expect(verdict.keepsOwn(at: 500))
    }

    @Test("lets the event's own and the presets override a global of the same name, without counting it")
    func shadowing() {
        var own = numbered(0..<493)
        own.set("both", to: 1)
        let (verdict, findings) = check(
            own,
            globals: ["both": 2, "_session_id": "mine", "a7": 3],
            presets: presets
        )
        #expect(findings == [])
        #expect((0..<3).map(verdict.keepsGlobal(at:)) == [false, false, false])
        #expect(verdict.discardedOwn.isEmpty)
    }

    @Test("does not replace a discarded own attribute by a global")
    func discardedOwnStillShadows() {
        let (verdict, findings) = check(["price": Double.nan], globals: ["price": 5, "other": 6])
        #expect(findings.map(\.code.rawValue) == [2005])
        #expect((0..<2).map(verdict.keepsGlobal(at:)) == [false, true])
    }

    @Test("counts neither _error_code and _error_message nor an own attribute with a preset's name again")
    func uncounted() {
        var own = numbered(0..<494)
        own.set("_error_code", to: 1)
        own.set("_error_message", to: "x")
        own.set("_session_id", to: "mine")
        let (verdict, findings) = check(own, presets: presets)
        #expect(findings == [])
        #expect(verdict.keepsEverything)
    }

    @Test("warns above the suggested numbers on request, and changes nothing")
    func suggestions() {
        var own = numbered(0..<51)
        own.set(String(repeating: "n", count: 26), to: 1)
        own.set("long", to: .string(String(repeating: "x", count: 101)))
        own.set("_mine", to: 1)
        own.set("_traffic_source_campaign_id", to: 1)
        let quiet = check(own)
        let suggesting = check(own, reportsSuggestions: true)
        #expect(quiet.findings == [])
        #expect(quiet.verdict == suggesting.verdict)
        #expect(suggesting.findings.map(\.code.rawValue) == [2004, 2001, 2003, 2002])
        #expect(suggesting.findings.map(\.name) == ["a50", String(repeating: "n", count: 26), "long", "_mine"])
        #expect(suggesting.findings.allSatisfy { $0.severity == .warning })
        #expect(suggesting.findings.firstError == nil)
    }

    @Test("is deterministic, in at most 256 characters, without values")
    func messages() {
        let secret = "SECRET" + String(repeating: "s", count: 2_000)
        let own: Attributes = [
            "text": secret, String(repeating: "\u{1F600}", count: 300): secret, "a\0b": secret,
            "nan": Double.nan,
        ]
        let first = check(own).findings
        #expect(first == check(own).findings)
        for violation in first {
            #expect(violation.message.unicodeScalars.count <= 256)
            #expect(violation.name.unicodeScalars.count <= 50)
            #expect(!violation.message.contains("SECRET"))
            #expect(violation.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
        #expect(
            first.map(\.message) == [
                "the value of event attribute \"text\" has 2006 characters; at most 1024 are allowed",
                "event attribute name \"\(String(repeating: "\u{1F600}", count: 190))\" has 300 characters; "
                    + "at most 50 are allowed",
                "invalid event attribute name \"a\u{FFFD}b\": "
                    + "use letters, digits and '_', not starting with a digit",
                "the value of event attribute \"nan\" is infinite or not a number",
            ]
        )
        #expect(
            check(numbered(0..<501)).findings.map(\.message)
                == ["the event attribute \"a500\" is one too many; at most 500 attributes are allowed"]
        )
    }

    @Test("checks 10 000 attributes with 500 globals, and a text of 5 MB, quickly")
    func size() {
        let own = numbered(0..<10_000)
        let globals = numbered(9_900..<10_400)
        let elapsed = processorTime {
            let (verdict, findings) = check(own, globals: globals, presets: presets)
            #expect(findings.count == Rules.maxFindings + 1)
            let first = "the event attribute \"a594\" is one too many; at most 500 attributes are allowed"
            #expect(findings.last?.message == "\(9_506 + 400 - 100) more mistakes, the first of them: \(first)")
            #expect(verdict.discardedOwn.count == 9_506)
            #expect(verdict.discardedGlobals.count == 500)
        }
        #expect(elapsed < .seconds(2))

        let huge = String(repeating: "x", count: 5_000_000)
        let names = processorTime {
            #expect(check(["text": huge, huge: 1]).findings.map(\.code.rawValue) == [2003, 2001])
            #expect(Validator.checkEventName(huge)?.code == .eventNameTooLong)
        }
        #expect(names < .seconds(2))
    }
}

@Suite("Rules: global and user attributes")
struct RulesJoiningTests {
    @Test("never counts a new value for an existing global as new, and rejects the 501st name")
    func globals() {
        let existing = Attributes((0..<500).map { ("g\($0)", .integer(0)) })
        var findings: [Violation] = []
        let accepted = Validator.checkGlobals(
            ["g3": 1, "new": 2, "g499": 3],
            existing: existing,
            into: &findings
        )
        #expect(accepted == ["g3": 1, "g499": 3])
        #expect(findings.map(\.code.rawValue) == [2004])
        #expect(findings.map(\.subject) == [.attribute])
        #expect(
            findings.map(\.message)
                == ["the global attribute \"new\" is one too many; at most 500 attributes are allowed"]
        )
    }

    @Test("rejects bad globals with the codes of event attributes and accepts the others")
    func badGlobals() {
        var findings: [Violation] = []
        let accepted = Validator.checkGlobals(
            [
                "ok": 1, "not ok": 2, "infinite": Double.infinity, "text": String(repeating: "x", count: 1_025),
                String(repeating: "n", count: 51): 1,
            ],
            existing: [:],
            into: &findings
        )
        #expect(accepted == ["ok": 1])
        #expect(findings.map(\.code.rawValue) == [2002, 2005, 2003, 2001])
    }

    @Test("counts neither known names nor the two presets among a user's attributes")
    func userCount() {
        let existing = ["_user_id", "_user_first_touch_timestamp"] + (0..<99).map { "u\($0)" }
        var findings: [Violation] = []
        let accepted = Validator.checkUserAttributes(
            ["u5": 1, "hundredth": 2, "_user_id": "x", "too_many": 3, "u98": 4],
            existingNames: existing,
            into: &findings
        )
        #expect(accepted == ["u5": 1, "hundredth": 2, "_user_id": "x", "u98": 4])
        #expect(findings.map(\.code.rawValue) == [3001])
        #expect(findings.map(\.name) == ["too_many"])
        #expect(findings.map(\.subject) == [.userAttribute])
    }

    @Test("rejects bad user attributes in written order")
    func badUserAttributes() {
        var findings: [Violation] = []
        let accepted = Validator.checkUserAttributes(
            [
                "1st": 1, "ok": String(repeating: "\u{4E2D}", count: 256), "nan": Double.nan,
                "text": String(repeating: "x", count: 257), String(repeating: "n", count: 51): 1,
            ],
            existingNames: [],
            into: &findings
        )
        #expect(accepted.map(\.name) == ["ok"])
        #expect(findings.map(\.code.rawValue) == [3003, 3005, 3004, 3002])
    }

    @Test("warns on request")
    func suggestions() {
        var findings: [Violation] = []
        let new = Attributes((0..<26).map { ("u\($0)", .string(String(repeating: "x", count: $0 == 0 ? 51 : 50))) })
        #expect(
            Validator.checkUserAttributes(new, existingNames: [], reportsSuggestions: true, into: &findings) == new
        )
        #expect(findings.map(\.code.rawValue) == [3004, 3001])
        #expect(findings.allSatisfy { $0.severity == .warning })
    }
}

@Suite("Rules: items")
struct RulesItemTests {
    private func check(
        _ items: [Attributes],
        reportsSuggestions: Bool = false
    ) -> (items: [Attributes], findings: [Violation]) {
        var findings: [Violation] = []
        let accepted = Validator.checkItems(items, reportsSuggestions: reportsSuggestions, into: &findings)
        return (accepted, findings)
    }

    private func custom(_ count: Int) -> Attributes {
        var item: Attributes = ["id": "x"]
        for number in 0..<count { item.set("c\(number)", to: 1) }
        return item
    }

    @Test(
        "requires an id that is a number or a string",
        arguments: [
            (["id": "x"], nil), (["id": 123], nil), (["id": 1.5], nil), (["name": "x", "id": "y"], nil), ([:], 4006),
            (["name": "x"], 4006), (["id": ""], 4006), (["id": true], 4006), (["item_id": "x"], 4006),
            (["id": Double.nan], 4007), (["id": String(repeating: "x", count: 257)], 4002),
        ] as [(Attributes, Int?)]
    )
    func ids(item: Attributes, code: Int?) {
        let (items, findings) = check([item])
        #expect(findings.map(\.code.rawValue) == (code.map { [$0] } ?? []))
        #expect(items == (code == nil ? [item] : []))
    }

    @Test("discards a whole item, reports each of its violations, and keeps the others")
    func neighbours() {
        let bad: Attributes = [
            "name": "no id", String(repeating: "n", count: 51): 1, "b d": 1,
            "text": String(repeating: "x", count: 257), "price": Double.infinity,
        ]
        let (items, findings) = check([["id": 1], bad, ["id": 2]])
        #expect(items == [["id": 1], ["id": 2]])
        #expect(findings.map(\.code.rawValue) == [4006, 4004, 4005, 4002, 4007])
        #expect(findings.map(\.name) == ["items[1]", String(repeating: "n", count: 50), "b d", "text", "price"])
        #expect(
            findings.map(\.message) == [
                "items[1] has no \"id\" that is a number or a string",
                "items[1]: item attribute name \"\(String(repeating: "n", count: 51))\" has 51 characters; "
                    + "at most 50 are allowed",
                "items[1]: invalid item attribute name \"b d\": "
                    + "use letters, digits and '_', not starting with a digit",
                "items[1]: the value of item attribute \"text\" has 257 characters; at most 256 are allowed",
                "items[1]: the value of item attribute \"price\" is infinite or not a number",
            ]
        )
    }

    @Test("accepts all presets and ten others in an item")
    func customAttributes() {
        var full = custom(10)
        for name in ItemName.preset { full.set(name, to: "x") }
        #expect(full.count == 24)
        #expect(check([full]).findings == [])
        full.set("c10", to: 1)
        let (items, findings) = check([full])
        #expect(items == [])
        #expect(findings.map(\.code.rawValue) == [4003])
        #expect(findings.map(\.name) == ["items[0]"])
        #expect(
            findings.map(\.message) == ["items[0] has 11 custom attributes; at most 10 custom attributes are allowed"]
        )
    }

    @Test("keeps the first hundred valid ones; a discarded one does not count")
    func count() {
        var items = Array(repeating: ["id": 1] as Attributes, count: 102)
        items[7] = [:]
        let (accepted, findings) = check(items)
        #expect(accepted == Array(repeating: ["id": 1], count: 100))
        #expect(findings.map(\.code.rawValue) == [4006, 4001])
        #expect(findings.map(\.name) == ["items[7]", "items[101]"])
    }

    @Test("renames the published SDK's categories before checking them, the later value is used")
    func categories() {
        let old: Attributes = [
            "id": 1, "item_category": "a", "item_category2": "b", "item_category5": "e", "category": "later",
            "item_categories": "mine",
        ]
        var item = custom(10)
        item.set("item_category3", to: "no custom attribute")
        let (items, findings) = check([["id": 0], old, item])
        #expect(findings == [])
        #expect(
            items.first { $0["id"] == 1 } == [
                "id": 1, "category": "later", "category2": "b", "category5": "e", "item_categories": "mine",
            ]
        )
        #expect(items.count == 3)
        #expect(items.last?["category3"] == "no custom attribute")
        #expect(check([["id": 1, "category": "a", "item_category": "b"]]).items == [["id": 1, "category": "b"]])
    }

    @Test("warns above the suggested numbers on request, and changes nothing")
    func suggestions() {
        var items = Array(repeating: ["id": 1] as Attributes, count: 51)
        items[0].set("description", to: .string(String(repeating: "x", count: 101)))
        items[1].set(String(repeating: "n", count: 26), to: 1)
        #expect(check(items).findings == [])
        let (accepted, findings) = check(items, reportsSuggestions: true)
        #expect(accepted == items)
        #expect(findings.map(\.code.rawValue) == [4002, 4004, 4001])
        #expect(findings.allSatisfy { $0.severity == .warning })
    }
}

@Suite("Rules: positions")
struct SmallIndexSetTests {
    @Test(
        "contains the inserted positions, across the words of its storage",
        arguments: [[], [0], [63], [64], [5, 127, 128, 9_999]]
    )
    func members(indices: [Int]) {
        var set = SmallIndexSet()
        for index in indices { set.insert(index) }
        #expect((0..<10_100).filter(set.contains) == indices)
        #expect(set.count == indices.count)
        #expect(set.isEmpty == indices.isEmpty)
    }
}
