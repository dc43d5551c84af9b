#if Tools
import ClickstreamCore

/// Makes events of a request's body, by what the body holds and not by what the request says of it.
///
/// Costs a pass over the JSON text and one over each event; takes any bytes.
struct UploadDecoder: Sendable {
    /// Bytes that a body may inflate to.
    let inflationLimit: Int

    func decode(_ envelope: Envelope) -> Upload {
        let body = envelope.body
        var content = UploadContent(rawBytes: body.count)
        do {
            if body.isEmpty { content.reason = "empty"; return Upload(envelope: envelope, content: content) }
            let ranges = try JSONReader.elements(of: body)
            content.events = try ranges.map { range in
                let slice = body[range]
                return JudgedEvent(
                    try JSONReader.parse(Array(slice)),
                    json: String(decoding: slice, as: UTF8.self),
                    receivedAt: envelope.receivedAt
                )
            }
        } catch {
            content.reason = (error as? JSONError)?.kind == .notAnArray ? "not_an_array" : "json"
        }
        return Upload(envelope: envelope, content: content)
    }
}
#endif
