import ClickstreamCore
import ClickstreamJudges

/// Transport that accepts every request, and passes on the bodies in one format.
struct BatchTransport: Transport {
    let form: CapturedFormat
    let receive: @Sendable ([UInt8]) -> Void

    /// Endpoint of a format with a name. No connection to it is made.
    static func endpoint(_ form: String) -> String { "http://replay.invalid/\(form)" }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        let path = request.url.prefix { $0 != "?" }
        if path == Self.endpoint(form.name) { receive(request.body) }
        return UploadResponse(status: 200)
    }
}
