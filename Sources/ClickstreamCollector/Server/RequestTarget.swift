#if Tools
import ClickstreamCore
import ClickstreamTools

/// A request's path, as sent, and its query.
struct RequestTarget: Sendable, Hashable {
    /// Not decoded: routes are compared as the published load balancer compares them.
    var path: String
    var query: ReceivedUpload.Query

    init(_ uri: String) {
        path = String(uri.prefix { $0 != "?" && $0 != "#" })
        query = ReceivedUpload.Query(of: uri)
    }

    subscript(name: String) -> String? {
        query[name]
    }

    /// A part of the path without its escapes.
    static func decoded(_ part: Substring) -> String {
        ReceivedUpload.Query.decoded(part)
    }
}
#endif
