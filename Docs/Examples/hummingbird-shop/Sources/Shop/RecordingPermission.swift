import HTTPTypes
import Hummingbird

/// Permission to record the events of a request: opt-in by a consent cookie, overruled by Global Privacy Control.
public enum RecordingPermission: Sendable {
    case granted
    case denied

    /// Name of the consent cookie; its value is `granted` or `denied`.
    public static let cookieName = "consent"

    /// `Sec-GPC: 1` denies, whatever the cookie contains. Without a cookie nothing is recorded.
    public init(_ request: Request) {
        let objects = request.headers[.globalPrivacyControl] == "1"
        let consents = request.cookies[Self.cookieName]?.value == "granted"
        self = consents && !objects ? .granted : .denied
    }

    /// Cookie that stores a decision for half a year.
    public static func cookie(isGranted: Bool) -> Cookie {
        Cookie(
            name: cookieName,
            value: isGranted ? "granted" : "denied",
            maxAge: 15_552_000,
            path: "/",
            secure: false,
            httpOnly: true,
            sameSite: .lax
        )
    }
}

extension HTTPField.Name {
    /// Header of a browser whose user objects to tracking: https://www.w3.org/TR/gpc/
    static let globalPrivacyControl = HTTPField.Name("Sec-GPC")!
}
