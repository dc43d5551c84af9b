import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan

/// Decoder of the events in a request's body. Detects the encoding by the content of the body, not by parameters.
///
/// Takes one pass over the JSON text and one over each event. Memory is bounded by the size of the text and a fixed
/// amount for each event.
struct UploadDecoder: Sendable {
    /// Maximum bytes of an inflated body, for both kinds of compression together.
    var inflationLimit = Limits().inflatedBytes

    /// Maximum number of events of a batch; more are findings. `nil` for the number of the format.
    var batchSize: Int?

    /// Judge of the tracking plan that events in the clickstream format have to conform to; `nil` for none.
    var plan: PlanJudge?

    /// Maximum number of findings listed for one request. Beyond it, each event has one finding with the number of its
    /// errors. An event lists at most ``Rules/maxFindings``.
    static let maxFindings = FindingBudget.maxFindings

    /// Maximum number of tables and rows of a request with audit events by which queries find them.
    static let maxRows = 200_000

    func decode(_ envelope: Envelope) -> Upload {
        decode(envelope, within: .max) ?? Upload(envelope: envelope, content: UploadContent(rawBytes: 0))
    }

    /// As ``decode(_:)``, but returns `nil` as soon as the result exceeds `memory` bytes.
    func decode(_ envelope: Envelope, within memory: Int) -> Upload? {
        var content = UploadContent(rawBytes: envelope.body.count)
        let limit = min(inflationLimit, memory)
        do throws(ReceivedUpload.Flaw) {
            let body = try plainBody(envelope.body, isContentEncoded: envelope.isContentEncoded, limit: limit)
            if let hashCode = envelope.hashCode?.lowercased() {
                content.hashMatches = hashCode == SHA256.hashCode(of: body)
            }
            if let form = envelope.form {
                let captured = try CapturedBody(body, form: form)
                if UploadContent.memory(bytes: captured.bytes.count, events: captured.ranges.count) > memory {
                    return nil
                }
                read(captured, form, receivedAt: envelope.receivedAt, into: &content)
                return Upload(envelope: envelope, content: content)
            }
            let rest = envelope.isContentEncoded ? max(0, limit - body.count) : limit
            var events = try ReceivedUpload.Events(body, inflationLimit: rest)
            if UploadContent.memory(bytes: events.bytes.count, events: events.count) > memory { return nil }
            read(&events, receivedAt: envelope.receivedAt, into: &content)
        } catch {
            if error.reason == .inflationLimit, limit < inflationLimit { return nil }
            content.flaw = error
        }
        return Upload(envelope: envelope, content: content)
    }

    /// Bytes of JSON text that a body claims to contain: for gzip data, the size field of the last member, unverified.
    func claimedBytes(of envelope: Envelope) -> Int {
        let body = envelope.body
        return body.withUnsafeBytes { bytes in
            if envelope.isContentEncoded { return Self.claimedBytes(ofGzip: bytes, compressed: bytes.count) }
            if envelope.form != nil { return bytes.count }
            guard let first = bytes.firstIndex(where: { $0 > 0x20 }), bytes[first] != UInt8(ascii: "["),
                let last = bytes.lastIndex(where: { $0 > 0x20 && $0 != UInt8(ascii: "=") })
            else { return bytes.count }
            // The last bytes of the base64 text, aligned to a group.
            let start = max(first, first + ((last + 1 - first) / 4 - 6) * 4)
            let tail = Base64.decode(UnsafeRawBufferPointer(rebasing: bytes[start...last]), padding: .optional)
            return tail?.withUnsafeBytes { Self.claimedBytes(ofGzip: $0, compressed: bytes.count) } ?? bytes.count
        }
    }

    private static func claimedBytes(ofGzip bytes: UnsafeRawBufferPointer, compressed: Int) -> Int {
        guard let count = Gzip.claimedCount(of: bytes) else { return compressed }
        return max(count, compressed)
    }

    /// Body after decoding its `Content-Encoding`, as the published server stores it.
    func plainBody(
        _ body: [UInt8],
        isContentEncoded: Bool,
        limit: Int
    ) throws(ReceivedUpload.Flaw) -> [UInt8] {
        guard isContentEncoded else { return body }
        do throws(GzipError) {
            return try Gzip.inflate(body, limit: limit)
        } catch .limitExceeded {
            throw ReceivedUpload.Flaw(.inflationLimit, "the body inflates to more than \(limit) bytes")
        } catch {
            throw ReceivedUpload.Flaw(.gzip, "the body has Content-Encoding: gzip, but \(error)")
        }
    }

    /// Body as the published server stores it. A body that cannot be decoded is returned unchanged.
    func stored(_ body: [UInt8], isContentEncoded: Bool) -> [UInt8] {
        // The request contains the reason.
        (try? plainBody(body, isContentEncoded: isContentEncoded, limit: inflationLimit)) ?? body
    }

    /// Limit for stored bodies, which may have been accepted with a higher one than that of this process.
    static let maxInflationLimit = Int(Int32.max) / 2

    private func read(_ events: inout ReceivedUpload.Events, receivedAt: Timestamp, into content: inout UploadContent) {
        // Moved, as a second owner would copy the text at the first change.
        swap(&content.bytes, &events.bytes)
        content.rawBytes = content.bytes.count
        content.events.reserveCapacity(events.count)
        var remaining = Self.maxFindings
        for range in events.ranges {
            let scanned = content.bytes.withUnsafeBytes { bytes in
                EventScanner.facts(of: bytes, in: range, receivedAt: receivedAt)
            }
            var facts: EventFacts
            if let scanned {
                facts = scanned
                plan?.judge(Self.value(of: content.bytes, range).value, remaining: remaining, into: &facts)
            } else {
                let (value, omitted) = Self.value(of: content.bytes, range)
                var event = JudgedEvent(value, receivedAt: receivedAt, maxListed: min(remaining, Rules.maxFindings))
                event.unlisted += omitted
                if let id = event.id, id.offset > 0 {
                    let string = range.lowerBound + id.offset - 1..<range.upperBound
                    event.id?.text = EventIdentifier.exact(id.text, in: content.bytes, string)
                }
                facts = content.facts(of: event, json: TextRange(range))
                plan?.judge(value, remaining: remaining, into: &facts)
            }
            remaining = max(0, remaining - facts.findings.count)
            content.append(facts)
        }
    }

    /// The part of an event that is judged, and the number of values beyond it.
    private static func value(of bytes: [UInt8], _ range: Range<Int>) -> (value: JSONValue, omitted: Int) {
        let parsed = bytes.withUnsafeBytes { bytes in
            // Cannot fail, as the range was found by a JSON parser. If it does, the event is stored as bad.
            try? JSONReader.parse(UnsafeRawBufferPointer(rebasing: bytes[range]), within: .event)
        }
        return parsed ?? (value: JSONValue(.null), omitted: 0)
    }
}
