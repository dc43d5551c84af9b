import ClickstreamCore
import ClickstreamJudges

/// Transport that accepts every request, and passes on the bodies in one format.
struct BatchTransport: ClickstreamClient.Transport {
    let form: CapturedFormat
    let receive: @Sendable ([UInt8]) -> Void

    /// Endpoint of a format. No connection to it is made.
    static func endpoint(_ format: FormatName) -> String { "http://replay.invalid/\(format.rawValue)" }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        let path = request.url.prefix { $0 != "?" }
        if path == Self.endpoint(form.name) { receive(request.body) }
        return UploadResponse(status: 200)
    }
}
