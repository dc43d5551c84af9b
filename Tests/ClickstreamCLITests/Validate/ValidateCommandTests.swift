import ClickstreamCore
import ClickstreamJudges
import Testing

@testable import clickstream_cli

@Suite("validate")
struct ValidateCommandTests {
    /// Line printed for one finding.
    private static func finding(
        _ line: Int,
        _ code: String,
        _ subject: String,
        _ name: String,
        _ message: String
    ) -> JSONValue {
        JSONValue(
            .object([
                .number("line", line), Int64(code).map { .number("code", $0) } ?? .text("code", code),
                .text("subject", subject), .text("name", name), .text("message", message),
            ])
        )
    }

    private static let lines = """
        {"event_type":"add_to_cart","attributes":{"value":279.9,"coupon":null},"items":[{"id":"1","price":9.9}]}
        {"name":"1st","attributes":{"a b":1},"items":[{"id":"1"},{"name":"shoe"}],"user":{"n@":"x"}}

        {"event_type":"add
        {"event_type":"_screen_view","attributes":{}}
        {"event_id":"e","event_type":"wire","app_id":"shop","timestamp":1.5,"attributes":{"a":1}}
        """

    private static let findings: [JSONValue] = [
        finding(
            2,
            "1001",
            "event",
            "1st",
            "invalid event name \"1st\": use letters, digits and '_', not starting with a digit"
        ),
        finding(
            2,
            "2002",
            "attribute",
            "a b",
            "invalid event attribute name \"a b\": "
                + "use letters, digits and '_', not starting with a digit"
        ),
        finding(2, "4006", "item", "items[1]", "items[1] has no \"id\" that is a number or a string"),
        finding(
            2,
            "3003",
            "user_attribute",
            "n@",
            "invalid user attribute name \"n@\": "
                + "use letters, digits and '_', not starting with a digit"
        ),
        finding(
            4,
            "not_json",
            "event",
            "line 4",
            "events.ndjson:4:19: not JSON: the string that begins at byte 14 does not end"
        ),
        finding(
            5,
            "5001",
            "screen",
            "_screen_name",
            "the screen view is discarded: its \"_screen_name\" is missing"
        ),
        finding(
            6,
            "etl_not_an_integer",
            "event",
            "timestamp",
            "\"timestamp\" is a number with a fraction, an exponent or too many digits, not an integer"
        ),
    ]

    @Test("validates every line in either form, and prints the result as an array, as lines, or in readable form")
    func formats() async throws {
        try await Workplace.use { workplace in
            try workplace.write(Self.lines, to: "events.ndjson")
            let array = try await workplace.run("validate", "events.ndjson")
            #expect(array.status == 1)
            #expect(array.errors == "")
            #expect(try JSONReader.parse(Array(array.output.utf8)).array == Self.findings)

            let lines = try await workplace.run("validate", "events.ndjson", "--format", "ndjson")
            #expect(lines.status == 1)
            #expect(lines.output == Self.findings.map { "\($0)\n" }.joined())

            let human = try await workplace.run("validate", "events.ndjson", "--format", "human")
            #expect(human.status == 1)
            #expect(human.lines.count == Self.findings.count + 1)
            #expect(human.lines.last == "5 events: 7 errors in 4 events")
        }
    }

    @Test("reports nothing for valid events, including those of the library")
    func good() async throws {
        try await Workplace.use { workplace in
            let script = try workplace.write(Scripts.events(3), to: "a.yaml")
            let replay = try await workplace.run("replay", script, "--dry-run")
            let judged = try await workplace.run("validate", "-", input: replay.output)
            #expect(judged == Finished(status: 0, output: "[]\n", errors: ""))
            let nothing = try await workplace.run("validate", "-", "--format=ndjson", input: "")
            #expect(nothing.output == "" && nothing.status == 0)
        }
    }

    @Test("reports that an empty input has no events", arguments: ["", "\n\n"])
    func empty(input: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("validate", "-", input: input)
            #expect(
                run
                    == Finished(
                        status: 0,
                        output: "[]\n",
                        errors: "warning: standard input has no events: the input is empty\n"
                    )
            )
        }
    }

    @Test("accepts a byte order mark, CR LF, a last line without its end, and a line of five million characters")
    func shapes() async throws {
        try await Workplace.use { workplace in
            let long = String(repeating: "x", count: 5_000_000)
            let text =
                "\u{FEFF}{\"name\":\"a\"}\r\n{\"name\":\"b\",\"attributes\":{\"t\":\"\(long)\"}}\n{\"name\":\"c d\"}"
            let run = try await workplace.run("validate", "-", input: text)
            #expect(run.status == 1)
            let found = try JSONReader.parse(Array(run.output.utf8)).array ?? []
            #expect(found.map { $0["line"]?.integer } == [2, 3])
            #expect(found.map { $0["code"]?.integer } == [2003, 1001])
        }
    }

    @Test("adds the number of findings that it does not list to the last one of the line")
    func unlisted() async throws {
        try await Workplace.use { workplace in
            let attributes = (0..<120).map { "\"\($0)-\":1" }.joined(separator: ",")
            let text =
                "{\"event_id\":\"e\",\"event_type\":\"a\",\"app_id\":\"shop\",\"timestamp\":1700000000000,"
                + "\"unique_id\":\"u\",\"attributes\":{\(attributes)}}"
            let run = try await workplace.run("validate", "-", input: text)
            let found = try JSONReader.parse(Array(run.output.utf8)).array ?? []
            #expect(found.count == 101)
            #expect(found.compactMap { $0["unlisted_violations"]?.integer } == [20])
            #expect(found.last?["unlisted_violations"]?.integer == 20)
        }
    }

    @Test("checks suggested limits only on request")
    func suggestions() async throws {
        try await Workplace.use { workplace in
            let text = "{\"name\":\"a_name_of_more_than_twenty_five\"}"
            #expect(try await workplace.run("validate", "-", input: text).status == 0)
            for (options, status) in [([], 0), (["--strict"], 1)] as [([String], Int32)] {
                let run = try await workplace.run(["validate", "-", "--suggestions"] + options, input: text)
                #expect(run.status == status)
                #expect(try JSONReader.parse(Array(run.output.utf8)).array?.first?["severity"]?.string == "warning")
            }
            let human = try await workplace.run("validate", "-", "--suggestions", "--format", "human", input: text)
            #expect(human.lines.last == "1 event: 1 warning in 1 event")
        }
    }

    @Test("reports unreadable input", arguments: [("nothing.ndjson", "no such file"), ("tmp", "it is a folder")])
    func missing(name: String, reason: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run("validate", name)
            #expect(run.status == 66)
            #expect(run.output == "")
            #expect(run.errors.hasPrefix("error: cannot read \(name): \(reason); "))
        }
    }

    @Test("ends at once, with the signal's status, while waiting for input", arguments: [(2, 130), (15, 143)])
    func stop(signal: Int32, status: Int32) async throws {
        try await Workplace.use { workplace in
            let run = try workplace.start(["validate", "-", "--format=ndjson"], input: .pipe)
            try run.write("{\"name\":\"a b\"}\n")
            #expect(try await run.wait { !run.outputSoFar.isEmpty })
            run.send(signal)
            let end = try await run.finish()
            #expect(end.status == status)
            #expect(end.lines.count == 1)
        }
    }

    @Test(
        "explains the codes that only lines can have",
        arguments: ["not_json", "line_too_long", "unfit_value", "unknown_key", "etl_misread"]
    )
    func explained(code: String) {
        #expect(LineRule.explain(code)?.hasPrefix("\(code)  ") == true)
    }

    @Test(
        "reports times that are not in milliseconds, in either form",
        arguments: [
            (
                #"{"event_id":"e","app_id":"a","event_type":"b","timestamp":1685082174}"#,
                ["\"timestamp\" is probably in seconds, not in milliseconds since 1970"]
            ),
            (#"{"event_id":"e","app_id":"a","event_type":"b","timestamp":1685082174195}"#, []),
            (
                #"{"name":"a","attributes":{"_session_start_timestamp":1685082174195000},"#
                    + #""user":{"_user_first_touch_timestamp":1685082174195000000,"#
                    + #""tier":{"value":1,"set_timestamp":1685082174}}}"#,
                [
                    "\"_session_start_timestamp\" is probably in microseconds, not in milliseconds since 1970",
                    "\"_user_first_touch_timestamp\" is probably in nanoseconds, not in milliseconds since 1970",
                    "the \"set_timestamp\" of the user attribute \"tier\" is probably in seconds, not in "
                        + "milliseconds since 1970",
                ]
            ),
            (#"{"name":"a","attributes":{"_session_start_timestamp":1685082174195}}"#, []),
        ]
    )
    func units(line: String, messages: [String]) {
        let found = LineJudge.findings(on: LineReader.Line(number: 7, bytes: Array(line.utf8)))
        #expect(found.map(\.finding.message) == messages)
        #expect(found.allSatisfy { $0.finding.code == "etl_time_unit" })
    }

    @Test("parses as many levels of an event as fit into the array of a request", arguments: [126, 127, 128, 129])
    func nesting(levels: Int) {
        let nested = String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
        let line = #"{"event_id":"e","app_id":"a","event_type":"b","timestamp":1685082174195,"x":\#(nested)}"#
        let found = LineJudge.findings(on: LineReader.Line(number: 7, bytes: Array(line.utf8)))
        #expect(found.map(\.finding.code) == (levels > 127 ? ["not_json"] : []))
        let isBody = (try? JSONReader.parse(Array("[\(line)]".utf8))) != nil
        #expect(isBody == found.isEmpty)
    }

    @Test(
        "names the position of values that the library cannot accept",
        arguments: [
            (#"[1]"#, ["etl_not_an_object x:7:1: the event is an array, not an object"]),
            (#"{"event_type":""}"#, ["1001 \(Validator.checkEventName("")?.message ?? "")"]),
            (#"{"name":5}"#, ["etl_missing_event_type x:7:9: the event has no \"event_type\" that is a string"]),
            (
                #"{"name":"a","atributes":{}}"#,
                ["unknown_key x:7:13: unknown key \"atributes\"; did you mean \"attributes\"?"]
            ),
            (
                #"{"name":"a","attributes":{"l":[1]},"items":5}"#,
                [
                    "unfit_value x:7:31: \"l\" in \"attributes\" is an array; "
                        + "use a string, a number, true or false",
                    "etl_not_an_array x:7:44: \"items\" is a number, not an array",
                ]
            ),
            (
                #"{"name":"a","items":[5,{"id":1}],"user":[]}"#,
                [
                    "etl_not_an_object x:7:22: \"items[0]\" is a number, not an object",
                    "etl_not_an_object x:7:41: \"user\" is an array, not an object",
                ]
            ),
            (#"{"name":"a","other":1,"items":null,"user":{"a":{"value":1}}}"#, []),
            (#"{"name":"a","event_name":null}"#, []),
            (#"{"event_type":null,"event_name":"a"}"#, []),
            (#"{"event_type":"a","event_name":null,"name":null}"#, []),
            (
                #"{"attributes":{},"event_name":null}"#,
                ["etl_missing_event_type x:7:31: the event has no \"event_type\" that is a string"]
            ),
            (
                #"{"event_name":5,"name":"a"}"#,
                ["etl_missing_event_type x:7:15: the event has no \"event_type\" that is a string"]
            ),
        ]
    )
    func locations(line: String, messages: [String]) {
        let found = LineJudge.findings(on: LineReader.Line(number: 7, bytes: Array(line.utf8)))
        let texts = found.map { found in
            "\(found.finding.code) " + (found.column.map { "x:7:\($0): " } ?? "") + found.finding.message
        }
        #expect(texts == messages)
    }
}
