import ArgumentParser
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges
import ClickstreamPlan

/// Format of a report for other programs.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// JUnit XML, read by most CI systems.
    case junit
    /// Workflow commands of GitHub Actions, which become annotations.
    case github
    /// SARIF 2.1.0, read by code scanning.
    case sarif
}

/// Findings of a command for other programs.
struct MachineReport: Sendable {
    /// A finding of a test.
    struct Finding: Sendable {
        var code: String
        /// True if the finding fails its test; false for a warning.
        var isError: Bool
        var message: String
        /// Name of the test in JUnit.
        var test: String
        var file: String?
        var line: Int?
        var column: Int?
    }

    /// Maximum number of errors, and of warnings, in a report; further ones are counted.
    static let limit = 10_000

    /// Name of the command.
    let command: String
    private(set) var findings: [Finding] = []
    private(set) var unlisted = 0
    /// Listed findings: errors by `true`, warnings by `false`.
    private var listed: [Bool: Int] = [:]
    /// Names of tests without findings.
    var passed: [String] = []

    init(command: String) {
        self.command = command
    }

    mutating func add(_ finding: Finding) {
        guard listed[finding.isError, default: 0] < Self.limit else {
            unlisted += 1
            return
        }
        listed[finding.isError, default: 0] += 1
        findings.append(finding)
    }

    func text(_ format: ReportFormat) -> String {
        switch format {
        case .junit: junit
        case .github: github
        case .sarif: sarif
        }
    }

    // MARK: - JUnit

    private var junit: String {
        var tests: [(name: String, findings: [Finding])] = []
        for finding in findings {
            if tests.last?.name == finding.test {
                tests[tests.count - 1].findings.append(finding)
            } else {
                tests.append((finding.test, [finding]))
            }
        }
        let suite = "clickstream-cli \(command)"
        let failures = tests.count { $0.findings.contains(where: \.isError) }
        let counts = "tests=\"\(tests.count + passed.count)\" failures=\"\(failures)\" errors=\"0\""
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n"
        text += "  <testsuite name=\"\(suite)\" \(counts) skipped=\"0\">\n"
        for test in tests { text += Self.testcase(test.name, test.findings, of: suite) }
        for name in passed { text += "    <testcase classname=\"\(suite)\" name=\"\(Self.xml(name))\"/>\n" }
        if unlisted > 0 {
            text += "    <system-out>\(Plural.count(unlisted, "further finding")) not listed</system-out>\n"
        }
        return text + "  </testsuite>\n</testsuites>"
    }

    /// A test with findings. Fails if one of them is an error; warnings alone are the output of a passed test.
    private static func testcase(_ name: String, _ findings: [Finding], of suite: String) -> String {
        let lines = findings.map { xml("\($0.isError ? "error" : "warning"): \($0.message) [\($0.code)]") }
            .joined(separator: "\n")
        var text = "    <testcase classname=\"\(xml(findings.first?.file ?? suite))\" name=\"\(xml(name))\">\n"
        if let error = findings.first(where: \.isError) {
            text += "      <failure type=\"\(xml(error.code))\" message=\"\(xml(error.message))\">\(lines)</failure>\n"
        } else {
            text += "      <system-out>\(lines)</system-out>\n"
        }
        return text + "    </testcase>\n"
    }

    /// Text with unprintable characters escaped as in JSON: control characters, tags, and those that change the direction of
    /// writing. Line ends and tabs remain.
    private static func visible(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n", "\r", "\t", " "..."~": result.unicodeScalars.append(scalar)
            default: result += Characters.escaped(String(scalar))
            }
        }
    }

    /// Text of XML 1.0: unprintable characters and markup escaped.
    private static func xml(_ text: String) -> String {
        var result = ""
        for scalar in visible(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t", "\r": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    // MARK: - GitHub Actions

    private var github: String {
        var lines = findings.map { finding in
            var properties: [String] = []
            if let file = finding.file { properties.append("file=\(Self.property(file))") }
            if let line = finding.line { properties.append("line=\(line)") }
            if let column = finding.column { properties.append("col=\(column)") }
            properties.append("title=\(Self.property(finding.code))")
            return
                "::\(finding.isError ? "error" : "warning") \(properties.joined(separator: ","))::\(Self.data(finding.message))"
        }
        if unlisted > 0 {
            lines.append("::warning title=\(command)::\(Plural.count(unlisted, "further finding")) not listed")
        }
        return lines.joined(separator: "\n")
    }

    private static func data(_ text: String) -> String {
        visible(text).replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    // MARK: - SARIF

    private var sarif: String {
        var codes: [String] = []
        for finding in findings where !codes.contains(finding.code) { codes.append(finding.code) }
        let rules = codes.map { code in
            JSONValue(
                .object([
                    .text("id", Self.visible(code)),
                    JSONMember("shortDescription", .object([.text("text", Self.visible(Self.title(of: code)))])),
                ])
            )
        }
        let driver: [JSONMember] = [
            .text("name", "clickstream-cli \(command)"), .text("version", SDK.version),
            JSONMember("rules", .array(rules)),
        ]
        let results = findings.map { finding -> JSONValue in
            var members: [JSONMember] = [
                .text("ruleId", Self.visible(finding.code)), .text("level", finding.isError ? "error" : "warning"),
                JSONMember("message", .object([.text("text", Self.visible(finding.message))])),
            ]
            if let file = finding.file {
                var physicalLocation = [JSONMember("artifactLocation", .object([.text("uri", Self.uri(file))]))]
                if let line = finding.line {
                    let column = finding.column.map { [JSONMember.number("startColumn", $0)] } ?? []
                    physicalLocation.append(JSONMember("region", .object([.number("startLine", line)] + column)))
                }
                let location = JSONValue(.object([JSONMember("physicalLocation", .object(physicalLocation))]))
                members.append(JSONMember("locations", .array([location])))
            }
            return JSONValue(.object(members))
        }
        var run: [JSONMember] = [
            JSONMember("tool", .object([JSONMember("driver", .object(driver))])),
            JSONMember("results", .array(results)),
        ]
        if unlisted > 0 { run.append(JSONMember("properties", .object([.number("unlisted", unlisted)]))) }
        let log: [JSONMember] = [
            .text("$schema", "https://json.schemastore.org/sarif-2.1.0.json"), .text("version", "2.1.0"),
            JSONMember("runs", .array([JSONValue(.object(run))])),
        ]
        return JSONValue(.object(log)).indented(flatLists: true)
    }

    /// Title of a code of any table.
    private static func title(of code: String) -> String {
        Int(code).flatMap { Rules[ErrorCode(rawValue: $0)]?.title }
            ?? PlanCode(rawValue: code)?.title ?? LineRule.all.first { $0.code == code }?.title
            ?? ServerRule.all.first { $0.code == code }?.title ?? code
    }

    /// A relative reference or path as the text of a URI.
    private static func uri(_ path: String) -> String {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
        return path.utf8.reduce(into: "") { text, byte in
            text +=
                allowed.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + String(zeroPadded: byte, width: 2, radix: 16, uppercase: true)
        }
    }
}
