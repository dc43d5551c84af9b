import ClickstreamCore
import ClickstreamJudges

/// Path of a request, as sent, and its query.
struct RequestTarget: Sendable, Hashable {
    /// Not decoded, as the published load balancer compares routes without decoding.
    var path: String
    var query: ReceivedUpload.Query

    init(_ uri: String) {
        path = String(uri.prefix { $0 != "?" && $0 != "#" })
        query = ReceivedUpload.Query(of: uri)
    }

    subscript(name: String) -> String? {
        query[name]
    }

    /// Decoded part of the path.
    static func decoded(_ part: Substring) -> String {
        ReceivedUpload.Query.decoded(part)
    }
}
