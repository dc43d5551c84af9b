import ClickstreamCore
import Testing

@testable import clickstream_cli

@Suite("Reports for other programs")
struct MachineReportTests {
    /// An override of the direction of writing, a tag, an escape, a noncharacter, and text that stays.
    private static let text = "a\u{202E}b\u{E0041}c\u{1B}d\u{FFFE} é\n\t\"<%>"

    @Test("escape characters that are not visible, and keep all others", arguments: ReportFormat.allCases)
    func unprintable(format: ReportFormat) throws {
        var report = MachineReport(command: "validate")
        report.add(
            MachineReport.Finding(
                code: "plan_\(Self.text)",
                isError: true,
                message: Self.text,
                test: Self.text,
                file: Self.text,
                line: 1
            )
        )
        report.passed = [Self.text]
        let output = report.text(format)
        let hidden: [Unicode.Scalar] = ["\u{202E}", "\u{E0041}", "\u{1B}", "\u{FFFE}"]
        #expect(!output.unicodeScalars.contains { hidden.contains($0) })
        let visible = #"a\u202eb\udb40\udc41c\u001bd\ufffe é"#
        switch format {
        case .junit:
            #expect(output.contains("message=\"\(visible)&#10;&#9;&quot;&lt;%&gt;\""))
            #expect(output.contains("name=\"\(visible)&#10;&#9;&quot;&lt;%&gt;\"/>"))
        case .github:
            #expect(output.hasSuffix("::\(visible)%0A\t\"<%25>"))
        case .sarif:
            let results = try JSONReader.parse(Array(output.utf8))["runs"]?.array?.first?["results"]?.array ?? []
            #expect(results.map { $0["message"]?["text"]?.string } == ["\(visible)\n\t\"<%>"])
            #expect(results.map { $0["ruleId"]?.string } == ["plan_\(visible)\n\t\"<%>"])
        }
    }
}
