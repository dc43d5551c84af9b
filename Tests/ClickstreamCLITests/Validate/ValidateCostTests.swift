import ClickstreamCore
import ClickstreamJudges
import TestSupport
import Testing

@testable import clickstream_cli

/// `validate` takes time in proportion to the length of a line, and lists a bounded number of findings, whatever it contains.
@Suite("Costs of validate")
struct ValidateCostTests {
    /// Lines with a finding on each of many values.
    enum Content: String, CaseIterable, Sendable {
        case unfitValues
        case unknownKeys
        case itemsThatAreNoObjects
        case itemsOfUnfitValues
        case userOfUnfitValues
        case wireAttributes

        func line(_ count: Int) -> LineReader.Line {
            func list(_ element: (Int) -> String) -> String { (0..<count).map(element).joined(separator: ",") }
            let text =
                switch self {
                case .unfitValues: #"{"name":"a","attributes":{\#(list { #""a\#($0)":[]"# })}}"#
                case .unknownKeys: #"{"name":"a",\#(list { #""attribute\#($0 % 10)":1"# })}"#
                case .itemsThatAreNoObjects: #"{"name":"a","items":[\#(list { _ in "5" })]}"#
                case .itemsOfUnfitValues: #"{"name":"a","items":[\#(list { _ in #"{"id":"1","a":[]}"# })]}"#
                case .userOfUnfitValues: #"{"name":"a","user":{\#(list { #""a\#($0)":[]"# })}}"#
                case .wireAttributes: #"{"event_id":"e","attributes":{\#(list { #""\#($0)":1"# })}}"#
                }
            return LineReader.Line(number: 1, bytes: Array(text.utf8))
        }
    }

    @Test("are linear", arguments: Content.allCases)
    func linear(_ content: Content) throws {
        let growth = try TimeGrowth(from: 2_000) { count in
            content.line(count)
        } of: { line in
            _ = LineJudge.findings(on: line)
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("are bounded in findings, and count the others", arguments: Content.allCases)
    func listed(_ content: Content) {
        let count = 10_000
        let found = LineJudge.findings(on: content.line(count))
        // A limited number for mistakes of form, and for each part of an event.
        #expect(found.count <= 5 * (Rules.maxFindings + 1))
        #expect(found.count + found.reduce(0) { $0 + $1.unlisted } >= count)
    }

    @Test("keep the columns of listed findings", arguments: [1, 3])
    func columns(count: Int) {
        let values = (0..<count).map { #""ä\#($0)":[]"# }.joined(separator: ",")
        let text = #"{"user":{"u":{}},"name":"a","attributes":{\#(values)}}"#
        let found = LineJudge.findings(on: LineReader.Line(number: 1, bytes: Array(text.utf8)))
        let columns = found.filter { $0.finding.code == "unfit_value" }.compactMap(\.column)
        #expect(columns == (0..<count).map { 48 + 8 * $0 } + [14])
    }

    @Test("are bounded for a body of captured events", arguments: CapturedFormat.captured)
    func body(_ form: CapturedFormat) {
        let count = 20_000
        let events = "[" + Array(repeating: "{}", count: count).joined(separator: ",") + "]"
        let text = form.batch.map { #"{"\#($0.events)":\#(events)}"# } ?? events
        let found = CapturedLineJudge.findings(on: LineReader.Line(number: 1, bytes: Array(text.utf8)), form)
        #expect(found.count >= count)
        #expect(found.count <= count + FindingBudget.maxFindings)
        #expect(found.last.map { $0.finding.name.hasPrefix("[\(count - 1)].") } == true)
    }
}
