import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Judge of the events of one upload by a tracking plan. Its work is bounded by the length of the upload.
struct UploadPlanJudge: Sendable {
    /// States of patterns that may be visited for each byte of the upload, beside those of one event. Strings after them are
    /// findings.
    static let patternStepsPerByte = 32

    private let judge: PlanJudge
    private var patternSteps: Int

    /// - Parameter bytes: the length of the upload's JSON text.
    init(_ judge: PlanJudge, bytes: Int) {
        self.judge = judge
        patternSteps = PlanJudge.maxPatternSteps + Self.patternStepsPerByte * bytes
    }

    /// Adds the plan's findings to those of an event.
    /// - Parameters:
    ///   - event: the event within ``JSONReader/Bounds/event``.
    ///   - room: the number of findings to list; if there are more, only the first error is listed.
    mutating func judge(
        _ event: JSONValue,
        room: Int,
        findings: inout [WireFinding],
        unlisted: inout Int,
        isBad: inout Bool
    ) {
        let verdict = judge.verdict(on: event, patternSteps: &patternSteps)
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
