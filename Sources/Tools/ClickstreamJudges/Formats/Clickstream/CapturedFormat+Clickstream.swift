import ClickstreamCore

extension CapturedFormat {
    /// The format of the published pipeline, judged by ``WireJudge``.
    package static let clickstream = CapturedFormat(
        name: .clickstream,
        title: "Clickstream",
        list: .events,
        body: .encodedArray,
        id: FieldName.eventID,
        time: .milliseconds(FieldName.timestamp),
        summary: .members { $0[FieldName.attributes]?.members ?? [] },
        phrase: { ClickstreamPhrase.phrase(of: $0) }
    )
}
