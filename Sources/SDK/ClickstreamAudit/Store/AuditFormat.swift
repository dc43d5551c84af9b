public import ClickstreamCore

extension FormatName {
    /// The format of audit events.
    public static let audit = FormatName(rawValue: "audit")
}

/// Format of a server of audit events: a JSON array of events, compressed as the content encoding gzip; the partition is in
/// the query.
///
/// A stored record contains all events of one scope, separated by commas: they are stored, sent and set aside together.
package struct AuditFormat: WireFormat {
    package init() {}

    package var name: FormatName { .audit }
    /// A partition is delivered completely before the next one.
    package var isSequential: Bool { true }

    package func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm {
        BatchForm(encoding: configuration.compressesEvents ? .gzip : .plain, isPartitioned: true)
    }

    /// Builds the request; identical on retries. A cookie that is not a valid header value is omitted.
    package func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        let endpoint = attempt.endpoint
        let partition = UploadRequest.percentEncoded(attempt.partition?.text ?? "")
        let target = endpoint.target(adding: "partition=\(partition)")
        let url = "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(target)"
        return UploadRequest(withJSONOf: batch, to: url, attempt)
    }

    /// Returns a client's endpoint with the last component of its path replaced by `audit`; other parts are kept. Empty if
    /// the endpoint is not valid.
    package static func endpoint(of clientEndpoint: String) -> String {
        // An invalid endpoint is reported by the client: nothing is sent to it.
        guard let endpoint = try? Endpoint(clientEndpoint) else { return "" }
        let parent = endpoint.path[...(endpoint.path.lastIndex(of: "/") ?? endpoint.path.startIndex)]
        let query = endpoint.query.map { "?\($0)" } ?? ""
        return "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(parent)audit\(query)"
    }
}
