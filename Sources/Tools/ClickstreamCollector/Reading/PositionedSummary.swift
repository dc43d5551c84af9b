/// Counts of the stored data, and the position in the order of arrival at which they were read: `/api/summary`.
struct PositionedSummary: Sendable, Hashable {
    var counts: CollectorSummary
    /// Last assigned sequence number, of all formats.
    var last: Int64
}

extension PositionedSummary: Encodable {
    private enum CodingKeys: String, CodingKey {
        case last = "last_seq"
    }

    func encode(to encoder: any Encoder) throws {
        try counts.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(last, forKey: .last)
    }
}
