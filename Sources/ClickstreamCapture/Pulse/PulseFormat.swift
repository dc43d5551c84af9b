package import ClickstreamCore

/// Format of Pulse's server: a JSON array of events, compressed as the content encoding gzip.
package struct PulseFormat: WireFormat {
    package init() {}

    package var name: String { Self.name }
    package static let name = "pulse"

    package func batch(_ configuration: Configuration) -> BatchForm {
        BatchForm(encoding: configuration.compressesEvents ? .gzip : .plain)
    }

    /// Builds the request; identical on retries. A cookie that is not a valid header value is omitted.
    package func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        var headers = [UploadRequest.Header("content-type", "application/json")]
        if batch.isCompressed { headers.append(UploadRequest.Header("content-encoding", "gzip")) }
        if let cookie = attempt.destination.authCookie, UploadRequest.isHeaderValue(cookie) {
            headers.append(UploadRequest.Header("cookie", cookie))
        }
        let agent = UploadRequest.userAgent(platform: attempt.device.platform)
        headers.append(UploadRequest.Header("user-agent", agent))
        return UploadRequest(
            url: attempt.endpoint.description,
            headers: headers,
            body: batch.body,
            connectTimeout: attempt.configuration.connectTimeout,
            requestTimeout: attempt.configuration.requestTimeout
        )
    }
}
