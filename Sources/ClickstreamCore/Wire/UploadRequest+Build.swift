extension UploadRequest {
    /// Builds the request for a batch, in the form of the published SDK.
    ///
    /// Deterministic: on a retry only `time` differs. The hash code is computed over the body as sent. A cookie
    /// rejected by ``isHeaderValue(_:)`` is omitted.
    /// - Parameters:
    ///   - platform: the device's platform, such as `Linux`; also part of the User-Agent.
    ///   - bundleSequenceID: the batch's number, unchanged on retries.
    ///   - time: the time of this attempt.
    package static func make(
        _ batch: Batch,
        to endpoint: Endpoint,
        platform: String,
        appID: String,
        bundleSequenceID: Int64,
        at time: Timestamp,
        authCookie: String? = nil,
        connectTimeout: Int64 = 15_000,
        requestTimeout: Int64 = 15_000
    ) -> UploadRequest {
        let parameters = [
            ("platform", platform),
            ("appId", appID),
            ("compression", batch.isCompressed ? "gzip" : ""),
            ("event_bundle_sequence_id", String(bundleSequenceID)),
            ("upload_timestamp", String(time.milliseconds)),
            ("hashCode", SHA256.hashCode(of: batch.body)),
        ]
        let query = parameters.map { "\($0.0)=\(percentEncoded($0.1))" }.joined(separator: "&")
        var headers = [Header("content-type", "application/json; charset=utf-8")]
        if let authCookie, isHeaderValue(authCookie) { headers.append(Header("cookie", authCookie)) }
        headers.append(Header("user-agent", userAgent(platform: platform)))
        return UploadRequest(
            url: "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(endpoint.target(adding: query))",
            headers: headers,
            body: batch.body,
            connectTimeout: connectTimeout,
            requestTimeout: requestTimeout
        )
    }

    /// Returns true if a text is a safe header value: it contains no line breaks or other control characters.
    package static func isHeaderValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    /// Returns the User-Agent, such as `clickstream-swift/0.1.0 (Linux)`.
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
