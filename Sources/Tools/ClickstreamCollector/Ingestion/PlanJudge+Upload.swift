import ClickstreamCore
package import ClickstreamJudges
package import ClickstreamPlan

extension PlanJudge {
    /// Adds the plan's findings to those of an event.
    /// - Parameters:
    ///   - event: the event within ``JSONReader/Bounds/event``.
    ///   - remaining: the number of findings to list, those of `facts` included; if there are more, only the first error of the
    ///     plan is listed.
    func judge(_ event: JSONValue, remaining: Int, into facts: inout EventFacts) {
        let verdict = self.verdict(on: event)
        var listed = verdict.findings
        if listed.count > remaining - facts.findings.count,
            let first = listed.first(where: { $0.severity == .error }) ?? listed.first
        {
            listed = [first]
        }
        facts.findings += listed.map { WireFinding($0) }
        facts.unlisted += verdict.findings.count - listed.count + verdict.unlisted
        if verdict.hasErrors { facts.isBad = true }
    }
}

extension WireFinding {
    /// A finding of a plan in the shape of all findings.
    package init(_ finding: PlanFinding) {
        self.init(
            code: finding.code.rawValue,
            severity: finding.severity,
            subject: finding.subject,
            name: finding.name,
            message: finding.message
        )
    }
}
