#if Tools
import HTTPTypes
import HummingbirdCore

/// Who may change anything here: programs, and the collector's own page. A page of another origin may not.
///
/// A browser can be made to send what it likes to this address; it says truly where a request comes from, though.
struct Strangers: Sendable {
    /// Why a request that changes something is refused; `nil` when it is not.
    static func refusal(of request: Request) -> String? {
        let isStrange =
            if let origin = request.headers[.origin] {
                origin != "http://\(request.head.authority ?? "")"
            } else {
                // A link or an image has no origin, but current browsers say this.
                !["same-origin", "none", ""].contains(request.headers[.secFetchSite] ?? "")
            }
        return isStrange ? "A page of another origin may not change anything here." : nil
    }
}
#endif
