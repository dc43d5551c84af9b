/// Violations beyond a limit, ``Rules/maxFindings`` by default: counted, and reported as one violation at the end.
package struct UnlistedFindings {
    /// The first unlisted violation.
    package private(set) var first: Violation?
    package private(set) var count = 0
    private let maxListed: Int

    package init(maxListed: Int = Rules.maxFindings) {
        self.maxListed = maxListed
    }

    /// Lists a violation if there is room. An unlisted one is not evaluated, except the first.
    mutating func add(_ finding: @autoclosure () -> Violation?, to findings: inout [Violation]) {
        guard findings.count >= maxListed else {
            if let finding = finding() { findings.append(finding) }
            return
        }
        if first == nil { first = finding() }
        count += 1
    }

    package func finish(into findings: inout [Violation]) {
        guard let first else { return }
        guard count > 1, let rule = Rules[first.code] else {
            findings.append(first)
            return
        }
        findings.append(rule.broken(by: first.name, "\(count) more mistakes, the first of them: \(first.message)"))
    }
}
