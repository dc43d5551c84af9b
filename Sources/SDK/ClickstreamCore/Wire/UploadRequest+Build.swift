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
        connectTimeout: Duration = .seconds(15),
        requestTimeout: Duration = .seconds(15)
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
        var headers = [Header(name: "content-type", value: "application/json; charset=utf-8")]
        if let authCookie, isHeaderValue(authCookie) { headers.append(Header(name: "cookie", value: authCookie)) }
        headers.append(Header(name: "user-agent", value: userAgent(platform: platform)))
        return UploadRequest(
            url: "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(endpoint.target(adding: query))",
            headers: headers,
            body: batch.body,
            connectTimeout: connectTimeout,
            requestTimeout: requestTimeout
        )
    }
}
