import ClickstreamCore
import ClickstreamSimulation
import Testing

@testable import ClickstreamJudges

/// The table of the fields that the server reads in a certain type, against a second one that was written down from the
/// published pipeline's schema and classes, not from ours.
@Suite("Rules: fields as the server reads them")
struct ServerFieldTests {
    private static let received = Timestamp(milliseconds: 1_700_000_000_000)

    /// Text with one byte more than most columns of the server.
    private static let long = String(repeating: "x", count: 256)

    /// Values of every kind, in the order of the verdicts.
    private static let values = [
        "[]", #"["x"]"#, "{}", #"{"a":1}"#, "null", "7", "7.5", "1e30", "true", #""""#, #""abc""#, #""7""#, #""7.5""#,
        #""NaN""#,
    ]

    /// A class of fields: the code for each of the values, empty where the server keeps the event as it is.
    private struct Row: Sendable {
        var container: String
        var fields: [String]
        var codes: [String]
    }

    private static let text = codes("etl_not_a_text", "XXXX..........")
    private static let sparkLong = codes("etl_not_an_integer", "XXXX..XXXXXXXX")
    private static let jacksonLong = codes("etl_not_an_integer", "XXXX...XX.X.XX")
    private static let safeLong = codes("etl_not_an_integer", "XXXX..XXXXX.XX")
    private static let jacksonDouble = codes("etl_not_a_number", "XXXX....X.X...")
    private static let sparkFloat = codes("etl_not_a_number", "XXXX....XXXXX.")
    private static let scalar = codes("etl_not_a_scalar", "XXXX..........")
    private static let age = codes("etl_user_age", "XXXXX.XXXXX.XX")
    private static let sparkTime = codes("etl_not_an_integer", "XXXX.UXXXXXXXX")
    private static let jacksonTime = codes("etl_not_an_integer", "XXXX.UUXX.XUXX")
    private static let safeTime = codes("etl_not_an_integer", "XXXX.UXXXXXUXX")
    private static let touch = codes("etl_not_an_integer", "XXXXXUXXXXXUXX")

    /// - Parameter verdicts: `X` for `code`, `U` for a time that is not in milliseconds, a point for no finding.
    private static func codes(_ code: String, _ verdicts: String) -> [String] {
        verdicts.map { $0 == "X" ? code : $0 == "U" ? "etl_time_unit" : "" }
    }

    private static let rows: [Row] = [
        Row(
            container: "event",
            fields: [
                "unique_id", "user_pseudo_id", "device_id", "device_unique_id", "advertising_id", "platform",
                "os_version",
                "make", "brand", "model", "carrier", "network_type", "locale", "system_language", "host_name",
                "app_version", "app_package_name", "app_title", "sdk_version", "sdk_name", "event_value_currency",
                "currency",
            ],
            codes: text
        ),
        Row(
            container: "event",
            fields: ["screen_height", "screen_width", "zone_offset", "viewport_width", "viewport_height"],
            codes: sparkLong
        ),
        Row(container: "event", fields: ["event_previous_timestamp"], codes: sparkTime),
        Row(container: "event", fields: ["event_value"], codes: jacksonDouble),
        Row(container: "event", fields: ["event_value_in_usd"], codes: sparkFloat),
        Row(container: "event", fields: ["country_code", "hashCode", "anything"], codes: codes("", "..............")),
        Row(
            container: "attributes",
            fields: [
                "_screen_name", "_screen_id", "_screen_unique_id", "_previous_screen_name", "_previous_screen_id",
                "_previous_screen_unique_id", "_page_referrer", "_page_referrer_title", "_page_title", "_page_url",
                "_latest_referrer", "_latest_referrer_host", "_exception_message", "_exception_stack",
                "_previous_app_version", "_previous_os_version", "_error_message", "_search_key", "_search_term",
                "_link_classes", "_link_domain", "_link_id", "_link_url", "_session_id", "_app_install_channel",
                "_app_install_source", "_install_channel", "_traffic_source_source", "_traffic_source_medium",
                "_traffic_source_campaign", "_traffic_source_content", "_traffic_source_term",
                "_traffic_source_campaign_id", "_traffic_source_clid_platform", "_traffic_source_clid",
                "_traffic_source_channel_group", "_traffic_source_category", "_utm_id", "_utm_source", "_utm_medium",
                "_utm_content", "_utm_term", "_utm_campaign", "_utm_source_platform", "_gclid",
            ],
            codes: text
        ),
        Row(container: "attributes", fields: ["_engagement_time_msec"], codes: jacksonLong),
        Row(container: "attributes", fields: ["_previous_timestamp"], codes: jacksonTime),
        Row(container: "attributes", fields: ["_session_duration", "_session_number"], codes: safeLong),
        Row(
            container: "attributes",
            fields: ["_session_start_time_msec", "_session_start_timestamp"],
            codes: safeTime
        ),
        Row(container: "attributes", fields: ["_entrances", "_is_first_time", "_outbound"], codes: scalar),
        Row(
            container: "attributes",
            fields: ["_channel", "_traffic_source_name", "_value", "color"],
            codes: codes("", "..............")
        ),
        Row(
            container: "items",
            fields: [
                "item_name", "name", "brand", "currency", "creative_name", "creative_slot", "location_id", "category",
                "category2", "category3", "category4", "category5",
            ],
            codes: text
        ),
        Row(container: "items", fields: ["price", "quantity"], codes: scalar),
        Row(container: "items", fields: ["color"], codes: codes("", "..............")),
        Row(container: "user", fields: ["_user_id", "_user_name"], codes: text),
        Row(container: "user", fields: ["_user_age"], codes: age),
        Row(container: "user", fields: ["_user_first_touch_timestamp"], codes: touch),
        Row(container: "user", fields: ["tier"], codes: codes("", "..............")),
    ]

    private static func event(_ container: String, _ field: String, _ value: String) throws -> JSONValue {
        let member = "\"\(field)\":\(value)"
        let extra =
            switch container {
            case "event": member
            case "attributes": #""attributes":{\#(member)}"#
            case "items": #""items":[{"id":"1",\#(member)}]"#
            default: #""user":{"\#(field)":{"value":\#(value),"set_timestamp":1699999990000}}"#
            }
        let text = #"{"event_type":"tap","event_id":"E","app_id":"shop","timestamp":1699999999000,\#(extra)}"#
        return try JSONReader.parse(Array(text.utf8))
    }

    /// The findings of the server's rules; a user id that is empty, too, breaks a rule of the SDK's.
    private static func found(_ container: String, _ field: String, _ value: String) throws -> [WireFinding] {
        WireJudge.judge(try event(container, field, value), receivedAt: received).filter { $0.code.hasPrefix("etl_") }
    }

    @Test("checks each field with a value of each type", arguments: rows.indices)
    func table(row: Int) throws {
        let row = Self.rows[row]
        #expect(row.codes.count == Self.values.count)
        for field in row.fields {
            for (value, code) in zip(Self.values, row.codes) {
                let found = try Self.found(row.container, field, value)
                #expect(found.map(\.code) == (code.isEmpty ? [] : [code]), "\(row.container) \(field): \(value)")
                #expect(found.allSatisfy { $0.name == field && $0.severity == .error })
            }
        }
    }

    /// Texts in the columns that the published pipeline cuts after so many bytes.
    private static let columns: [(container: String, fields: [String], bytes: Int)] = [
        (
            "event",
            [
                "event_id", "app_id", "unique_id", "user_pseudo_id", "device_id", "device_unique_id", "advertising_id",
                "platform", "os_version", "make", "brand", "model", "carrier", "network_type", "locale",
                "system_language", "app_version", "app_package_name", "app_title", "sdk_version", "sdk_name",
            ], 255
        ),
        ("event", ["event_value_currency", "currency"], 32),
        (
            "attributes",
            [
                "_session_id", "_screen_name", "_screen_id", "_screen_unique_id", "_previous_screen_name",
                "_previous_screen_id", "_previous_screen_unique_id", "_previous_app_version", "_previous_os_version",
                "_error_code", "_app_install_channel", "_app_install_source", "_install_channel",
                "_traffic_source_source", "_traffic_source_medium", "_traffic_source_campaign",
                "_traffic_source_campaign_id", "_traffic_source_clid_platform", "_traffic_source_channel_group",
                "_traffic_source_category", "_utm_id", "_utm_source", "_utm_medium", "_utm_campaign",
                "_utm_source_platform",
            ], 255
        ),
        (
            "items",
            [
                "item_id", "item_name", "id", "name", "brand", "currency", "creative_name", "creative_slot",
                "location_id", "category", "category2", "category3", "category4", "category5",
            ], 255
        ),
        ("user", ["_user_id"], 255),
    ]

    @Test("warns of a text that has more bytes than its column", arguments: columns.indices)
    func cut(row: Int) throws {
        let (container, fields, bytes) = Self.columns[row]
        let longest = "é" + String(repeating: "x", count: bytes - 2)
        for field in fields {
            #expect(try Self.found(container, field, #""\#(longest)""#) == [], "\(container) \(field)")
            let found = try Self.found(container, field, #""\#(longest)x""#)
            #expect(found.map(\.code) == ["etl_cut"], "\(container) \(field)")
            #expect(found.allSatisfy { $0.name == field && $0.severity == .warning })
            let end = "\"\(field)\" has \(bytes + 1) bytes, of which the server keeps \(bytes)"
            #expect(found.allSatisfy { $0.message.hasSuffix(end) })
            let digits = String(repeating: "7", count: bytes)
            #expect(try Self.found(container, field, digits) == [], "\(container) \(field)")
            #expect(try Self.found(container, field, digits + "7").map(\.code) == ["etl_cut"], "\(container) \(field)")
        }
    }

    @Test(
        "warns of an id and a name that are longer than their columns",
        arguments: [FieldName.eventID, FieldName.appID, FieldName.uniqueID, FieldName.eventType, FieldName.eventName]
    )
    func cutNumbers(field: String) throws {
        let digits = String(repeating: "7", count: 256)
        let others = ["event_id", "app_id", "event_type"].filter { $0 != field }.map { #","\#($0)":"x""# }.joined()
        let text = #"{"timestamp":1699999999000\#(others),"\#(field)":\#(digits)}"#
        let found = WireJudge.judge(try JSONReader.parse(Array(text.utf8)), receivedAt: Self.received)
        #expect(found.map { "\($0.code) \($0.name)" } == ["etl_cut \(field)"])
    }

    @Test(
        "does not warn of texts in longer columns",
        arguments: [
            ("event", "host_name"), ("event", "country_code"), ("attributes", "_page_title"),
            ("attributes", "_error_message"), ("attributes", "_traffic_source_content"), ("attributes", "_utm_content"),
            ("attributes", "_utm_term"), ("attributes", "_gclid"), ("attributes", "color"), ("items", "color"),
            ("user", "_user_name"), ("user", "tier"),
        ]
    )
    func uncut(container: String, field: String) throws {
        #expect(try Self.found(container, field, #""\#(String(repeating: "x", count: 256))""#) == [])
    }

    @Test("has the same fields as the executed table")
    func sameFields() {
        // Judged by rules of their own beside the type.
        let others: Set = [
            "event event_id", "event app_id", "event event_type", "event event_name", "event timestamp",
            "attributes _error_code", "items item_id", "items id",
        ]
        let expected = Set(
            Self.rows.filter { !$0.codes.allSatisfy(\.isEmpty) }.flatMap { row in
                row.fields.map { "\(row.container) \($0)" }
            }
        ).union(others)
        let containers = ["event": "event", "attribute": "attributes", "item": "items", "user_attribute": "user"]
        let ours = ServerField.all.map { "\(containers[$0.container.rawValue] ?? "?") \($0.name)" }
        #expect(Set(ours) == expected)
        #expect(Set(ours).count == ours.count)
    }

    @Test(
        "checks lists and objects under the fields with rules of their own",
        arguments: [
            (#"{"event_id":[1],"app_id":"a","timestamp":1,"event_type":"x"}"#, ["etl_not_a_text", "etl_time_unit"]),
            (#"{"event_id":"e","app_id":{},"timestamp":1,"event_type":"x"}"#, ["etl_not_a_text", "etl_time_unit"]),
            (#"{"event_id":"e","app_id":"a","timestamp":1,"event_type":["x"]}"#, ["etl_not_a_text", "etl_time_unit"]),
            (#"{"event_id":"e","app_id":"a","timestamp":[1],"event_type":"x"}"#, ["etl_not_an_integer"]),
            (
                #"{"event_id":"e","app_id":"a","timestamp":1,"event_type":"x","attributes":{"_error_code":[3]}}"#,
                ["etl_time_unit", "etl_not_a_text"]
            ),
            (
                #"{"event_id":"e","app_id":"a","timestamp":1,"event_type":"x","items":[{"id":["1"]}]}"#,
                ["etl_time_unit", "etl_not_a_text", "4006"]
            ),
        ] as [(String, [String])]
    )
    func ownRules(text: String, expected: [String]) throws {
        let findings = WireJudge.judge(try JSONReader.parse(Array(text.utf8)), receivedAt: Self.received)
        #expect(findings.map(\.code) == expected)
        #expect(findings.makeEventBad)
    }

    /// One event with `field` between fields that are fine, of which `member` is judged although a later one replaces it.
    @Test(
        "judges a value that a later one of the same name replaces",
        arguments: [
            (#""event_id":[1]"#, "etl_not_a_text event_id"),
            (#""app_id":{}"#, "etl_not_a_text app_id"),
            (#""timestamp":"0""#, "etl_not_an_integer timestamp"),
            (#""timestamp":[1]"#, "etl_not_an_integer timestamp"),
            (#""event_type":[]"#, "etl_not_a_text event_type"),
            (#""event_name":{"a":1}"#, "etl_not_a_text event_name"),
            (#""attributes":5"#, "etl_not_an_object attributes"),
            (#""attributes":{"_session_id":[1]}"#, "etl_not_a_text _session_id"),
            (#""items":"x""#, "etl_not_an_array items"),
            (#""items":[{"id":"1","brand":[]}]"#, "etl_not_a_text brand"),
            (#""user":true"#, "etl_not_an_object user"),
            (#""user":{"_user_name":{"value":{}}}"#, "etl_not_a_text _user_name"),
            (#""event_id":null"#, ""), (#""app_id":7"#, ""), (#""timestamp":null"#, ""), (#""attributes":null"#, ""),
            (#""event_name":"""#, ""), (#""items":[]"#, ""), (#""user":{}"#, ""),
        ]
    )
    func replaced(member: String, expected: String) throws {
        let rest =
            #""event_id":"E","app_id":"shop","timestamp":1699999999000,"event_type":"tap","attributes":{},"items":[],"#
            + #""user":{}"#
        let event = try JSONReader.parse(Array("{\(member),\(rest)}".utf8))
        let found = WireJudge.judge(event, receivedAt: Self.received)
        #expect(found.map { "\($0.code) \($0.name)" } == (expected.isEmpty ? [] : [expected]))
    }

    @Test(
        "has no finding on a value that a later one of the same name replaces",
        arguments: [
            #""event_previous_timestamp":0,"event_previous_timestamp":1699999999000"#,
            #""model":"\#(long)","model":"m""#,
            #""unique_id":"\#(long)","user_pseudo_id":"u""#, #""currency":"\#(long)","event_value_currency":"EUR""#,
            #""attributes":{"_session_start_timestamp":"x","_session_start_time_msec":1699999999000}"#,
            #""attributes":{"_install_channel":"\#(long)","_app_install_channel":"store"}"#,
            #""items":[{"id":"","item_id":"1"}]"#, #""items":[{"item_id":null,"id":"1"}]"#,
            #""attributes":{"x":1e999,"x":1}"#, #""attributes":{"a b":1},"attributes":{}"#,
            #""attributes":{"_session_number":"x","_session_number":1}"#,
            #""attributes":{"_session_start_timestamp":0,"_session_start_timestamp":1699999999000}"#,
            #""attributes":{"_session_id":"\#(long)","_session_id":"s"}"#,
            #""attributes":{"_session_id":"\#(long)"},"attributes":{"_session_id":"s"}"#,
            #""attributes":{"_error_code":"\#(long)","_error_code":0}"#,
            #""items":[{}],"items":[{"id":"1"}]"#, #""items":[{"id":"","id":"1"}]"#,
            #""items":[{"id":"1","price":1e999,"price":1}]"#, #""items":[{"id":"\#(long)","id":"1"}]"#,
            #""user":{"a b":{"value":1}},"user":{}"#, #""user":{"tier":{"value":1e999},"tier":{"value":1}}"#,
            #""user":{"_user_age":{"value":"x"},"_user_age":{"value":7}}"#,
            #""user":{"_user_age":{},"_user_age":{"value":7}}"#,
            #""user":{"_user_id":{"value":""},"_user_id":{"value":"u"}}"#,
            #""user":{"_user_id":{"value":"","value":"u"}}"#,
            #""user":{"_user_id":{"value":"u","set_timestamp":1,"set_timestamp":1699999990000}}"#,
            #""user":{"_user_first_touch_timestamp":{"value":-12219292800001,"value":1699999990000}}"#,
        ]
    )
    func replacedByGood(members: String) throws {
        let start = #"{"event_id":"E","app_id":"shop","timestamp":1699999999000,"event_type":"tap","#
        let event = try JSONReader.parse(Array("\(start)\(members)}".utf8))
        #expect(WireJudge.judge(event, receivedAt: Self.received) == [])
    }

    @Test(
        "judges the last value under a name, and each value with which the server cannot parse the event",
        arguments: [
            (#""attributes":{"x":1,"x":1e999}"#, "2005 x"),
            (#""attributes":{"_session_id":[1],"_session_id":"s"}"#, "etl_not_a_text _session_id"),
            (
                #""attributes":{"_engagement_time_msec":"x","_engagement_time_msec":5}"#,
                "etl_not_an_integer _engagement_time_msec"
            ),
            (#""attributes":{"_session_number":[],"_session_number":5}"#, "etl_not_an_integer _session_number"),
            (#""screen_height":"x","screen_height":5"#, "etl_not_an_integer screen_height"),
            (#""event_value":"x","event_value":5"#, "etl_not_a_number event_value"),
            (#""items":[{"id":"1","id":null}]"#, "4006 items[0]"),
            (#""items":[{"id":"1","item_id":""}]"#, "4006 items[0]"),
            (
                #""attributes":{"_session_start_time_msec":[],"_session_start_timestamp":1699999999000}"#,
                "etl_not_an_integer _session_start_time_msec"
            ),
            (#""items":[1],"items":[]"#, "etl_not_an_object items[0]"),
            (#""user":{"_user_id":"u","_user_id":{"value":"u"}}"#, "etl_user_entry _user_id"),
            (#""user":{"_user_age":{"value":[]},"_user_age":{"value":7}}"#, "etl_user_age _user_age"),
            (#""user":{"_user_age":{"value":7},"_user_age":{"value":"x"}}"#, "etl_user_age _user_age"),
        ]
    )
    func replacedByBad(members: String, expected: String) throws {
        let start = #"{"event_id":"E","app_id":"shop","timestamp":1699999999000,"event_type":"tap","#
        let event = try JSONReader.parse(Array("\(start)\(members)}".utf8))
        let found = WireJudge.judge(event, receivedAt: Self.received)
        #expect(found.map { "\($0.code) \($0.name)" } == [expected])
    }

    @Test("replaces no value under a name with other scalars, even if the names look the same")
    func equivalentNames() throws {
        let text =
            #"{"event_id":"E","app_id":"shop","timestamp":1699999999000,"event_type":"tap","#
            + #""attributes":{"\u00e9":1,"e\u0301":1}}"#
        let found = WireJudge.judge(try JSONReader.parse(Array(text.utf8)), receivedAt: Self.received)
        #expect(found.map(\.code) == ["2002", "2002"])
    }

    @Test(
        "judges every member of a named entry of the user",
        arguments: [
            (#"{"value":[],"value":"x"}"#, "_user_id", "etl_not_a_text"),
            (#"{"value":{},"value":7}"#, "_user_age", "etl_user_age"),
            (#"{"value":[1],"value":1693919966703}"#, "_user_first_touch_timestamp", "etl_not_an_integer"),
            (#"{"value":"x","value":7}"#, "_user_age", ""),
            (#"{"value":7,"set_timestamp":"x","set_timestamp":1693919966703}"#, "_user_name", "etl_user_entry"),
            (#"{"value":7,"set_timestamp":-9223372036854775809}"#, "_user_age", "etl_user_entry"),
            (#"{"value":7,"set_timestamp":"null"}"#, "_user_age", ""),
            (#"{"value":"x","a":1}"#, "_user_id", "etl_user_entry"),
            (#"{"value":"x","a":1}"#, "tier", ""),
            (#"{"value":[],"value":"x"}"#, "tier", ""),
        ]
    )
    func userEntries(entry: String, name: String, code: String) throws {
        let text =
            #"{"event_id":"E","app_id":"shop","timestamp":1699999999000,"event_type":"tap","user":{"\#(name)":"#
            + entry + "}}"
        let found = WireJudge.judge(try JSONReader.parse(Array(text.utf8)), receivedAt: Self.received)
        #expect(found.map { "\($0.code) \($0.name)" } == (code.isEmpty ? [] : ["\(code) \(name)"]))
    }

    @Test(
        "takes whole numbers to the ends of 64 bits, and not one further",
        arguments: [
            ("9223372036854775807", true), ("9223372036854775808", false), ("-9223372036854775808", true),
            ("-9223372036854775809", false), ("-9223372036854775809.0", true), ("9223372036854775808.0", true),
            ("1e19", false), ("-1e19", false), (#""-9223372036854775809""#, false), (#""null""#, true),
        ]
    )
    func ends(value: String, isTaken: Bool) throws {
        for field in ["_previous_timestamp", "_engagement_time_msec"] {
            let found = try Self.found("attributes", field, value).filter { $0.code != "etl_time_unit" }
            #expect(found.map(\.code) == (isTaken ? [] : ["etl_not_an_integer"]))
        }
    }

    @Test("takes words for numbers that are not finite", arguments: ["NaN", "Infinity", "-Infinity", "nan", "+INF"])
    func notFinite(word: String) throws {
        let codes = word.hasSuffix("y") || word == "NaN" ? [] : ["etl_not_a_number"]
        for field in ["event_value", "event_value_in_usd"] {
            #expect(try Self.found("event", field, #""\#(word)""#).map(\.code) == codes)
        }
    }

    @Test(
        "takes further words as a value that only the parser reads",
        arguments: [("INF", true), ("-INF", true), ("null", true), (" null ", true), (" INF", false), ("Null", false)]
    )
    func values(word: String, isTaken: Bool) throws {
        let codes = try Self.found("event", "event_value", #""\#(word)""#).map(\.code)
        #expect(codes == (isTaken ? [] : ["etl_not_a_number"]))
    }

    @Test("takes no app id of blanks alone", arguments: [" ", #"\t\n"#, "\u{3000}"])
    func blankAppID(id: String) throws {
        let text = #"{"event_id":"E","app_id":"\#(id)","timestamp":1699999999000,"event_type":"tap"}"#
        let event = try JSONReader.parse(Array(text.utf8))
        #expect(WireJudge.judge(event, receivedAt: Self.received).map(\.code) == ["etl_missing_app_id"])
    }

    @Test("finds each of several mutations at random places", arguments: 0..<40 as Range<UInt64>)
    func mutations(seed: UInt64) throws {
        let random = SeededIDs(seed: seed)
        func pick(_ count: Int) -> Int { Int(random.random() % UInt64(count)) }
        var expected: Set<String> = []
        var members: [String: [String]] = [:]
        for row in Self.rows where pick(3) > 0 {
            let field = row.fields[pick(row.fields.count)]
            let value = pick(Self.values.count)
            let text = row.container == "user" ? "{\"value\":\(Self.values[value])}" : Self.values[value]
            members[row.container, default: []].append("\"\(field)\":\(text)")
            if !row.codes[value].isEmpty { expected.insert("\(row.codes[value]) \(field)") }
        }
        func object(_ container: String) -> String { "{\((members[container] ?? []).joined(separator: ","))}" }
        let item = "{\((["\"id\":1"] + (members["items"] ?? [])).joined(separator: ","))}"
        let fields =
            [
                #""event_type":"tap","event_id":"E","app_id":"shop","timestamp":1699999999000"#,
                #""attributes":\#(object("attributes")),"user":\#(object("user")),"items":[\#(item)]"#,
            ] + (members["event"] ?? [])
        let event = try JSONReader.parse(Array("{\(fields.joined(separator: ","))}".utf8))
        let found = WireJudge.judge(event, receivedAt: Self.received).filter { $0.code.hasPrefix("etl_") }
        #expect(Set(found.map { "\($0.code) \($0.name)" }) == expected, "\(event)")
        #expect(found.makeEventBad == !expected.isEmpty)
    }

    @Test("has every field and every code in the documents")
    func documents() throws {
        for field in ServerField.all {
            #expect(Rules.markdown.contains("`\(field.name)`"))
            #expect(Rules.human().contains(field.name))
            for code in field.codes {
                #expect(try #require(Rules.explain(code)).contains(field.name))
            }
        }
        #expect(Rules.human().split(separator: "\n").allSatisfy { $0.count <= 160 })
    }
}
