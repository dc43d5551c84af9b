import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Tables of reports")
struct ReportTableTests {
    private static let count = """
        {"by":"name","events":200,"users":30,"values":[{"value":"purchase","events":100,"users":20},
        {"value":null,"events":60,"users":9}],"others":{"values":3,"events":40}}
        """

    private static let funnel = """
        {"steps":[{"name":"view","users":400,"of_first":1,"of_previous":1,"median_ms":null,"p90_ms":null},
        {"name":"purchase","users":100,"of_first":0.25,"of_previous":0.25,"median_ms":12000,"p90_ms":3720000}],
        "groups":[{"value":"iOS","steps":[{"name":"view","users":300,"of_first":1},{"name":"purchase","users":90,"of_first":0.3}]},
        {"value":null,"steps":[{"name":"view","users":100,"of_first":1},{"name":"purchase","users":10,"of_first":0.1}]}],
        "others":{"users":7,"values":2}}
        """

    private func value(_ text: String) throws -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

    @Test(
        "draw each share as a bar that fits the width, and none on a narrow terminal",
        arguments: [
            (nil, ["████████████", "███████▎", "████▊"]), (60, ["████████", "████▊", "███▎"]), (44, ["", "", ""]),
        ] as [(Int?, [String])]
    )
    func bars(width: Int?, bars: [String]) throws {
        let rows = [
            "  purchase             100   50.0 %     20", "  (absent)              60   30.0 %      9",
            "  (3 other values)      40   20.0 %       ",
        ]
        let lines = CountTable(style: Style(isColoured: false), width: width).lines(of: try value(Self.count))
        let drawn = zip(rows, bars).map { row, bar in
            bar.isEmpty && row.hasSuffix(" ")
                ? "  (3 other values)      40   20.0 %" : bar.isEmpty ? row : "\(row)  \(bar)"
        }
        #expect(
            lines == ["  name              events    share  users"] + drawn + [
                "  total                200  100.0 %     30"
            ]
        )
    }

    @Test("draw the steps of a funnel, and a row for each of its groups")
    func steps() throws {
        let funnel = ReportReader.Funnel(steps: ["view", "purchase"], field: "platform", unit: .user)
        let table = FunnelTable(funnel, style: Style(isColoured: false), width: nil)
        #expect(
            table.lines(of: try value(Self.funnel)) == [
                "     step      users  of first  of previous  median     p90",
                "  1  view        400   100.0 %                               ████████████████████████",
                "  2  purchase    100    25.0 %       25.0 %   12.0s  1h 02m  ██████",
                "",
                "  platform            1   2  of first",
                "  iOS               300  90    30.0 %  ███████▎",
                "  (absent)          100  10    10.0 %  ██▍",
                "  (2 other values)    7",
            ]
        )
    }

    @Test("are at most as wide as the terminal", arguments: [20, 40, 60, 80, 200])
    func width(columns: Int) throws {
        let long = String(repeating: "n", count: 300)
        let count = Self.count.replacing("purchase", with: long)
        let funnel = ReportReader.Funnel(steps: ["view", long], field: "platform", unit: .session)
        let style = Style(isColoured: false)
        let lines =
            CountTable(style: style, width: columns).lines(of: try value(count))
            + FunnelTable(funnel, style: style, width: columns)
            .lines(of: try value(Self.funnel.replacing("purchase", with: long)))
        #expect(lines.count == 13)
        #expect(lines.allSatisfy { $0.count <= columns })
    }

    @Test("are coloured in headings and bars only")
    func colours() throws {
        let plain = CountTable(style: Style(isColoured: false), width: 60).lines(of: try value(Self.count))
        let lines = CountTable(style: Style(isColoured: true), width: 60).lines(of: try value(Self.count))
        #expect(lines[0] == "\u{1B}[1m\(plain[0])\u{1B}[0m")
        #expect(lines[1] == "  purchase             100   50.0 %     20  \u{1B}[36m████████\u{1B}[0m")
        #expect(lines[4] == plain[4])
    }

    @Test(
        "tell texts apart from numbers, from absent values and from other rows",
        arguments: [
            (#"["1.0","2.0",null]"#, ["1.0", "2.0", "(absent)"]), (#"["5",5,true]"#, [#""5""#, "5", "true"]),
            (#"["","total","(absent)"]"#, [#""""#, #""total""#, #""(absent)""#]),
            (#"["a\u001b[1m"]"#, [#"a\u001b[1m"#]),
        ] as [(String, [String])]
    )
    func labels(values: String, labels: [String]) throws {
        #expect(CountTable.labels(of: try #require(try value(values).array)) == labels)
    }

    @Test("are refused for more values than are read; their JSON is printed nevertheless")
    func large() throws {
        let body = Array("[\(Array(repeating: "0", count: 70_000).joined(separator: ","))]".utf8)
        #expect(throws: CommandFailure.self) { try ReportReader.value(body, isShown: true) }
        #expect(try ReportReader.value(body) == JSONValue(.object([])))
    }

    @Test(
        "have a step that is not reached, or none",
        arguments: [([400, 100], nil), ([400, 0], 1), ([0, 0], 0)] as [([Int], Int?)]
    )
    func unreached(users: [Int], index: Int?) throws {
        let steps = users.map { #"{"name":"a","users":\#($0)}"# }.joined(separator: ",")
        #expect(FunnelTable.firstUnreached(in: try value(#"{"steps":[\#(steps)]}"#)) == index)
    }
}
