#if Tools
import ClickstreamCore
import ClickstreamTools

/// One request as it came in, before anything is made of its body: what the published server keeps of it.
struct Envelope: Sendable, Hashable {
    /// 32 lower-case hexadecimal digits, given back as `X-Request-ID`.
    var id: String
    var receivedAt: Timestamp
    var method: String
    /// The path with its query, as sent.
    var uri: String
    var path: String
    var appID: String?
    var platform: String?
    var compression: String?
    /// An address that load generators claim to come from.
    var fakeIP: String?
    var bundleSequenceID: Int64?
    /// The client's clock, as the text it sent.
    var uploadTimestamp: String?
    var hashCode: String?
    var userAgent: String?
    /// `X-Forwarded-For` as sent, else the peer's address: what the published load balancer would have put there.
    var ip: String?
    /// The body's bytes as sent.
    var body: [UInt8]
    /// Whether the body came under `Content-Encoding: gzip`.
    var isContentEncoded: Bool
}

/// One request with everything that was found in it: what the store takes in one piece.
struct Upload: Sendable {
    var envelope: Envelope
    var content: UploadContent
}

/// One event of a body that was built: the fields that can be queried, and the findings.
struct JudgedEvent: Sendable, Hashable {
    /// A text, with the place of its first character in the JSON text of the event.
    struct Text: Sendable, Hashable {
        var text: String
        var offset: Int
    }

    var id: Text?
    var timestamp: Int64?
    var appID: Text?
    var name: Text?
    var sessionID: Text?
    var sessionNumber: Int64?
    var sessionStart: Int64?
    var uniqueID: Text?
    var userID: Text?
    var screenName: Text?
    var screenUniqueID: Text?
    /// Milliseconds, from `_engagement_time_msec`.
    var engagement: Int64?
    /// True if the event reports a mistake or a crash of its app.
    var reportsError = false
    var findings: [WireFinding] = []
    /// Number of findings that are not among ``findings``.
    var unlisted = 0
    /// True if there is an error, not only warnings.
    var isBad = false
}
#endif
