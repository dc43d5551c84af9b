import ClickstreamCore

#if Library
import FoundationEssentials
#else
import Foundation
#endif

/// Proxies of an environment, chosen as libcurl chooses them.
///
/// libcurl itself would read the variables with each request: on a thread of the SDK, while the app may change its
/// environment.
package struct ProxySettings: Sendable, Hashable {
    /// The proxy for `http`; empty for none.
    package let http: String
    /// The proxy for `https`; empty for none.
    package let https: String
    /// Hosts that are reached without a proxy, separated by commas; empty for none.
    package let exceptions: String

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        func first(of names: [String]) -> String {
            names.lazy.compactMap { environment.setting($0) }.first ?? ""
        }
        // Not `HTTP_PROXY`: in a CGI program that is the header `Proxy` of a request.
        http = first(of: ["http_proxy", "all_proxy", "ALL_PROXY"])
        https = first(of: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
        exceptions = first(of: ["no_proxy", "NO_PROXY"])
    }
}
