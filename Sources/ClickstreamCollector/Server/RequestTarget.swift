#if Tools
/// A request's path and query, as sent. The first of equal names counts.
struct RequestTarget: Sendable, Hashable {
    /// Not decoded: routes are compared as the published load balancer compares them.
    var path: String
    /// Decoded, in the order of the query.
    var parameters: [Parameter]

    struct Parameter: Sendable, Hashable {
        var name: String
        var value: String
    }

    init(_ uri: String) {
        let end = uri.firstIndex(of: "#") ?? uri.endIndex
        let question = uri[..<end].firstIndex(of: "?") ?? end
        path = String(uri[..<question])
        parameters = uri[question..<end].dropFirst().split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Parameter(name: Self.decoded(parts[0]), value: parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Takes percent signs and plus signs back, as in a form; a sign that decodes to nothing stays as it is.
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "%"), index + 2 < source.count,
                let high = hexadecimal(source[index + 1]), let low = hexadecimal(source[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
                continue
            }
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
#endif
