import ClickstreamCore
import ClickstreamJudges

/// Request as received, with the fields that the published server stores and the undecoded body.
struct Envelope: Sendable, Hashable {
    /// 32 lower-case hexadecimal digits, returned as `X-Request-ID`.
    var id: String
    var receivedAt: Timestamp
    var method: String
    /// The path with its query, as sent.
    var uri: String
    var path: String
    var appID: String?
    var platform: String?
    var compression: String?
    /// Client address claimed by load generators.
    var fakeIP: String?
    var bundleSequenceID: Int64?
    /// Time of the client's clock, as sent.
    var uploadTimestamp: String?
    var hashCode: String?
    var userAgent: String?
    /// `X-Forwarded-For` as sent, or the address of the peer, which the published load balancer would add.
    var ip: String?
    /// The body's bytes as sent.
    var body: [UInt8]
    /// True for a body with `Content-Encoding: gzip`.
    var isContentEncoded: Bool
    /// Format of captured events; `nil` for events of the clickstream format.
    var form: CapturedFormat?
    /// Partition of the client's queue that audit events are from.
    var partition: String?
}

/// Request with its decoded content, as passed to the store.
struct Upload: Sendable {
    var envelope: Envelope
    var content: UploadContent
    /// True for an imported request, which is left out if a request with its id is stored.
    var isImported = false
}

/// Event that was parsed as a JSON value: its queryable fields and the findings.
struct JudgedEvent: Sendable, Hashable {
    /// Text with its position in the JSON text of the event.
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
    var deviceID: Text?
    var platform: Text?
    var appVersion: Text?
    /// Milliseconds, from `_engagement_time_msec`.
    var engagement: Int64?
    /// True if the event reports an error or a crash of its app.
    var reportsError = false
    var findings: [WireFinding] = []
    /// Number of findings that are not listed in ``findings``.
    var unlisted = 0
    /// True if a finding is an error, not a warning.
    var isBad = false
}
