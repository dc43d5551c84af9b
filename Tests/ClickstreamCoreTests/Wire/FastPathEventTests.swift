import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

/// The fast path writes the same bytes as the general path.
@Suite("Fast-path event")
struct FastPathEventTests {
    /// Files and notices of a client on a phone of its own.
    private struct Trace: Equatable {
        var disk: [String: [UInt8]]
        var notices: [String]

        init(
            globals: Attributes,
            screen: String?,
            events: [(String, Attributes)],
            _ record: (ClickstreamClient, String, Attributes) -> Void
        ) throws {
            let phone = Phone(seed: 7)
            // Globals come with the configuration, by a call, and are taken out again.
            let client = try phone.launch(sends: false) { $0.globalAttributes = ["configured": 1, "gone": 2] }
            client.addUserAttributes(["plan": "gold"])
            client.addGlobalAttributes(globals)
            client.deleteGlobalAttributes(["gone"])
            if let screen { client.screen(name: screen, uniqueID: "u1") }
            for (name, attributes) in events {
                record(client, name, attributes)
                phone.time.setWall(to: phone.time.now().wall + 7)
            }
            disk = Dictionary(uniqueKeysWithValues: phone.disk.paths.map { ($0, phone.disk[$0] ?? []) })
            notices = phone.log.take().map { "\($0)" }
        }
    }

    private func expectOneWay(
        globals: Attributes = [:],
        screen: String? = nil,
        _ events: [(String, Attributes)],
        _ comment: Comment? = nil
    ) throws {
        let short = try Trace(globals: globals, screen: screen, events: events) { $0.record($1, attributes: $2) }
        let long = try Trace(globals: globals, screen: screen, events: events) { client, name, attributes in
            client.perform { $0.record(name, attributes, [], at: $1) }
        }
        #expect(short == long, comment)
    }

    @Test("any event is the same on the fast path and the general one", arguments: 0..<30)
    func anything(seed: UInt64) throws {
        var input = ArbitraryInput(seed: seed)
        for _ in 0..<5 {
            var globals: Attributes = [:]
            for _ in 0..<input.number(0..<4) { globals.set(input.name(), to: input.value()) }
            let events = (0..<20).map { _ -> (String, Attributes) in
                var attributes: Attributes = [:]
                for _ in 0..<input.number(0..<12) { attributes.set(input.name(), to: input.value()) }
                return (input.eventName(), attributes)
            }
            try expectOneWay(globals: globals, screen: input.number(0..<2) == 0 ? "home" : nil, events)
        }
    }

    private static let texts = ["", "a", "abc", "abcd", "1234567", "12345678", "trail runner", "\u{4E2D}\u{6587}"]

    @Test(
        "fast-path events of every size are encoded, and are the same",
        arguments: [0, 1, 2, 8, 20, 42, 43, 46, 47, 60, 495, 496, 497, 600]
    )
    func sizes(count: Int) throws {
        var attributes: Attributes = [:]
        for index in 0..<count {
            let value: AttributeValue =
                switch index % 6 {
                case 0: AttributeValue.string(Self.texts[index % Self.texts.count])
                case 1: AttributeValue.integer(Int64(index) * 1_000_003)
                case 2: AttributeValue.double(Double(index) + 0.25)
                case 3: .boolean(index % 4 == 3)
                case 4: AttributeValue.decimal(DecimalNumber(text: "12.50", isFinite: true))
                default: AttributeValue.string(String(repeating: "x", count: index % 100))
                }
            attributes.set("n\(index)", to: value)
        }
        for globals in [Attributes(), ["source": "mail", "_traffic_source_medium": "x"]] {
            try expectOneWay(globals: globals, screen: "home", [("tap", attributes), ("tap", attributes)])
        }
        // 32 KiB hold any such list up to the limit of attributes.
        let made = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { memory in
            if case .made = FastPathEvent.make("tap", attributes, in: memory) { true } else { false }
        }
        #expect(made)
    }

    @Test(
        "other events are not encoded",
        arguments: [
            ("tap", ["_value": 1]), ("tap", ["a\u{E9}": 1]), ("tap", ["1a": 1]), ("tap", ["": 1]),
            ("tap", ["a": "say \"hi\""]), ("tap", ["a": "b\\c"]), ("tap", ["a": "12345678\n"]), ("tap", ["a": "\u{0}"]),
            ("tap", ["a": AttributeValue.double(.nan)]),
            ("tap", ["a": AttributeValue.decimal(DecimalNumber(text: "nan", isFinite: false))]),
            ("tap", ["a": AttributeValue.string(String(repeating: "x", count: 101))]),
            ("tap", Attributes([(String(repeating: "n", count: 26), AttributeValue.integer(1))])),
            ("_screen_view", [:]), ("t p", [:]), ("", [:]), (String(repeating: "n", count: 51), [:]),
        ] as [(String, Attributes)]
    )
    func unusual(name: String, attributes: Attributes) throws {
        let isUnusual = FastPathEvent.attempt(name, attributes) { attempt in
            if case .unusual = attempt { true } else { false }
        }
        #expect(isUnusual)
        try expectOneWay([(name, attributes), (name, attributes)])
    }

    @Test("an attribute with the name of a global one replaces it")
    func globals() throws {
        try expectOneWay(
            globals: ["source": "mail", "medium": "x"],
            [("tap", ["source": "own", "a": 1]), ("tap", ["b": 2]), ("tap", [:])]
        )
        for global in ["_session_id", "_screen_name", "_error_code"] {
            try expectOneWay(
                globals: Attributes([(global, AttributeValue.integer(1)), ("a", 2)]),
                screen: "home",
                [("tap", ["b": 1])],
                "\(global)"
            )
        }
    }

    @Test("no memory is written past its end", arguments: [64, 65, 66, 67, 68, 69, 70, 80, 90, 100, 128, 200])
    func bounds(size: Int) {
        let lists: [Attributes] = [
            ["a": 1], ["a": AttributeValue.integer(.min)], ["a": -123_456_789.125], ["abcdefgh": "12345678"],
            ["abc": "x", "d": true],
            ["number": AttributeValue.double(-1.797_693_134_862_315_7e308)],
            ["a": "xxxxxxxxxxxxxxxxxxxxxxxx", "b": "yyyyyyyyyyyyyyyy"],
            [
                "a": AttributeValue.decimal(DecimalNumber(text: "123456789012345678901234567890", isFinite: true)),
                "b": false,
            ],
        ]
        for attributes in lists {
            withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { memory in
                for index in memory.indices { memory[index] = 0xA5 }
                _ = FastPathEvent.make("tap", attributes, in: UnsafeMutableRawBufferPointer(rebasing: memory[..<size]))
                #expect(memory[size...].allSatisfy { $0 == 0xA5 })
            }
        }
    }
}
