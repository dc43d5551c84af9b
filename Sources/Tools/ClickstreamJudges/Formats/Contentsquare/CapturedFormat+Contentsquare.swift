import ClickstreamCapture
import ClickstreamCore

extension CapturedFormat {
    /// The format of document 002.
    package static let contentsquare = CapturedFormat(
        name: .contentsquare,
        title: "Contentsquare",
        list: .captured,
        body: .batch(
            Batch(
                events: "pl",
                header: ContentsquareFields.header,
                maxEvents: ContentsquareFormat.defaultBatchSize
            )
        ),
        id: "euid",
        time: .milliseconds("t"),
        user: ["header", "uid"],
        marks: ["euid"],
        session: "sn",
        summary: .columns([
            Column("screen", "st"), Column("target", "tvp"), Column("target_id", "tvid"), Column("direction", "fd"),
            Column("distance", "tvd"), Column("velocity", "tvv"), Column("value", "tr", "vl"),
            Column("currency", "tr", "cu"), Column("transaction", "tr", "id"), Column("key", "k"), Column("value", "v"),
        ]),
        phrase: { ContentsquarePhrase.phrase(of: $0) },
        queue: { ContentsquareFormat(projectID: 0) },
        drawsIDs: true,
        rules: CapturedRule.ofCapture + CapturedRule.ofBatch + CapturedRule.ofContentsquare,
        judge: { $0.judgeContentsquare($1) }
    )
}
