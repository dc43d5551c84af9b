import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

extension PlanJudge {
    /// Adds the plan's findings to those of an event.
    /// - Parameters:
    ///   - event: the event within ``JSONReader/Bounds/event``.
    ///   - room: the number of findings to list; if there are more, only the first error is listed.
    func judge(
        _ event: JSONValue,
        room: Int,
        findings: inout [WireFinding],
        unlisted: inout Int,
        isBad: inout Bool
    ) {
        let verdict = self.verdict(on: event)
        var listed = verdict.findings
        if listed.count > room, let first = listed.first(where: { $0.severity == .error }) ?? listed.first {
            listed = [first]
        }
        findings += listed.map { WireFinding($0) }
        unlisted += verdict.findings.count - listed.count + verdict.unlisted
        if verdict.hasErrors { isBad = true }
    }
}

extension WireFinding {
    /// A finding of a plan in the shape of all findings.
    fileprivate init(_ finding: PlanFinding) {
        self.init(
            code: finding.code.rawValue,
            severity: finding.severity,
            subject: finding.subject,
            name: finding.name,
            message: finding.message
        )
    }
}
