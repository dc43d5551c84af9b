import Hummingbird

/// Cookie with the random id of a visitor. Behind TLS, also set `secure`.
enum VisitorCookie {
    static let name = "visitor"

    /// Bytes of an id.
    private static let length = 16

    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<length).map { _ in
            let byte = UInt8.random(in: 0...255, using: &random)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The id in a request; `nil` without one, or for one that this server has not set.
    static func id(in request: Request) -> String? {
        guard let value = request.cookies[name]?.value, value.utf8.count == 2 * length,
            value.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return value
    }

    static func cookie(_ id: String) -> Cookie {
        Cookie(name: name, value: id, maxAge: 31_536_000, path: "/", secure: false, httpOnly: true, sameSite: .lax)
    }

    static var removal: Cookie {
        Cookie(name: name, value: "", maxAge: 0, path: "/", secure: false, httpOnly: true, sameSite: .lax)
    }
}
