/// Parts of requests of any format.
extension UploadRequest {
    /// A request with a batch of JSON, compressed as the content encoding gzip or not. Identical on retries. A cookie that
    /// is not a valid header value is omitted.
    package init(withJSONOf batch: Batch, to url: String, _ attempt: DeliveryAttempt) {
        var headers = [Header(name: "content-type", value: "application/json")]
        if batch.isCompressed { headers.append(Header(name: "content-encoding", value: "gzip")) }
        if let cookie = attempt.destination.authCookie, Self.isHeaderValue(cookie) {
            headers.append(Header(name: "cookie", value: cookie))
        }
        headers.append(Header(name: "user-agent", value: Self.userAgent(platform: attempt.device.platform)))
        self.init(
            url: url,
            headers: headers,
            body: batch.body,
            connectTimeout: attempt.configuration.connectTimeout,
            requestTimeout: attempt.configuration.requestTimeout
        )
    }

    /// Returns true if a text is a safe header value: it contains no line breaks or other control characters.
    package static func isHeaderValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    /// Returns the User-Agent, such as `clickstream-swift/0.2.0 (Linux)`.
    package static func userAgent(platform: String) -> String {
        let comment = platform.unicodeScalars.map { scalar in
            (0x20..<0x7F).contains(scalar.value) && scalar != "(" && scalar != ")" && scalar != "\\" ? scalar : "_"
        }
        return "clickstream-swift/\(SDK.version) (\(String(String.UnicodeScalarView(comment))))"
    }

    /// Percent-encodes a text for a query: letters, digits, `-`, `.`, `_` and `~` are kept, every other byte becomes
    /// `%XX`.
    package static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
