import ClickstreamCore
import TestSupport
import Testing

@testable import ClickstreamCollector
@testable import ClickstreamJudges

@Suite("Judge of audit events")
struct AuditJudgeTests {
    private static let now = Timestamp(milliseconds: FixedTime.start)

    private static func verdict(_ event: String) throws -> CapturedJudge.Verdict {
        var judge = CapturedJudge(.audit, receivedAt: now)
        let parsed = try Array(event.utf8).withUnsafeBytes { try JSONReader.parse($0, within: CapturedJudge.bounds) }
        return judge.judge(parsed.value, omitted: parsed.omitted)
    }

    private static func findings(_ event: String) throws -> [String] {
        let verdict = try verdict(event)
        #expect(verdict.isBad == verdict.findings.contains { $0.severity == .error })
        return verdict.findings.map { finding in
            #expect(CapturedRule.find(finding.code)?.form == .audit)
            return "\(finding.name): \(finding.code.dropFirst(6))"
        }
    }

    @Test(
        "finds nothing in the events of document 004, and in those of the contract",
        arguments: [
            auditEvent(1, "read", data: readPayload), auditEvent(1, "write", data: writePayload),
            auditEvent(1, "pressed submit", data: nil), auditEvent(1, "pressed submit", data: "any text"),
            auditEvent(1, "read", data: #"{"type":"Person","value":null,"columns":["name"]}"#),
            auditEvent(1, "read", data: #"{"type":"Person","value":null,"columns":[]}"#),
            auditEvent(1, "read", data: #"{"type":"Person","value":[{"a":{"b":[1]}},{}]}"#, more: ""),
            auditEvent(1, "write", data: "{}", more: #","truncated":3"#),
            auditEvent(1, "write", data: #"{"a b":{"deletions":[{"id":1}],"insertions":[{"id":2}]}}"#),
            auditEvent(1, "write", data: #"{"T":{"modifications":[{"oldValue":{"j":[1]},"newValue":{"j":[2]}}]}}"#),
        ]
    )
    func correct(_ event: String) throws {
        #expect(try Self.findings(event) == [])
    }

    @Test(
        "finds each departure from the contract",
        arguments: [
            (#""_id":"62b38b3c0000000000000001""#, #""_id":"62b38b3c000000000000001""#, ["_id: not_an_object_id"]),
            (#""_id":"62b38b3c0000000000000001""#, #""_id":"62b38b3c000000000000000g""#, ["_id: not_an_object_id"]),
            (#""_id":"62b38b3c0000000000000001""#, #""_id":7"#, ["_id: wrong_type"]),
            (#""_id":"62b38b3c0000000000000001","#, "", ["_id: missing_field"]),
            (#""event":"x","#, "", ["event: missing_field"]), (#""event":"x""#, #""event":"""#, ["event: empty"]),
            (#""activity":"shop","#, "", ["activity: missing_field"]),
            (#""activity":"shop""#, #""activity":null"#, ["activity: missing_field"]),
            (#""activity":"shop""#, #""activity":true"#, ["activity: wrong_type"]),
            ("2024-01-31T10:11:12.345Z", "2024-01-31T10:11:12Z", ["timestamp: date"]),
            ("2024-01-31T10:11:12.345Z", "2024-01-31 10:11:12.345Z", ["timestamp: date"]),
            ("2024-01-31T10:11:12.345Z", "2024-01-31T10:11:12.345+01:00", ["timestamp: date"]),
            ("2024-01-31T10:11:12.345Z", "2024-02-30T10:11:12.345Z", ["timestamp: date"]),
            ("2024-01-31T10:11:12.345Z", "2024-01-31T24:11:12.345Z", ["timestamp: date"]),
            ("2024-01-31T10:11:12.345Z", "2024-13-31T10:11:12.345Z", ["timestamp: date"]),
            ("2024-01-31T10:11:12.345Z", "2100-01-31T10:11:12.345Z", ["timestamp: future"]),
            (#""2024-01-31T10:11:12.345Z""#, "1706695872345", ["timestamp: wrong_type"]),
            (#","data":null"#, "", ["data: missing_field"]), (#""data":null"#, #""data":{}"#, ["data: wrong_type"]),
            (#""username":"carl""#, #""username":7"#, ["username: wrong_type"]),
            (#""username":"carl""#, #""username":null"#, ["username: wrong_type"]),
            (#""username":"carl""#, #""username":"a","username":"b""#, ["username: repeated_field"]),
            (#""username":"carl""#, #""event":"y""#, ["event: repeated_field"]),
            (#""username":"carl""#, #""truncated":0"#, ["truncated: out_of_range"]),
            (#""username":"carl""#, #""truncated":"1""#, ["truncated: wrong_type"]),
        ] as [(String, String, [String])]
    )
    func departures(_ old: String, _ new: String, _ wanted: [String]) throws {
        let event = auditEvent(1, "x", data: nil)
        #expect(event.ranges(of: old).count == 1, "the table is wrong")
        #expect(try Self.findings(event.replacing(old, with: new)) == wanted)
    }

    @Test(
        "finds each departure in a payload",
        arguments: [
            ("read", nil, ["data: payload"]), ("write", nil, ["data: payload"]), ("read", "", ["data: payload"]),
            ("read", "[]", ["data: payload"]), ("write", "{", ["data: payload"]), ("write", "{} {}", ["data: payload"]),
            ("read", "{}", ["data.type: missing_field", "data.value: missing_field"]),
            ("read", #"{"type":7,"value":[{}]}"#, ["data.type: wrong_type"]),
            ("read", #"{"type":"","value":[{}]}"#, ["data.type: empty"]),
            ("read", #"{"type":"T","value":[]}"#, ["data.value: empty"]),
            ("read", #"{"type":"T","value":7}"#, ["data.value: wrong_type"]),
            ("read", #"{"type":"T","value":null}"#, ["data.columns: missing_field"]),
            ("read", #"{"type":"T","value":null,"columns":[7]}"#, ["data.columns[0]: wrong_type"]),
            ("read", #"{"type":"T","value":[{}],"columns":["a"]}"#, ["data.columns: unknown_field"]),
            ("read", #"{"type":"T","value":[{},7]}"#, ["data.value[1]: row"]),
            ("read", #"{"type":"T","value":[{"a":1,"a":1}]}"#, ["data.value[0].a: repeated_field"]),
            ("read", #"{"type":"T","value":[{}],"x":1}"#, ["data.x: unknown_field"]),
            ("write", "{}", ["data: empty"]), ("write", #"{"T":[]}"#, ["data.T: not_an_object"]),
            ("write", #"{"T":{}}"#, ["data.T: empty"]),
            ("write", #"{"T":{"insertions":[]}}"#, ["data.T.insertions: empty"]),
            ("write", #"{"T":{"insertions":{}}}"#, ["data.T.insertions: wrong_type"]),
            ("write", #"{"T":{"inserts":[{}]}}"#, ["data.T: empty", "data.T.inserts: unknown_field"]),
            ("write", #"{"T":{"modifications":[7]}}"#, ["data.T.modifications[0]: not_an_object"]),
            (
                "write", #"{"T":{"modifications":[{}]}}"#,
                ["data.T.modifications[0].oldValue: missing_field", "data.T.modifications[0].newValue: missing_field"]
            ),
            (
                "write", #"{"T":{"modifications":[{"oldValue":{"a":1},"newValue":{}}]}}"#,
                ["data.T.modifications[0].newValue: unchanged"]
            ),
            (
                "write", #"{"T":{"modifications":[{"oldValue":{"a":1,"b":2},"newValue":{"a":1,"b":3}}]}}"#,
                ["data.T.modifications[0].newValue.a: unchanged"]
            ),
            (
                "write", #"{"T":{"modifications":[{"oldValue":{"a":1},"newValue":{"b":3}}]}}"#,
                ["data.T.modifications[0].oldValue: partial_row"]
            ),
            ("write", #"{"T":{"deletions":[{"a":1}]},"T":{"deletions":[{"a":2}]}}"#, ["data.T: repeated_field"]),
        ] as [(String, String?, [String])]
    )
    func payloads(_ event: String, _ data: String?, _ wanted: [String]) throws {
        #expect(try Self.findings(auditEvent(1, event, data: data)) == wanted)
    }

    @Test(
        "finds the key of a row by the name of its column, or takes the first column",
        arguments: [
            (#"{"name":"a","id":7}"#, "7"), (#"{"id":7,"_id":"x"}"#, "x"), (#"{"name":"a","ID":7.5}"#, "7.5"),
            (#"{"name":"a","product_id":3}"#, "3"), (#"{"name":"a","ProductId":3}"#, "3"),
            (#"{"name":"a","rowid":3}"#, "3"), (#"{"name":"a","other_id":3}"#, "a"), (#"{"flag":true}"#, "true"),
            (#"{"id":null,"uuid":"u"}"#, "u"), (#"{"a":null,"b":1}"#, nil), (#"{"a":{"id":1}}"#, nil), ("{}", nil),
            ("7", nil),
        ] as [(String, String?)]
    )
    func keys(_ row: String, _ key: String?) throws {
        #expect(AuditTable("Product").key(of: try JSONReader.parse(Array(row.utf8))) == key)
    }

    /// A payload with the same row many times.
    private static func payload(_ event: String, table: String, rows count: Int) -> String {
        let rows = Array(repeating: #"{"a":1,"b":2}"#, count: count).joined(separator: ",")
        return event == "read"
            ? #"{"type":"\#(table)","value":[\#(rows)]}"# : #"{"\#(table)":{"insertions":[\#(rows)]}}"#
    }

    @Test("takes no longer for rows of a table with a name of 1 MB", arguments: ["read", "write"])
    func longTable(_ event: String) throws {
        func time(nameLength: Int) throws -> Duration {
            let table = String(repeating: "T", count: nameLength)
            let text = auditEvent(1, event, data: Self.payload(event, table: table, rows: 20_000))
            return try processorTime {
                let verdict = try Self.verdict(text)
                #expect(verdict.audit?.rows.count == 1)
            }
        }
        let short = try time(nameLength: 1)
        let long = try time(nameLength: 1_000_000)
        #expect(long < short * 6 + .milliseconds(500), "\(long) instead of \(short)")
    }

    @Test("takes time in proportion to the combining marks of a table's name, also if they are escaped")
    func marks() throws {
        let growth = try TimeGrowth(from: 10_000) { count -> String in
            // Marks of two classes in turn: sorting them takes quadratic time.
            let table = "T" + String(repeating: #"\u0301\u0323"#, count: count / 2)
            return auditEvent(1, "write", data: Self.payload("write", table: table, rows: 1))
        } of: { event in
            let verdict = try Self.verdict(event)
            #expect(verdict.audit?.rows.count == 1)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("has the tables and rows of a payload once, with the keys before and after a change")
    func content() throws {
        let payload =
            #"{"T":{"modifications":[{"oldValue":{"id":1,"n":1},"newValue":{"id":2}},{"oldValue":{"id":1},"newValue":{"n":2}}],"#
            + #""insertions":[{"id":1},{"id":3}]},"U":{"deletions":[{"id":1}]}}"#
        let content = try #require(try Self.verdict(auditEvent(1, "write", activity: "a", data: payload)).audit)
        #expect(content.activity == "a")
        #expect(content.tables == ["T", "U"])
        #expect(content.rows.map { "\($0.table) \($0.key)" } == ["T 1", "T 2", "T 3", "U 1"])
        let longs = String(repeating: "é", count: 1_000)
        let long = try #require(try Self.verdict(auditEvent(1, "read", activity: longs, data: nil)).audit)
        #expect(long.activity == String(repeating: "é", count: 128))
    }

    @Test("checks a payload of 200 000 rows up to a limit, and reports that there are more")
    func many() throws {
        let rows = Array(repeating: #"{"id":1}"#, count: AuditContent.maxRows + 1).joined(separator: ",")
        let verdict = try Self.verdict(auditEvent(1, "read", data: #"{"type":"T","value":[\#(rows)]}"#))
        #expect(verdict.findings.map(\.code) == ["audit_too_large"])
        #expect(verdict.findings.map(\.name) == ["data.value"])
    }
}
