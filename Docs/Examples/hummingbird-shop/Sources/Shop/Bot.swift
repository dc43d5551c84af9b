import ClickstreamServer

/// Crawler or other program that names itself in its user agent.
///
/// Bots keep no cookies, so that each request would be a new visitor: all requests of one bot have one device id.
struct Bot: Sendable, Equatable {
    /// Name for reports, such as `googlebot`.
    let name: String

    /// Parts of user agents in lower case. The last ones are general: a named bot comes first.
    private static let marks = [
        "googlebot", "bingbot", "duckduckbot", "yandexbot", "applebot", "gptbot", "claudebot", "facebookexternalhit",
        "curl", "wget", "python-requests", "go-http-client", "headlesschrome", "crawler", "spider", "bot",
    ]

    /// `nil` for a browser. A request without a user agent is from a program.
    init?(userAgent: String?) {
        guard let agent = userAgent?.lowercased(), !agent.isEmpty else {
            name = "unknown"
            return
        }
        guard let mark = Self.marks.first(where: { agent.contains($0) }) else { return nil }
        name = mark
    }

    func visitor(userAgent: String?) -> Visitor {
        Visitor(deviceID: "bot-\(name)", platform: "Bot", userAgent: userAgent)
    }
}
