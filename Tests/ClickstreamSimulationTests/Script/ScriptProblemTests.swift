import ClickstreamCore
import ClickstreamDocuments
import Testing

@testable import ClickstreamReplay

@Suite("Errors in a script")
struct ScriptProblemTests {
    private static func complaints(_ text: String, file: String = "test.yaml") -> [String] {
        ScriptReaderTests.complaints(text, file: file)
    }

    @Test(
        "are reported for the script as a whole",
        arguments: [
            ("", ["1:1: error: the script is empty; start it with 'clickstream: 1'"]),
            ("# nothing\n", ["1:1: error: the script is empty; start it with 'clickstream: 1'"]),
            ("launch", ["1:1: error: a script must be a mapping, not a string; start it with 'clickstream: 1'"]),
            ("- launch", ["1:1: error: a script must be a mapping, not a list; start it with 'clickstream: 1'"]),
            (
                "steps: [ launch ]",
                [
                    "1:1: error: the script has no 'clickstream:', the version of its format; start it with 'clickstream: 1'"
                ]
            ),
            (
                "clickstream: 2\nsteps: [ launch ]",
                ["1:14: error: unknown format version 2; this program reads version 1"]
            ),
            ("clickstream: '1'\nsteps: [ launch ]", ["1:14: error: 'clickstream' must be an integer, not a string"]),
            (
                "clickstream: 1.0\nsteps: [ launch ]",
                ["1:14: error: 'clickstream' must be an integer, not the number 1.0"]
            ),
            (
                "clickstream: 1\n",
                ["1:1: error: the script has no 'steps'; add 'steps:' with a list that starts with 'launch'"]
            ),
            ("clickstream: 1\nsteps:\n", ["2:7: error: 'steps' must be a list of steps, not null"]),
            ("clickstream: 1\nsteps: []\n", ["2:8: error: 'steps' is empty; start with 'launch'"]),
            ("clickstream: 1\nsteps: launch\n", ["2:8: error: 'steps' must be a list of steps, not a string"]),
            (
                "clickstream: 1\nstesp: [ launch ]\n",
                [
                    "1:1: error: the script has no 'steps'; add 'steps:' with a list that starts with 'launch'",
                    "2:1: error: unknown key 'stesp' in the script; did you mean 'steps'?",
                ]
            ),
            (
                "clickstream: 1\nzzz: 1\nsteps: [ launch ]\n",
                [
                    "2:1: error: unknown key 'zzz' in the script; valid keys: clickstream, seed, start, time_zone, config, app, "
                        + "device, ui or steps"
                ]
            ),
            (
                "clickstream: 1\ntime_zone: Asia/Shanghia\nsteps: [ launch ]\n",
                ["2:12: error: unknown time zone 'Asia/Shanghia'; did you mean 'Asia/Shanghai'?"]
            ),
            (
                "clickstream: 1\ntime_zone: GMT+8\nsteps: [ launch ]\n",
                ["2:12: error: unknown time zone 'GMT+8'; use an IANA name such as Asia/Shanghai"]
            ),
            ("clickstream: 1\nseed: -1\nsteps: [ launch ]\n", ["2:7: error: 'seed' must be at least 0, not -1"]),
            (
                "clickstream: 1\nseed: 1.5\nsteps: [ launch ]\n",
                ["2:7: error: 'seed' must be an integer, not the number 1.5"]
            ),
            (
                "clickstream: 1\nstart: yesterday\nsteps: [ launch ]\n",
                ["2:8: error: 'start' is 'yesterday': not a valid date; write it like 2023-09-05T13:19:26.703Z"]
            ),
            (
                "clickstream: 1\nstart: 2023-02-29\nsteps: [ launch ]\n",
                ["2:8: error: 'start' is '2023-02-29': no such date between the years 1970 and 9999"]
            ),
            (
                "clickstream: 1\napp: { versoin: 1.0 }\nsteps: [ launch ]\n",
                ["2:8: error: unknown key 'versoin' in 'app'; did you mean 'version'?"]
            ),
            (
                "clickstream: 1\napp: { version: 1.0 }\nsteps: [ launch ]\n",
                [
                    "2:17: error: 'version' must be a string, not the number 1.0; write \"1.0\" in quotation marks to make it a string"
                ]
            ),
            (
                "clickstream: 1\ndevice: { osVersion: '1', screen_width: '5', make: null }\nsteps: [ launch ]\n",
                [
                    "2:11: error: unknown key 'osVersion' in 'device'; did you mean 'os_version'?",
                    "2:41: error: 'screen_width' must be an integer, not a string",
                    "2:52: error: 'make' must be a string, not null",
                ]
            ),
            (
                "clickstream: 1\napp: shop\nsteps: [ launch ]\n",
                ["2:6: error: 'app' must be a mapping with package, title or version, not a string"]
            ),
            (
                "clickstream: 1\nconfig: { appID: a, isLogEvents: 1, sessionTimeoutDuration: -1, durability: powr, maxBatchBytes: 0 }\n"
                    + "steps: [ launch ]\n",
                [
                    "2:11: error: unknown configuration key 'appID' in 'config'; did you mean 'appId'?",
                    "2:34: error: 'isLogEvents' must be true or false, not the number 1",
                    "2:61: error: 'sessionTimeoutDuration' must be at least 0, not -1",
                    "2:77: error: 'durability' must be 'process' or 'power', not 'powr'; did you mean 'power'?",
                    "2:98: error: 'maxBatchBytes' must be at least 1, not 0",
                ]
            ),
            (
                "clickstream: 1\nconfig: { endpoint: \"ftp://example.com/collect\" }\nsteps: [ launch ]\n",
                [
                    "2:21: error: 'endpoint': the endpoint's scheme 'ftp' is not valid; use http or https, as in "
                        + "https://example.com/collect"
                ]
            ),
        ]
    )
    func whole(text: String, expected: [String]) {
        #expect(ScriptProblemTests.complaints(text) == expected.map { "test.yaml:" + $0 })
    }

    @Test(
        "are reported for a step",
        arguments: [
            ("lanch", ["5: error: unknown step 'lanch'; did you mean 'launch'?"]),
            ("userId: carl", ["5: error: unknown step 'userId'; did you mean 'user_id'?"]),
            (
                "xyzzy",
                [
                    "5: error: unknown step 'xyzzy'; valid steps: launch, foreground, background, terminate, kill, crash, wait, "
                        + "sleep, clock, screen, record, show, click, touch, scroll, gesture, transaction, variable, revenue, "
                        + "user_id, user, global, delete_global, configure, enable, disable, consent, flush, network or repeat"
                ]
            ),
            ("wait 5s", ["5: error: unknown step 'wait 5s'; did you mean 'wait: 5s'?"]),
            ("5", ["5: error: a step must be a word, or a mapping with one key, not the number 5"]),
            ("[ wait ]", ["5: error: a step must be a word, or a mapping with one key, not a list"]),
            ("", ["4: error: a step must be a word, or a mapping with one key, not null"]),
            ("{}", ["5: error: the step is empty"]),
            (
                "{ wait: 5s, flush: }",
                [
                    "17: error: a step has one key; 'flush' is a second key after 'wait'; start 'flush' on a new line with '- '"
                ]
            ),
            ("record", ["5: error: 'record' needs a value: a name, or a mapping with name, attributes and items"]),
            ("wait", ["5: error: 'wait' needs a value: a duration such as 1h30m"]),
            ("sleep", ["5: error: 'sleep' needs a value: a duration such as 1h30m"]),
            ("sleep: 5", ["12: error: 'sleep' is 5: a duration needs a unit; did you mean '5s' or '5ms'?"]),
            ("crash", ["5: error: 'crash' needs a value: a message, or a mapping with message and stack"]),
            ("user_id", ["5: error: 'user_id' needs a value: a string or null"]),
            ("flush: now", ["12: error: 'flush' takes no value, not a string"]),
            ("foreground: {}", ["17: error: 'foreground' takes no value, not a mapping"]),
            ("wait: 5", ["11: error: 'wait' is 5: a duration needs a unit; did you mean '5s' or '5ms'?"]),
            ("wait: '5'", ["11: error: 'wait' is '5': a duration needs a unit; did you mean '5s' or '5ms'?"]),
            ("wait: 1.5", ["11: error: 'wait' must be a duration such as 250ms, 2s, 31m or 1h30m, not the number 1.5"]),
            (
                "wait: -5s",
                [
                    "11: error: 'wait' is '-5s': not a valid duration; write it like 250ms, 2s, 31m, 1h30m or 3d"
                ]
            ),
            (
                "wait: 5sec",
                [
                    "11: error: 'wait' is '5sec': unknown unit 'sec' in a duration; write it like 250ms, 2s, 31m, 1h30m or 3d"
                ]
            ),
            ("wait: 99999999d", ["11: error: 'wait' is '99999999d': a duration must be at most 36500d"]),
            ("clock: 2h", ["12: error: 'clock' is '2h': a change needs a sign (+ or -); did you mean '+2h'?"]),
            (
                "clock: +2",
                [
                    "12: error: 'clock' must be a change such as +2h or -5m, or a date, not the number +2; did you mean '+2s' or '+2ms'?"
                ]
            ),
            ("clock: noon", ["12: error: 'clock' is 'noon': not a valid date; write it like 2023-09-05T13:19:26.703Z"]),
            (
                "clock: +2x",
                [
                    "12: error: 'clock' is '+2x': unknown unit 'x' in a duration; write it like 250ms, 2s, 31m, 1h30m or 3d"
                ]
            ),
            ("screen: ''", ["13: error: the screen name is empty"]),
            (
                "screen: 5",
                [
                    "13: error: 'screen' must be a name, or a mapping with name, id, unique_id and variables, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            ("screen: { id: a }", ["13: error: 'screen' has no 'name'"]),
            (
                "screen: { name: A, uniqueId: a }",
                ["24: error: unknown key 'uniqueId' in 'screen'; did you mean 'unique_id'?"]
            ),
            (
                "screen: { name: A, unique_id: 5 }",
                [
                    "35: error: 'unique_id' must be a string, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            ("record: { attributes: {} }", ["13: error: 'record' has no 'name'"]),
            (
                "record: { name: a, attrs: {} }",
                ["24: error: unknown key 'attrs' in 'record'; valid keys: name, attributes or items"]
            ),
            (
                "record: { name: a, attributes: { b: [ 1 ] } }",
                ["41: error: the attribute 'b' must be a string, a number, true or false, not a list"]
            ),
            (
                "record: { name: a, attributes: { b: { c: 1 } } }",
                ["41: error: the attribute 'b' must be a string, a number, true or false, not a mapping"]
            ),
            (
                "record: { name: a, attributes: { b: null } }",
                ["41: error: the attribute 'b' must be a string, a number, true or false, not null"]
            ),
            (
                "record: { name: a, attributes: [ b ] }",
                ["36: error: 'attributes' must be a mapping of attributes, not a list"]
            ),
            ("record: { name: a, items: { id: x } }", ["31: error: 'items' must be a list of items, not a mapping"]),
            ("record: { name: a, items: [ x ] }", ["33: error: an item must be a mapping of attributes, not a string"]),
            (
                "user: { a: 9223372036854775808 }",
                [
                    "16: error: the integer 9223372036854775808 does not fit in 64 bits; write it with a decimal point to make it a double, or in quotation marks to make it a string"
                ]
            ),
            (
                "user: { a: 1e309 }",
                ["16: error: the number 1e309 is outside the range of a double; in YAML, infinity is written .inf"]
            ),
            ("user: { a: !!int x }", ["16: error: 'x' is not a valid !!int"]),
            ("user: { a: !thing x }", ["16: error: unknown tag '!thing'"]),
            ("user: carl", ["11: error: 'user' must be a mapping of attributes, not a string"]),
            (
                "user_id: 5",
                [
                    "14: error: 'user_id' must be a string or null, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            ("delete_global: level", ["20: error: 'delete_global' must be a list of names, not a string"]),
            (
                "delete_global: [ 5 ]",
                [
                    "22: error: a name in 'delete_global' must be a string, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
            (
                "configure: { endpont: x }",
                ["18: error: unknown configuration key 'endpont' in 'configure'; did you mean 'endpoint'?"]
            ),
            (
                "consent: granted",
                ["14: error: 'consent' must be a mapping with analytics or personalization, not a string"]
            ),
            (
                "consent: { analytic: granted }",
                ["16: error: unknown purpose 'analytic'; did you mean 'analytics'?"]
            ),
            (
                "consent: { analytics: grant }",
                ["27: error: unknown decision 'grant'; valid values: granted, denied or undecided"]
            ),
            ("network: wifi", ["14: error: unknown network 'wifi'; did you mean 'WIFI'?"]),
            (
                "network: 5G",
                ["14: error: unknown network '5G'; valid values: offline, online, WIFI, Mobile or UNKNOWN"]
            ),
            ("repeat: { times: 2 }", ["13: error: 'repeat' has no 'steps'"]),
            ("repeat: { times: -1, steps: [] }", ["22: error: 'times' must be from 0 to 1000000000, not -1"]),
            ("repeat: { times: 2, steps: [ flsh ] }", ["34: error: unknown step 'flsh'; did you mean 'flush'?"]),
            ("crash: { stack: s }", ["12: error: 'crash' has no 'message'"]),
            (
                "crash: 5",
                [
                    "12: error: 'crash' must be a message, or a mapping with message and stack, not the number 5; write \"5\" in quotation marks to make it a string"
                ]
            ),
        ]
    )
    func step(text: String, expected: [String]) {
        let complaints = ScriptProblemTests.complaints(ScriptReaderTests.steps("  - launch\n  - \(text)\n"))
        #expect(complaints == expected.map { "test.yaml:4:" + $0 })
    }

    @Test(
        "are reported for the notation",
        arguments: [
            (
                "test.yaml", "a: 1\n\tb: 2\n",
                "2:1: error: not YAML: found a tab character that violates indentation (while scanning a plain scalar); indent with spaces, not with tabs"
            ),
            (
                "test.yaml", "a: [ 1\nb: 2\n",
                "2:2: error: not YAML: did not find expected ',' or ']' (while parsing a flow sequence)"
            ),
            (
                "test.yaml", "a: \"b\n",
                "2:1: error: not YAML: found unexpected end of stream (while scanning a quoted scalar)"
            ),
            ("test.yaml", "a: *b\n", "1:4: error: not YAML: found undefined alias"),
            (
                "test.yaml", "clickstream: 1\n---\nb: 1\n",
                "2:1: error: not YAML: but found another document (expected a single document in the stream)"
            ),
            ("test.yaml", "a: 1\nb: 2\na: 3\n", "3:1: error: duplicate key 'a' in a mapping"),
            (
                "test.yaml", "x:\n  - a: { b: 1 }\n    b: 2\n    \"b\": 3\n",
                "4:5: error: duplicate key 'b' in a mapping"
            ),
            (
                "test.yaml", "x: { ab: \"a, b: 1\", c: [ { ab: 2 } ],\n  d: 1, ab: 3 }\n",
                "2:9: error: duplicate key 'ab' in a mapping"
            ),
            ("test.yaml", "a: \u{1}\n", "1:4: error: not YAML: control characters are not allowed"),
            (
                "test.json", "{\"a\": 1,\n }",
                "2:2: error: not JSON: expected a name in quotation marks, found '}'"
            ),
            (
                "test.json", "{\"clickstream\": 1, \"steps\": [\"launch\"],\n  \"steps\": [\"launch\"]}",
                "2:3: error: duplicate key 'steps' in a mapping"
            ),
            (
                "test.json",
                "{\"clickstream\": 1, \"steps\": [\"launch\",\n{\"user\": {\"\u{E9}\": 1, \"a\": 9223372036854775808}}]}",
                "2:24: error: the integer 9223372036854775808 does not fit in 64 bits; write it with a decimal point to make it a double, or in quotation marks to make it a string"
            ),
            (
                "test.json", "{\"clickstream\": 1, \"steps\": [\"launch\",\r\n  \"lanch\"]}",
                "2:3: error: unknown step 'lanch'; did you mean 'launch'?"
            ),
            ("test.json", " \n", "1:1: error: the script is empty; start it with 'clickstream: 1'"),
            (
                "test.json", "\nclickstream: 1\n",
                "2:1: error: not JSON: expected a value, found 'c'; a file named .json is read as JSON; name a YAML "
                    + "script .yaml"
            ),
        ]
    )
    func notation(file: String, text: String, expected: String) {
        #expect(ScriptProblemTests.complaints(text, file: file) == ["\(file):\(expected)"])
    }

    @Test("are reported for text that is not UTF-8, at its first invalid byte")
    func notUTF8() {
        let bytes = Array("clickstream: 1\n# caf\u{E9} ".utf8) + [0xFF, 0x0A]
        #expect(
            throws: DocumentError(
                file: "t.yaml",
                problems: [
                    DocumentProblem(at: SourcePosition(line: 2, column: 8), "the text is not valid UTF-8")
                ]
            )
        ) {
            try ScriptReader.read(bytes, file: "t.yaml")
        }
    }

    @Test("are all reported in the order of the file, twenty at most")
    func several() {
        let three = ScriptProblemTests.complaints(
            "sed: 1\nclickstream: 1\nsteps:\n- launch\n- wait: 5\n- flsh\napp: { version: 2 }\n"
        )
        #expect(
            three.map { $0.split(separator: " ")[0] } == [
                "test.yaml:1:1:", "test.yaml:5:9:", "test.yaml:6:3:", "test.yaml:7:17:",
            ]
        )
        let many = ScriptProblemTests.complaints(
            ScriptReaderTests.steps("- launch\n" + String(repeating: "- wait: 5\n", count: 100))
        )
        #expect(many.count == 20)
        #expect(many.last?.hasPrefix("test.yaml:23:9: ") == true)
    }

    @Test("include aliases that multiply")
    func aliases() {
        var text = "clickstream: 1\na0: &a0 [ x, x, x, x, x, x, x, x, x, x ]\n"
        for level in 1...9 {
            let alias = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [ \(alias) ]\n"
        }
        let complaints = ScriptProblemTests.complaints(text)
        #expect(complaints.contains { $0.hasSuffix("error: aliases repeat more than 1000000 values") })
    }

    @Test("include deep nesting", arguments: ["test.yaml", "test.json"])
    func nesting(file: String) {
        for depth in [70, 500, 100_000] {
            let text =
                "{\"clickstream\": " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
            let complaints = ScriptProblemTests.complaints(text, file: file)
            #expect(
                complaints.contains {
                    $0.contains("more than 64 ") && $0.contains(/nested (lists and mappings|arrays and objects)$/)
                }
            )
            #expect(!complaints.contains { $0.contains("yaml_set") })
        }
    }

    @Test(
        "include nesting beyond the limit of the YAML parser, however it is written",
        arguments: [
            (["- "], "1:1999"), (["? "], "1:1999"), (["["], "1:1"), (["[\n"], "999:1"), (["{ a: # b\n"], "1000:1"),
            ((0..<1_100).map { String(repeating: " ", count: $0) + "a:\n" }, "1000:1000"),
            ((0..<1_100).map { String(repeating: " ", count: $0) + "a:\r\n\r\n# b\r\n" }, "2998:1000"),
        ] as [([String], String)]
    )
    func nestingBeyondParser(levels: [String], position: String) {
        let text = levels.count == 1 ? String(repeating: levels[0], count: 1_100) : levels.joined()
        let complaint = "test.yaml:\(position): error: more than 64 nested lists and mappings"
        #expect(ScriptProblemTests.complaints(text) == [complaint])
    }

    @Test("are not nesting for brackets in texts")
    func bracketsInTexts() {
        let text = String(repeating: "- \"[\"\n", count: 100) + "]"
        let complaints = ScriptProblemTests.complaints(text)
        #expect(complaints.count == 1 && complaints[0].hasPrefix("test.yaml:101:1: error: not YAML: "), "\(complaints)")
    }

    @Test("never trap, for any truncation or insertion", arguments: ["test.yaml", "test.json"])
    func damage(file: String) {
        let text = Array(
            """
            {"clickstream": 1, "seed": 5, "start": "2024-01-01", "config": {"appId": "a"}, "steps": ["launch",
            {"record": {"name": "r", "attributes": {"i": 1, "d": 1.0}, "items": [{"id": "x"}]}},
            {"repeat": {"times": 2, "steps": ["flush", {"wait": "5s"}, {"clock": "-5m"}]}}]}
            """.utf8
        )
        for length in 0..<text.count {
            #expect(throws: DocumentError.self) { try ScriptReader.read(Array(text[..<length]), file: file) }
        }
        for index in stride(from: 0, to: text.count, by: 3) {
            for byte in [UInt8(ascii: "-"), UInt8(ascii: "&"), 0x00, 0xC3, UInt8(ascii: "\""), UInt8(ascii: "\t")] {
                var damaged = text
                damaged[index] = byte
                // Either way is right here: what must not happen is a trap.
                _ = try? ScriptReader.read(damaged, file: file)
            }
        }
    }
}
