/// Format of the published SDK's server: a JSON array of events, base64 of its gzip if compressed.
package struct ClickstreamFormat: WireFormat {
    package init() {}

    package var name: FormatName { .clickstream }

    package func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm {
        BatchForm(encoding: configuration.compressesEvents ? .gzipText : .plain)
    }

    package func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        UploadRequest.make(
            batch,
            to: attempt.endpoint,
            platform: attempt.device.platform,
            appID: attempt.destination.appID,
            bundleSequenceID: attempt.bundleSequenceID,
            at: attempt.time,
            authCookie: attempt.destination.authCookie,
            connectTimeout: attempt.configuration.connectTimeout,
            requestTimeout: attempt.configuration.requestTimeout
        )
    }
}

extension Destination {
    /// The configured destination, in the clickstream format.
    package init(_ configuration: ClickstreamClient.Configuration) {
        self.init(
            format: ClickstreamFormat(),
            appID: configuration.appID,
            endpoint: configuration.endpoint,
            authCookie: configuration.authCookie
        )
    }
}
