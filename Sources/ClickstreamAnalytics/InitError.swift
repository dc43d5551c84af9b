/// Why the SDK could not be started, or asked.
public enum InitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// ``ClickstreamAnalytics/initSDK(_:)`` was called before.
    case alreadyRunning
    /// ``ClickstreamAnalytics/initSDK(_:)`` was not called yet.
    case notRunning
    /// The SDK runs in the parent of this process, which is a child of `fork`.
    case childOfFork
    /// No app id in code, environment or file; the text says where it was looked for.
    case missingAppID(String)
    /// The endpoint is no http or https URL; the text says what is wrong with it.
    case badEndpoint(String)
    /// The authentication cookie cannot stand in a header; the text says why. Never the cookie itself.
    case badAuthCookie(String)

    /// What failed, why, and what to do next.
    public var description: String {
        switch self {
        case .alreadyRunning:
            "initSDK was called, but the SDK runs already since an earlier call. Call it once for the process; change what"
                + " runs through getClickstreamConfiguration(), or make a ClickstreamClient for another app."
        case .notRunning:
            "The configuration was asked for, but the SDK does not run yet. Call ClickstreamAnalytics.initSDK() first."
        case .childOfFork:
            "The SDK cannot be used in this process: it is a child of fork, and the SDK runs in its parent. Start the child as"
                + " a program of its own, or call initSDK in the child alone."
        case .missingAppID(let reason), .badEndpoint(let reason), .badAuthCookie(let reason):
            reason
        }
    }
}
