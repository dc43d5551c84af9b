import ClickstreamCore
import Foundation
import Testing

@testable import clickstream_cli

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("record")
struct RecordCommandTests {
    @Test("records one typed event, prints its id, and stores nothing else")
    func one() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                "record",
                "add_to_cart",
                "--storage",
                "s",
                "--app-id",
                "shop",
                "--attr",
                "count=3",
                "price=9.9",
                "--attr",
                "gift=true",
                "--attr",
                "zip=0815",
                "--attr",
                "code:=\"7\"",
                "--item",
                "id=0815,name=shoe,price=9.9",
                "--item",
                #"{"id":"2","quantity":2}"#,
                "--user-id",
                "carl"
            )
            #expect(run.status == 0)
            #expect(run.errors == "warning: recorded as text: zip=0815; for a number write zip:=815\n")
            let events = try workplace.storedEvents(in: "s/shop")
            #expect(events.map(\.eventID) == [run.output.trimmingCharacters(in: .newlines)])
            #expect(events.map(\.eventName) == ["add_to_cart"])
            let event = try #require(events.first)
            let attributes = #"{"count":3,"gift":true,"zip":"0815","code":"7","price":9.9}"#
            #expect(
                event.ownAttributes
                    == (try JSONReader.parse(Array(#"{"attributes":\#(attributes)}"#.utf8))).ownAttributes
            )
            #expect(
                event["items"]?.description
                    == #"[{"id":"0815","name":"shoe","price":9.9},{"id":"2","quantity":2}]"#
            )
            #expect(event["user"]?["_user_id"]?["value"]?.string == "carl")
            #expect(!(try workplace.text(of: "s/shop/state")).contains("carl"))
            #expect(!workplace.contents(of: "s/shop").contains { $0.hasPrefix("users.") })
        }
    }

    @Test(
        "creates a removed folder again, with the events whose ids were printed",
        arguments: [true, false]
    )
    func removed(isMoved: Bool) async throws {
        try await Workplace.use { workplace in
            let run = try workplace.start(["record", "-", "--storage", "s"], input: .pipe)
            for count in 1...2 {
                try run.write("{\"name\":\"tap\"}\n")
                #expect(try await run.wait { run.outputSoFar.filter { $0 == "\n" }.count == count })
                guard count == 1 else { break }
                if isMoved {
                    try FileManager.default.moveItem(atPath: workplace.path("s"), toPath: workplace.path("away"))
                } else {
                    try FileManager.default.removeItem(atPath: workplace.path("s"))
                }
            }
            try run.endInput()
            let end = try await run.finish()
            #expect(end.status == 0)
            // On a machine that is so slow that a second went by, it had let go of the folder before.
            #expect(end.errors.isEmpty || end.errors.contains("The store was opened anew"), "\(end.errors)")
            let stored = try workplace.storedEvents(in: "s/clickstream_cli").compactMap { $0.eventID }
            #expect(stored == end.lines.suffix(end.errors.isEmpty ? 1 : 2).map { String($0) })
        }
    }

    @Test("continues one session over several calls, with the default app id")
    func sessions() async throws {
        try await Workplace.use { workplace in
            for name in ["a", "b"] { #expect(try await workplace.run("record", name).status == 0) }
            let later = try await workplace.run(
                ["record", "c"],
                environment: ["CLICKSTREAM_SESSION_TIMEOUT_DURATION": "0"]
            )
            #expect(later.status == 0)
            let events = try workplace.storedEvents(in: "state/clickstream/clickstream_cli")
            #expect(events.map(\.eventName) == ["a", "b", "c"])
            #expect(events.map { $0["attributes"]?["_session_number"]?.integer } == [1, 1, 2])
        }
    }

    @Test("prefers options to the environment to the file")
    func precedence() async throws {
        try await Workplace.use { workplace in
            let keys = #"{"appId":"of_file","storageDirectory":"file_store","sessionTimeoutDuration":5}"#
            try workplace.write(#"{"analytics":{"plugins":{"awsClickstreamPlugin":\#(keys)}}}"#, to: "my.json")
            let environment = ["CLICKSTREAM_APP_ID": "of_environment"]
            for (arguments, environment, folder) in [
                (["--config", "my.json"], [:], "file_store/of_file"),
                (["--config", "my.json"], environment, "file_store/of_environment"),
                (["--config", "my.json", "--app-id", "x", "--storage", "s"], environment, "s/x"),
            ] {
                let run = try await workplace.run(["record", "tap"] + arguments, environment: environment)
                #expect(run.status == 0, "\(run.errors)")
                #expect(try workplace.storedEvents(in: folder).count == 1)
            }
        }
    }

    @Test("warns of violations, and prints the id of the event stored instead")
    func violations() async throws {
        try await Workplace.use { workplace in
            let name = try await workplace.run("record", "bad name", "--storage", "s")
            #expect(name.status == 0)
            #expect(
                name.errors == "warning: invalid event name \"bad name\": "
                    + "use letters, digits and '_', not starting with a digit (1001)\n"
            )
            let attribute = try await workplace.run("record", "tap", "--attr", "a-b=1", "--storage", "s")
            #expect(attribute.status == 0)
            #expect(attribute.errors.hasPrefix("warning: invalid event attribute name \"a-b\": "))
            #expect(attribute.errors.hasSuffix(" (2002)\n"))
            let events = try workplace.storedEvents(in: "s/clickstream_cli")
            #expect(events.map(\.eventName) == ["_clickstream_error", "tap"])
            #expect(events.map { $0["attributes"]?["_error_code"]?.integer } == [1001, 2002])
            let ids: [String] = events.compactMap(\.eventID)
            let lines: [String] = ids.map { (id: String) -> String in id + "\n" }
            #expect(lines == [name.output, attribute.output])
        }
    }

    @Test("acknowledges each line of standard input with the id of its event, and skips invalid lines")
    func lines() async throws {
        try await Workplace.use { workplace in
            let input = """
                {"name":"a","attributes":{"n":1}}
                {"event_type":"b","timestamp":4,"items":[{"id":"1"}]}

                nope
                {"name":"c","atributes":{}}
                {"name":"d e"}
                {"name":"f","attributes":{"l":[]}}
                {"name":"g"}
                """
            let run = try await workplace.run("record", "-", "--storage", "s", "--user-id", "carl", input: input)
            #expect(run.status == 65)
            let events = try workplace.storedEvents(in: "s/clickstream_cli")
            #expect(events.map(\.eventName) == ["a", "b", "_clickstream_error", "g"])
            #expect(events.compactMap(\.eventID) == run.lines.map(String.init))
            #expect(Set(events.map { $0["user"]?["_user_id"]?["value"]?.string }) == ["carl"])
            #expect(
                run.errors == """
                    warning: line 2: ignoring "timestamp"; only name, attributes, items and visitor are recorded
                    error: standard input:4:1: not JSON: unexpected 'nope' (line not recorded)
                    error: standard input:5:13: unknown key "atributes"; did you mean "attributes"? (line not recorded)
                    warning: line 6: invalid event name "d e": use letters, digits and '_', not starting with a \
                    digit (1001)
                    error: standard input:7:31: "l" in "attributes" is an array; use a string, a number, true or \
                    false (line not recorded)
                    error: 3 lines of standard input not recorded; correct and record them again

                    """
            )
        }
    }

    @Test("records an event of a visitor with exactly its fields")
    func visitor() async throws {
        try await Workplace.use { workplace in
            let input = """
                {"name":"view","attributes":{"n":1},"visitor":{"device_id":"d-1","user_id":"u","session":\
                {"id":"s","number":2,"start":1704067200000},"user":{"plan":"gold"}}}
                {"name":"view","visitor":{"device_id":"d-2"}}
                {"name":"view","visitor":{"device":"d-3"}}
                {"name":"view","visitor":{"device_id":""}}
                {"name":"view","visitor":{"device_id":"d-4","session":{"id":"s","number":1,"start":0}}}
                """
            let run = try await workplace.run("record", "-", "--storage", "s", input: input)
            #expect(run.status == 65)
            #expect(run.errors.contains("unknown key \"device\" in \"visitor\""))
            #expect(run.errors.contains("4:39: \"device_id\" has 0 bytes; it must have 1 to 255"))
            #expect(run.errors.contains("5:55: \"session\" needs"))
            #expect(run.errors.contains("3 lines of standard input not recorded"))
            let events = try workplace.storedEvents(in: "s/clickstream_cli")
            #expect(events.compactMap(\.eventID) == run.lines.map(String.init))
            #expect(events.map { $0["device_id"]?.string } == ["d-1", "d-2"])
            #expect(events.map { $0["unique_id"]?.string } == ["d-1", "d-2"])
            #expect(events[0]["user"]?.members?.map(\.name) == ["_user_id", "plan"])
            let names = events[0]["attributes"]?.members?.map(\.name)
            #expect(
                names == ["_session_id", "_session_start_timestamp", "_session_number", "_session_duration", "n"]
            )
            #expect(events[0]["attributes"]?["_session_number"]?.integer == 2)
            #expect(events[1]["attributes"]?.members?.isEmpty == true)
            #expect(events.allSatisfy { $0["platform"] == nil && $0["locale"] == nil && $0["make"] == nil })
        }
    }

    @Test("records as one person and device in every new store if both ids are configured")
    func configuredIDs() async throws {
        try await Workplace.use { workplace in
            let environment = ["CLICKSTREAM_DEVICE_ID": "kiosk-0007", "CLICKSTREAM_UNIQUE_ID": " person-0042\n"]
            for store in ["first", "second"] {
                let run = try await workplace.run(["record", "tap", "--storage", store], environment: environment)
                #expect(run.status == 0)
                let event = try #require(workplace.storedEvents(in: "\(store)/clickstream_cli").first)
                #expect(event["device_id"]?.string == "kiosk-0007")
                #expect(event["unique_id"]?.string == "person-0042")
                #expect(event["attributes"]?["_session_id"]?.string?.hasPrefix("son-0042-") == true)
            }
        }
    }

    @Test("keeps every event whose id it printed, after any signal", arguments: [SIGKILL, SIGTERM, SIGINT])
    func killed(signal: Int32) async throws {
        try await Workplace.use { workplace in
            let run = try workplace.start(["record", "-", "--storage", "s"], input: .pipe)
            for number in 0..<200 { try run.write("{\"name\":\"n\(number)\"}\n") }
            #expect(try await run.wait { run.outputSoFar.filter { $0 == "\n" }.count >= 100 })
            run.send(signal)
            let end = try await run.finish()
            #expect(end.status == [SIGKILL: -SIGKILL, SIGTERM: 143, SIGINT: 130][signal])
            let ids = end.lines.map(String.init)
            let events = try workplace.storedEvents(in: "s/clickstream_cli")
            #expect(ids.count >= 100)
            #expect(events.prefix(ids.count).compactMap(\.eventID) == ids)
            #expect(events.enumerated().allSatisfy { $1.eventName == "n\($0)" })
        }
    }

    @Test("acknowledges immediately, not with the next line")
    func promptly() async throws {
        try await Workplace.use { workplace in
            let run = try workplace.start(["record", "-", "--storage", "s"], input: .pipe)
            for count in 1...3 {
                try run.write("{\"name\":\"tap\"}\n")
                #expect(try await run.wait { run.outputSoFar.filter { $0 == "\n" }.count == count })
            }
            try run.endInput()
            #expect(try await run.finish().status == 0)
        }
    }

    @Test(
        "rejects invalid usage with status 64, and stores nothing",
        arguments: [
            (["tap", "--attr", "x"], "'x' has no '='"), (["tap", "--attr", "x:=[1]"], "an array is not a valid value"),
            (["tap", "--attr", "x:=y"], "invalid JSON after ':='"), (["tap", "--item", "[1"], "has no '='"),
            (["tap", "--item", "{"], "invalid JSON"), (["tap", "--user-id", ""], "the user id is empty"),
            (["-", "--attr", "x=1"], "cannot be combined with -"), (["tap", "--endpoint", "ftp://x"], "--endpoint"),
            (["tap", "--app-id", ""], "--app-id is empty"), ([], "missing argument"),
        ]
    )
    func usage(arguments: [String], message: String) async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(["record"] + arguments)
            #expect(run.status == 64)
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(workplace.contents(of: "state") == [])
        }
    }

    @Test(
        "removes white space at the ends of settings, from options and the environment",
        arguments: [
            (["--storage", "s", "--app-id", "shop\n"], [:]), (["--storage", " s\r\n", "--app-id", "shop"], [:]),
            (["--storage", "s", "--app-id", "shop", "--endpoint", "http://127.0.0.1:9/collect\n"], [:]),
            (["--storage", "s"], ["CLICKSTREAM_APP_ID": "shop\n"]),
            (["--app-id", "shop"], ["CLICKSTREAM_STORAGE_DIRECTORY": "s\n", "CLICKSTREAM_DEVICE_ID": "d1\n"]),
            (["--app-id", "shop", "--storage", "s"], ["CLICKSTREAM_UNIQUE_ID": "u1\n"]),
            (["--app-id", "shop", "--storage", "s", "--config", "c.json\n"], ["CLICKSTREAM_IS_LOG_EVENTS": "0\n"]),
            // An option replaces a variable that cannot be used.
            (
                ["--storage", "s", "--app-id", "shop", "--endpoint", "http://127.0.0.1:9/collect"],
                ["CLICKSTREAM_ENDPOINT": "http://h/col lect"]
            ),
        ] as [([String], [String: String])]
    )
    func outerWhiteSpace(arguments: [String], environment: [String: String]) async throws {
        try await Workplace.use { workplace in
            try workplace.write(#"{"analytics":{"plugins":{"awsClickstreamPlugin":{}}}}"#, to: "c.json")
            let run = try await workplace.run(["record", "tap"] + arguments, environment: environment)
            #expect(run.status == 0)
            #expect(run.errors == "")
            #expect(try workplace.storedEvents(in: "s/shop").count == 1)
        }
    }

    @Test(
        "refuses a setting that cannot be used, in a message of one line with its source",
        arguments: [
            (["--app-id", "sh\nop"], [:], 78, "--app-id must not contain line breaks"),
            (["--app-id", "sh\nop"], [:], 78, #"'sh\u000aop'"#), (["--endpoint", "http://a\nb"], [:], 64, "U+000A"),
            ([], ["CLICKSTREAM_ENDPOINT": "http://a\nb"], 78, #"'http://a\u000ab'"#),
            ([], ["CLICKSTREAM_DEVICE_ID": "d\n1"], 78, "CLICKSTREAM_DEVICE_ID must not contain line breaks"),
            ([], ["CLICKSTREAM_UNIQUE_ID": "u\n1"], 78, "CLICKSTREAM_UNIQUE_ID must not contain line breaks"),
            ([], ["CLICKSTREAM_DEVICE_MODEL": "Kiosk 7\n"], 78, #"'Kiosk 7\u000a'"#),
            (["--config", "a\nb.json"], [:], 66, #"cannot read a\u000ab.json: no such file"#),
            (["--endpoint", "http://h/col lect"], [:], 64, "--endpoint 'http://h/col lect': the endpoint contains"),
            ([], ["CLICKSTREAM_ENDPOINT": "http://h/col lect"], 78, "CLICKSTREAM_ENDPOINT 'http://h/col lect': the"),
            ([], ["CLICKSTREAM_ENDPOINT": "http://h/\u{A0}x"], 78, "CLICKSTREAM_ENDPOINT 'http://h/\u{A0}x': the"),
            ([], ["CLICKSTREAM_ENDPOINT": "http://h\u{200B}"], 78, #"CLICKSTREAM_ENDPOINT 'http://h\u200b': the"#),
            ([], ["CLICKSTREAM_ENDPOINT": "h/collect"], 78, "CLICKSTREAM_ENDPOINT 'h/collect': the endpoint has no"),
            (
                ["--config", "c.json"], [:], 78,
                "c.json: 'analytics.plugins.awsClickstreamPlugin.endpoint' 'http://h/col lect': the endpoint contains"
            ),
        ] as [([String], [String: String], Int32, String)]
    )
    func unusableSettings(
        arguments: [String],
        environment: [String: String],
        status: Int32,
        message: String
    ) async throws {
        try await Workplace.use { workplace in
            try workplace.write(
                #"{"analytics":{"plugins":{"awsClickstreamPlugin":{"endpoint":"http://h/col lect"}}}}"#,
                to: "c.json"
            )
            let run = try await workplace.run(["record", "tap"] + arguments, environment: environment)
            #expect(run.status == status)
            #expect(run.errors.contains(message), "\(run.errors)")
            let lines = run.errors.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("error: ") || $0.hasPrefix("see '") }, "\(run.errors)")
            #expect(workplace.contents(of: "state") == [])
        }
    }

    @Test("reports why a store is unusable, with a status for each cause")
    func stores() async throws {
        try await Workplace.use { workplace in
            #expect(try await workplace.run("record", "tap", "--storage", "s").status == 0)
            let inside = try await workplace.run("record", "tap", "--storage", "s/clickstream_cli")
            #expect(inside.status == 73)
            #expect(inside.errors.contains("name its parent folder"))
            try workplace.write("mine", to: "file")
            let file = try await workplace.run("record", "tap", "--storage", "file")
            #expect(file.status == 73)
            #expect(file.errors.hasPrefix("error: cannot use file"), "\(file.errors)")
            let config = try await workplace.run("record", "tap", "--config", "nothing.json")
            #expect(config.status == 66)
            let folder = try await workplace.run("record", "tap", "--config", "tmp")
            #expect(folder.status == 66)
            #expect(folder.errors == "error: cannot read tmp: it is a folder; name the file in it\n")
            try workplace.write(#"{"analytics":{"plugins":{"awsClickstreamPlugin":{"appId":5}}}}"#, to: "bad.json")
            let bad = try await workplace.run("record", "tap", "--config", "bad.json")
            #expect(bad.status == 78)
            #expect(bad.errors.contains("bad.json:1:"))
        }
    }

    @Test(
        "infers a number from the spelling that the SDK writes, and true and false",
        arguments: [
            ("1", AttributeValue.integer(1)), ("-5", .integer(-5)), ("0", .integer(0)), ("1.5", .double(1.5)),
            ("100.0", .double(100)), ("-0.0", .double(-0.0)), ("99.9", .double(99.9)), ("1e-05", .double(0.00001)),
            ("1e+21", .double(1e21)), ("9007199254740993", .integer(9_007_199_254_740_993)),
            ("0.30000000000000004", .double(0.1 + 0.2)), ("9223372036854775807", .integer(.max)),
            ("true", .boolean(true)), ("false", .boolean(false)),
        ]
    )
    func guess(text: String, value: AttributeValue) throws {
        #expect(try AttributeArgument("k=\(text)") == AttributeArgument(name: "k", value: value))
        #expect(try ItemArgument("k=\(text)").attributes == ["k": value])
    }

    @Test(
        "keeps all other text byte by byte, and names the number that it resembles",
        arguments: [
            ("72225e2", "72225e2"), ("1.10", "1.10"), ("99.90", "99.90"), ("007", "7"), ("+5", "5"), ("1e5", "1e5"),
            ("1E5", "1E5"), (".5", "0.5"), ("5.", "5"), ("-0", "-0"), ("-.50", "-0.50"), ("00", "0"),
            ("+00.0e1", "0.0e1"), ("0.00001", "0.00001"), ("1e21", "1e21"),
            ("0.1000000000000000055", "0.1000000000000000055"),
            ("9223372036854775808", "9223372036854775808"), ("18446744073709551616", "18446744073709551616"),
            (" 5", "5"), ("5\n", "5"), ("1e999", nil), ("True", nil), ("", nil), ("null", nil), ("\"x\"", nil),
            ("1 2", nil), ("a=b", nil), ("nan", nil), ("inf", nil), ("-", nil), (".", nil), ("e5", nil), ("0x10", nil),
            ("1.2.3", nil), ("2026-11-28", nil), ("1_000", nil), ("\u{661}", nil), ("72225f2", nil),
        ] as [(String, String?)]
    )
    func text(text: String, number: String?) throws {
        let argument = try AttributeArgument("k=\(text)")
        #expect(argument.value == .string(text))
        #expect(argument.numberLikeText == number.map { NumberLikeText(argument: "k=\(text)", number: "k:=\($0)") })
        #expect(try ItemArgument("k=\(text)").numberLikeTexts == argument.numberLikeText.map { [$0] } ?? [])
        if let number { #expect(try AttributeArgument("k:=\(number)").numberLikeText == nil) }
    }

    @Test("warns once of all texts that resemble numbers, but not of ids and stated types")
    func numberLikeTexts() async throws {
        try await Workplace.use { workplace in
            let run = try await workplace.run(
                [
                    "record", "tap", "--storage", "s", "--attr", "commit=72225e2", "--attr", "version=1.10",
                    "--attr", "zip:=\"007\"", "--item", "id=0815,price=99.90", "--item", "id=2,price=99.90",
                ]
            )
            #expect(run.status == 0)
            #expect(
                run.errors == "warning: recorded as text: commit=72225e2, version=1.10, price=99.90; "
                    + "for numbers write commit:=72225e2, version:=1.10, price:=99.90\n"
            )
            let event = try #require(try workplace.storedEvents(in: "s/clickstream_cli").first)
            #expect(event["attributes"]?["commit"]?.string == "72225e2")
            #expect(event["attributes"]?["version"]?.string == "1.10")
            #expect(
                event["items"]?.description == #"[{"id":"0815","price":"99.90"},{"id":"2","price":"99.90"}]"#
            )
        }
    }
}
