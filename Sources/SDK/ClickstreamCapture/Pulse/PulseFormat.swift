public import ClickstreamCore

extension FormatName {
    /// The format of ``PulseSettings``.
    public static let pulse = FormatName(rawValue: "pulse")
}

/// Format of Pulse's server: a JSON array of events, compressed as the content encoding gzip.
package struct PulseFormat: WireFormat {
    package init() {}

    package var name: FormatName { .pulse }

    package func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm {
        BatchForm(encoding: configuration.compressesEvents ? .gzip : .plain)
    }

    /// Builds the request; identical on retries. A cookie that is not a valid header value is omitted.
    package func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        UploadRequest(withJSONOf: batch, to: attempt.endpoint.description, attempt)
    }
}
