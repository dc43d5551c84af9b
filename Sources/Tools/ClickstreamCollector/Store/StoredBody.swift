import ClickstreamCore
import ClickstreamJudges

/// Body of a stored request, as received, with the size of its JSON text when it was stored.
///
/// Another program may have changed the body: it is never inflated to much more than that size.
struct StoredBody: Sendable, Hashable {
    /// Error of a body that inflates to more than ``rawBytes``.
    struct TooLong: Error, Sendable, Hashable {}

    var bytes: [UInt8]
    /// True for a body with `Content-Encoding: gzip`.
    var isContentEncoded: Bool
    /// Bytes of the JSON text.
    var rawBytes: Int

    private var limit: Int { min(rawBytes, UploadDecoder.maxInflationLimit) }

    /// JSON text with the ranges of its events; empty if the body cannot be decoded any more.
    /// - Parameter form: format of captured events; `nil` for events of the clickstream format.
    func text(form: CapturedFormat?) throws(TooLong) -> BodyText {
        let text = try decoded { (plain) throws(ReceivedUpload.Flaw) in
            let text: BodyText
            if let form {
                let captured = try CapturedBody(plain, form: form)
                text = BodyText(bytes: captured.bytes, ranges: captured.ranges)
            } else {
                let events = try ReceivedUpload.Events(plain, inflationLimit: limit)
                text = BodyText(bytes: events.bytes, ranges: events.ranges)
            }
            return (text, text.bytes.count)
        }
        return text ?? BodyText()
    }

    /// JSON text, which was validated before; `nil` if the body cannot be decoded any more.
    func unparsedText() throws(TooLong) -> ReceivedUpload.Events.Text? {
        try decoded { (plain) throws(ReceivedUpload.Flaw) in
            let text = try ReceivedUpload.Events.text(of: plain, inflationLimit: limit)
            return (text, text.bytes.count)
        }
    }

    /// Text of the body; `nil` if it cannot be decoded any more.
    /// - Parameter decode: returns the text and its size.
    private func decoded<Text>(
        _ decode: (_ plain: [UInt8]) throws(ReceivedUpload.Flaw) -> (text: Text, bytes: Int)
    ) throws(TooLong) -> Text? {
        do throws(ReceivedUpload.Flaw) {
            let plain = try plainBytes()
            let (text, bytes) = try decode(plain)
            try check(bytes, of: plain)
            return text
        } catch {
            if error.reason == .inflationLimit { throw TooLong() }
            return nil
        }
    }

    /// Body after decoding its `Content-Encoding`: the text, or base64 of gzip, which may be longer than its text.
    private func plainBytes() throws(ReceivedUpload.Flaw) -> [UInt8] {
        let limit = min(max(2 * limit, ReceivedUpload.inflationLimit), UploadDecoder.maxInflationLimit)
        return try UploadDecoder().plainBody(bytes, isContentEncoded: isContentEncoded, limit: limit)
    }

    /// Compares the size of the text with that when it was stored, unless the body as received is the text.
    private func check(_ count: Int, of plain: [UInt8]) throws(ReceivedUpload.Flaw) {
        guard isContentEncoded || count != plain.count, count > rawBytes else { return }
        throw ReceivedUpload.Flaw(.inflationLimit, "the text has more than \(rawBytes) bytes")
    }
}
