import ClickstreamCore

extension CapturedFormat {
    /// The format of document 004.
    package static let audit = CapturedFormat(
        name: FormatName(rawValue: "audit"),
        title: "Audit",
        list: .audit,
        body: .array,
        id: "_id",
        time: .date("timestamp"),
        marks: ["_id", "activity"],
        summary: .members { AuditLine.values(of: $0) },
        phrase: { AuditPhrase.phrase(of: $0) },
        rules: CapturedRule.ofAnyFormat + CapturedRule.ofAudit,
        identity: { AuditContent.identity($0) },
        judge: { $0.judgeAudit($1) }
    )
}
