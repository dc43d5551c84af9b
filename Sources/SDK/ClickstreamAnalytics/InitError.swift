/// Reason why the SDK is not started or not available.
public enum InitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// ``ClickstreamAnalytics/initSDK(_:)`` was called before.
    case alreadyRunning
    /// ``ClickstreamAnalytics/initSDK(_:)`` was not called yet.
    case notRunning
    /// The SDK runs in the parent of this process, which is a child of `fork`.
    case childOfFork
    /// No app id in code, environment or file; the text lists the places that were searched.
    case missingAppID(String)
    /// The endpoint is not an http or https URL; the text describes the error.
    case badEndpoint(String)
    /// The authentication cookie is not a valid header value; the text describes the error, without the cookie.
    case badAuthCookie(String)

    /// The problem, its cause, and a remedy.
    public var description: String {
        switch self {
        case .alreadyRunning:
            "initSDK was called, but the SDK runs already since an earlier call. Call it once for the process; change what"
                + " runs through getClickstreamConfiguration(), or make a ClickstreamClient for another app."
        case .notRunning:
            "The configuration was asked for, but the SDK does not run yet. Call ClickstreamAnalytics.initSDK() first."
        case .childOfFork:
            "The SDK cannot be used in this process: it is a child of fork, and the SDK runs in its parent. Call"
                + " ClickstreamAnalytics.resetAfterFork() first, or start the child as a program of its own."
        case .missingAppID(let reason), .badEndpoint(let reason), .badAuthCookie(let reason):
            reason
        }
    }
}
