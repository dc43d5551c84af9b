#if Tools
import ClickstreamCore
import ClickstreamTools

/// Makes events of a request's body, by what the body holds and not by what the request says of it.
///
/// Costs a pass over the JSON text and one over each event; takes any bytes.
struct UploadDecoder: Sendable {
    /// Bytes that a body may inflate to, by either way of compressing it.
    var inflationLimit = Limits().inflatedBytes

    func decode(_ envelope: Envelope) -> Upload {
        var content = UploadContent(rawBytes: envelope.body.count)
        do throws(ReceivedUpload.Flaw) {
            let body = try plainBody(envelope.body, isContentEncoded: envelope.isContentEncoded)
            if let hashCode = envelope.hashCode?.lowercased() {
                content.hashMatches = hashCode == SHA256.hashCode(of: body)
            }
            switch ReceivedUpload.Content(body, inflationLimit: inflationLimit) {
            case .events(let events): read(events, receivedAt: envelope.receivedAt, into: &content)
            case .unreadable(let flaw): throw flaw
            }
        } catch {
            content.flaw = error
        }
        return Upload(envelope: envelope, content: content)
    }

    /// The body with a `Content-Encoding` undone: what the published server would have stored.
    private func plainBody(
        _ body: [UInt8],
        isContentEncoded: Bool
    ) throws(ReceivedUpload.Flaw) -> [UInt8] {
        guard isContentEncoded else { return body }
        do throws(GzipError) {
            return try Gzip.inflate(body, limit: inflationLimit)
        } catch .limitExceeded {
            throw ReceivedUpload.Flaw(.inflationLimit, "the body inflates to more than \(inflationLimit) bytes")
        } catch {
            throw ReceivedUpload.Flaw(.gzip, "the body came under Content-Encoding: gzip, but \(error)")
        }
    }

    /// The body as the published server would have stored it; what claimed to be encoded and is not stays as it is.
    func stored(_ body: [UInt8], isContentEncoded: Bool) -> [UInt8] {
        // Why it cannot be read stands with the request.
        (try? plainBody(body, isContentEncoded: isContentEncoded)) ?? body
    }

    /// The JSON text of a body that was read before; none when it cannot be read any more.
    func text(of body: [UInt8], isContentEncoded: Bool) -> [UInt8] {
        // A body that came in under another limit is as readable as it was.
        let decoder = UploadDecoder(inflationLimit: Int(Int32.max) / 2)
        guard let plain = try? decoder.plainBody(body, isContentEncoded: isContentEncoded),
            case .events(let events) = ReceivedUpload.Content(plain, inflationLimit: decoder.inflationLimit)
        else { return [] }
        return events.bytes
    }

    private func read(_ events: ReceivedUpload.Events, receivedAt: Timestamp, into content: inout UploadContent) {
        content.rawBytes = events.bytes.count
        content.bytes = events.bytes
        content.events.reserveCapacity(events.count)
        for range in events.ranges {
            let facts = events.bytes.withUnsafeBytes { EventScanner.facts(of: $0, in: range, receivedAt: receivedAt) }
            if let facts {
                content.append(facts)
            } else {
                let value = events.bytes.withUnsafeBytes { bytes in
                    // It was taken apart as JSON, so it can be read as JSON; if not, that is no reason to lose it.
                    try? JSONReader.parse(UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
                let event = JudgedEvent(value ?? JSONValue(.null), receivedAt: receivedAt)
                content.append(event, json: TextRange(range))
            }
        }
    }
}
#endif
