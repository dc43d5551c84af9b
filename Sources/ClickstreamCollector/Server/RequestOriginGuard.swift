#if Tools
import HTTPTypes
import HummingbirdCore

/// Request origin guard: programs and the collector's own page may change something, pages of other origins may not.
///
/// Browsers send what any page makes them send, but with the true origin.
struct RequestOriginGuard: Sendable {
    /// Reason to refuse a request that changes something; `nil` for none.
    static func refusal(of request: Request) -> String? {
        let isStrange =
            if let origin = request.headers[.origin] {
                origin != "http://\(request.head.authority ?? "")"
            } else {
                // A link or an image has no origin, but current browsers say this.
                !["same-origin", "none", ""].contains(request.headers[.secFetchSite] ?? "")
            }
        return isStrange ? "Changes from a page of another origin are not allowed." : nil
    }
}
#endif
