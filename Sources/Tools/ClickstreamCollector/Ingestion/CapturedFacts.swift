import ClickstreamCore
import ClickstreamJudges

/// Queryable fields and findings of one event of a captured form.
struct CapturedFacts: Sendable, Hashable {
    /// The event's JSON text.
    var json: TextRange
    var name: String
    var id: String?
    var timestamp: Int64?
    /// Queryable content of an audit event; `nil` for other forms.
    var audit: AuditContent?
    var isBad: Bool
    var findings: [WireFinding]
    /// Number of findings that are not listed in ``findings``.
    var unlisted: Int
}

/// Header of a batch, which the store repeats with each event.
struct CapturedHeader: Sendable, Hashable {
    /// Maximum bytes of a header; a longer one is kept as an excerpt.
    static let maxBytes = 16_384

    /// The JSON text, or an excerpt of it.
    var json: [UInt8]
    /// True if ``json`` is an excerpt.
    var isCut: Bool

    /// - Parameter json: the whole header.
    init(_ json: [UInt8]) {
        isCut = json.count > Self.maxBytes
        self.json = isCut ? EventExcerpt.make(of: json[...], maxBytes: Self.maxBytes) : json
    }

    init(json: [UInt8], isCut: Bool) {
        self.json = json
        self.isCut = isCut
    }
}

extension UploadDecoder {
    /// Checks the events of a body. One event at a time is in memory as a value.
    func read(_ body: CapturedBody, _ form: CapturedFormat, receivedAt: Timestamp, into content: inout UploadContent) {
        content.rawBytes = body.bytes.count
        content.header = body.header.map { CapturedHeader($0) }
        content.captured.reserveCapacity(body.ranges.count)
        var judge = CapturedJudge(form, header: body.header, receivedAt: receivedAt, batchSize: batchSize)
        var budget = FindingBudget(body: body.bytes.count)
        var remainingRows = Self.maxRows
        for range in body.ranges {
            let parsed = body.bytes.withUnsafeBytes { bytes in
                // Cannot fail, as the range was found by a JSON parser. If it does, the event is stored as bad.
                try? JSONReader.parse(UnsafeRawBufferPointer(rebasing: bytes[range]), within: CapturedJudge.bounds)
            }
            var verdict = judge.judge(
                parsed?.value ?? JSONValue(.null),
                omitted: parsed?.omitted ?? 0,
                maxListed: budget.maxListed
            )
            budget.take(verdict.findings)
            verdict.audit?.limit(to: &remainingRows)
            if let id = verdict.id, let offset = verdict.idOffset {
                let string = range.lowerBound + offset..<range.upperBound
                verdict.id = EventIdentifier.exact(id, in: body.bytes, string)
            }
            content.captured.append(
                CapturedFacts(
                    json: TextRange(range),
                    name: verdict.name,
                    id: verdict.id,
                    timestamp: verdict.timestamp,
                    audit: verdict.audit,
                    isBad: verdict.isBad,
                    findings: verdict.findings.shared(with: content.captured.last?.findings),
                    unlisted: verdict.unlisted
                )
            )
        }
        content.bytes = body.bytes
    }
}
