#if Tools
import ClickstreamCore

/// Makes events of a request's body, by what the body holds and not by what the request says of it.
///
/// Costs a pass over the JSON text and one over each event; takes any bytes.
struct UploadDecoder: Sendable {
    /// Bytes that a body may inflate to, by either way of compressing it.
    var inflationLimit = Limits().inflatedBytes

    func decode(_ envelope: Envelope) -> Upload {
        var content = UploadContent(rawBytes: envelope.body.count)
        do throws(ReceivedUpload.Flaw) {
            let body = try plainBody(of: envelope)
            if let hashCode = envelope.hashCode?.lowercased() {
                content.hashMatches = hashCode == SHA256.hashCode(of: body)
            }
            switch ReceivedUpload.Content(body, inflationLimit: inflationLimit) {
            case .events(let events):
                content.rawBytes = events.bytes.count
                content.events = events.lines.map { judged($0, receivedAt: envelope.receivedAt) }
            case .unreadable(let flaw):
                throw flaw
            }
        } catch {
            content.flaw = error
        }
        return Upload(envelope: envelope, content: content)
    }

    /// The body with a `Content-Encoding` undone: what the published server would have stored.
    private func plainBody(of envelope: Envelope) throws(ReceivedUpload.Flaw) -> [UInt8] {
        guard envelope.isContentEncoded else { return envelope.body }
        do throws(GzipError) {
            return try Gzip.inflate(envelope.body, limit: inflationLimit)
        } catch .limitExceeded {
            throw ReceivedUpload.Flaw(.inflationLimit, "the body inflates to more than \(inflationLimit) bytes")
        } catch {
            throw ReceivedUpload.Flaw(.gzip, "the body came under Content-Encoding: gzip, but \(error)")
        }
    }

    private func judged(_ line: ArraySlice<UInt8>, receivedAt: Timestamp) -> JudgedEvent {
        let json = String(decoding: line, as: UTF8.self)
        do {
            let value = try line.withUnsafeBytes { try JSONReader.parse($0) }
            return JudgedEvent(value, json: json, receivedAt: receivedAt)
        } catch {
            // Does not happen: what was taken apart as JSON can be read as JSON. It would be no reason to lose it.
            return JudgedEvent(JSONValue(.null), json: json, receivedAt: receivedAt)
        }
    }
}
#endif
