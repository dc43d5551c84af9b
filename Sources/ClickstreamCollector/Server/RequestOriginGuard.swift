#if Tools
import HTTPTypes
import HummingbirdCore

/// Request origin guard: accepts changes by programs and by the collector's own page, not by pages of other origins.
///
/// A page can make a browser send any simple request, but not with a false origin.
struct RequestOriginGuard: Sendable {
    /// Reason to reject a request that changes data; `nil` for none.
    static func refusal(of request: Request) -> String? {
        let isStrange =
            if let origin = request.headers[.origin] {
                origin != "http://\(request.head.authority ?? "")"
            } else {
                // Requests by links and images have no origin; current browsers send this header.
                !["same-origin", "none", ""].contains(request.headers[.secFetchSite] ?? "")
            }
        return isStrange ? "Changes from a page of another origin are not allowed." : nil
    }
}
#endif
