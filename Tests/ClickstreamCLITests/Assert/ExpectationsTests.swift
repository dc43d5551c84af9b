import ArgumentParser
import ClickstreamCore
import ClickstreamJudges
import Testing

@testable import clickstream_cli

@Suite("Expectations")
struct ExpectationsTests {
    /// As printed: name, condition and number.
    private func read(_ arguments: [String]) throws -> [String] {
        try ExpectationOptions.parse(arguments).expectations().map { "\($0.description): \($0.count.description)" }
    }

    @Test(
        "are read from the command line, each option applied to the event before it",
        arguments: [
            (["--event", "a"], ["a: at least 1"]),
            (["--event", "a:2"], ["a: exactly 2"]),
            (["--event", "a:0"], ["a: none"]),
            (["--event", "a:2+"], ["a: at least 2"]),
            (["--event", "a:2..5"], ["a: 2 to 5"]),
            (["--event", "a:b"], ["a:b: at least 1"]),
            (["--event", "a:b:c"], ["a:b:c: at least 1"]),
            (["--event", "a:b:2"], ["a:b: exactly 2"]),
            (["--event", "a:2x"], ["a:2x: at least 1"]),
            (["--event", "a:"], ["a:: at least 1"]),
            (["--event", "a:5..2:1+"], ["a:5..2: at least 1"]),
            (["--event", "a", "--count", "3"], ["a: exactly 3"]),
            (["--expect", "a", "--at-most", "3"], ["a: at most 3"]),
            (["--event", "a", "--at-least", "2", "--at-most", "3"], ["a: 2 to 3"]),
            (["--event", "a", "--at-most=3", "--at-least=2"], ["a: 2 to 3"]),
            (
                ["--event", "a:1", "--where", "x == 1", "--event", "b", "--at-most", "2", "--where", "y == 2"],
                ["a where x == 1: exactly 1", "b where y == 2: at most 2"]
            ),
            (
                [
                    "--event", "a", "--event", "b", "--count", "2", "--where", "x == 1", "--where", "y != 2", "--event",
                    "c",
                ],
                ["a: at least 1", "b where x == 1 and y != 2: exactly 2", "c: at least 1"]
            ),
            ([], []),
        ] as [([String], [String])]
    )
    func options(arguments: [String], expectations: [String]) throws {
        #expect(try read(arguments) == expectations)
    }

    @Test(
        "are rejected if they are contradictory",
        arguments: [
            ["--count", "1"], ["--where", "a == 1", "--event", "a"], ["--event", ""], ["--event", ":2"],
            ["--event", "a", "--count", "-1"], ["--event", "a:1", "--count", "2"],
            ["--event", "a:5..2"], ["--event", "a:-1"], ["--event", "a:1.5"], ["--event", "a:2.."],
            ["--event", "a:2++"],
            ["--event", "a:b:-1"], ["--event", "a:99999999999999999999"],
            ["--event", "a", "--at-least", "3", "--at-most", "2"], ["--event", "a", "--where", "a = 1"],
        ]
    )
    func errors(arguments: [String]) {
        #expect(throws: (any Error).self) { try read(arguments) }
    }

    // MARK: -

    private func event(_ name: String, _ value: Int = 0, code: String? = nil) throws -> ReceivedEvent {
        let violations = code.map { "{\"code\":\($0),\"severity\":\"error\",\"message\":\"\"}" } ?? ""
        let unlisted = code == nil ? "" : ",\"unlisted_violations\":20"
        return ReceivedEvent(
            try JSONReader.parse(
                Array(
                    """
                    {"event":{"event_type":"\(name)","attributes":{"value":\(value)}},\
                    "status":"\(code == nil ? "good" : "bad")","violations":[\(violations)]\(unlisted)}
                    """.utf8
                )
            )
        )
    }

    private func expectations(
        _ arguments: String...,
        errors: Bool = true,
        duplicates: Bool = true
    ) throws -> Expectations {
        Expectations(
            try ExpectationOptions.parse(arguments).expectations(),
            allowsErrors: errors,
            allowsDuplicates: duplicates
        )
    }

    @Test(
        "read the content of captured events of their form and name only",
        arguments: [("tap", .pulse, true), ("tap", .audit, false), ("click", .pulse, false)]
            as [(String, CapturedFormat, Bool)]
    )
    func content(name: String, form: CapturedFormat, isCompared: Bool) throws {
        let expectations = try expectations("--event", "click", "--form", "pulse", "--event", "tap")
        #expect(expectations.compares(name, form) == isCompared)
    }

    @Test("a warning breaks --no-errors only with --strict", arguments: [false, true])
    func strict(isStrict: Bool) throws {
        var expectations = Expectations([], allowsErrors: false, isStrict: isStrict)
        let warning = #"{"code":"etl_stale","severity":"warning","message":""}"#
        let event = #"{"event":{"event_type":"a"},"status":"good","violations":[\#(warning)]}"#
        expectations.take(ReceivedEvent(try JSONReader.parse(Array(event.utf8))))
        #expect(expectations.verdict == (isStrict ? .broken : .holds))
        #expect(expectations.badEvents == (isStrict ? 1 : 0))
    }

    @Test(
        "hold, are missing or are violated, event by event",
        arguments: [
            ("a", "-++"), ("a:1", "-+!"), ("a:2", "--+"), ("a:0", "+!!"), ("a:2+", "--+"), ("a:0..1", "++!"),
            ("a:3", "---"), ("b", "---"),
        ]
    )
    func verdicts(condition: String, verdicts: String) throws {
        var expectations = try expectations("--event", condition)
        var seen = ""
        func note() {
            switch expectations.verdict {
            case .holds: seen += "+"
            case .missing: seen += "-"
            case .broken: seen += "!"
            }
        }
        note()
        for _ in 1...2 {
            expectations.take(try event("a"))
            note()
        }
        #expect(seen == verdicts)
    }

    @Test("for errors, unreadable requests and duplicates default to none")
    func others() throws {
        var errors = try expectations(errors: false)
        errors.take(try event("a"))
        errors.take(duplicates: 3, unreadableRequests: 0)
        #expect(errors.verdict == .holds)
        var unreadable = errors
        unreadable.take(duplicates: 0, unreadableRequests: 1)
        errors.take(try event("a", code: "2001"))
        #expect((errors.verdict, unreadable.verdict) == (.broken, .broken))
        var duplicates = try expectations(duplicates: false)
        duplicates.take(try event("a", code: "2001"))
        #expect(duplicates.verdict == .holds)
        duplicates.take(duplicates: 1, unreadableRequests: 1)
        #expect(duplicates.verdict == .broken)
    }

    @Test("report the closest event")
    func nearest() throws {
        var expectations = try expectations(
            "--event",
            "add_to_cart:1",
            "--where",
            "attributes.value == 3",
            "--event",
            "add_to_kart",
            "--event",
            "a",
            errors: false
        )
        for value in [1, 2, 2] { expectations.take(try event("add_to_cart", value)) }
        expectations.take(try event("a", code: "2001"))
        let report = ExpectationReport(expectations: expectations, waited: 0)
        #expect(
            report.human(in: Style(isColoured: false)) == [
                "FAILED  add_to_cart where attributes.value == 3: expected exactly 1, received 0",
                "          add_to_cart received with attributes.value = 2 (2 times)",
                "          add_to_cart received with attributes.value = 1",
                "FAILED  add_to_kart: expected at least 1, received 0",
                "          did you mean 'add_to_cart' (3 received)?",
                "          received: add_to_cart 3, a 1",
                "ok      a: expected at least 1, received 1",
                "FAILED  no errors: 1 invalid event, 0 unreadable requests",
                "          2001 \(ReplayReport.meaning(of: "2001")), in a",
            ]
        )
        #expect(report.failure == "3 of 4 expectations failed")
        #expect(
            report.json == """
                {"ok":false,"waited_ms":0,"events":4,"bad_events":1,"unreadable_requests":0,"duplicates":0,"expectations":[\
                {"event":"add_to_cart","where":["attributes.value == 3"],"at_least":1,"at_most":1,"came":0,"ok":false,\
                "other_values":[{"found":"attributes.value = 2","count":2},{"found":"attributes.value = 1","count":1}],\
                "similar":null},{"event":"add_to_kart","where":[],"at_least":1,"at_most":null,"came":0,"ok":false,\
                "other_values":[],"similar":"add_to_cart"},{"event":"a","where":[],"at_least":1,"at_most":null,"came":1,"ok":true}],\
                "no_errors":{"ok":false,"bad_events":1,"unreadable_requests":0,\
                "found":[{"found":"2001 \(ReplayReport.meaning(of: "2001")), in a","count":1}],"unlisted_violations":20},\
                "no_duplicates":null}
                """
        )
    }
}
