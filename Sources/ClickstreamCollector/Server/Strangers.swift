#if Tools
import HTTPTypes
import HummingbirdCore

/// Who may change anything here: programs, and the collector's own page. A page of another origin may not.
///
/// A browser can be made to send what it likes to this address; it says truly where a request comes from, though.
struct Strangers: Sendable {
    /// Whether a request was sent to a name that only this machine has. Programs of old that name none are let in.
    static func isLoopback(_ authority: String?) -> Bool {
        guard let authority, !authority.isEmpty else { return true }
        let name: Substring
        if authority.hasPrefix("[") {
            name = authority.prefix { $0 != "]" }.dropFirst()
        } else {
            name = authority.prefix { $0 != ":" }
        }
        let lowered = name.lowercased()
        if lowered == "localhost" || lowered.hasSuffix(".localhost") || lowered == "::1" { return true }
        // A name can begin like an address: all of it has to be one.
        let parts = lowered.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

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
