#if Collector
import ClickstreamCore
import ClickstreamJudges
import Dispatch
import HTTPTypes
import HummingbirdCore

/// Endpoint for events of all formats. Replies like the published server: 200 to each stored request, even if its body is unreadable.
struct Ingestion: Sendable {
    let configuration: CollectorConfiguration
    let crossOrigin: CrossOrigin
    let hosts: AllowedHosts
    let writer: IngestionWriter
    let decoder: UploadDecoder
    let admission: Admission
    /// Bytes of JSON text up to which a body is small, and above which it is large.
    let smallBytes: Int
    let largeBytes: Int
    let time: any TimeSource
    let ids: any IDSource

    /// Rejection by the rules of the published load balancer, before the request is processed; `nil` for none.
    func refusal(of request: Request, _ target: RequestTarget) -> Reply? {
        if let refusal = refusal(ofApp: target) { return refusal }
        if isPreflight(request) { return nil }
        if CapturedFormat.captured(at: target.path) != nil, request.method != .post {
            return .notAllowed([.post], "\(target.path) requires POST")
        }
        if let cookie = configuration.authCookie, !Self.holds(request.headers[.cookie], cookie) {
            return .text(.unauthorized, "Unauthorized")
        }
        return Self.encoding(of: request) == nil
            ? .text(.unsupportedMediaType, "Unsupported Content-Encoding: only gzip, or none")
            : nil
    }

    /// Rejection by app id, which captured events do not have, and which the load balancer checks for `/ping`, too.
    func refusal(ofApp target: RequestTarget) -> Reply? {
        accepts(target["appId"], CapturedFormat.captured(at: target.path)) ? nil : .refused
    }

    /// True if requests with an app id, or events in a captured format, are accepted.
    func accepts(_ app: @autoclosure () -> String?, _ form: @autoclosure () -> CapturedFormat?) -> Bool {
        configuration.appIDs.isEmpty || form() != nil || configuration.appIDs.contains(app() ?? "")
    }

    func take(_ request: Request, target: RequestTarget, body: [UInt8], peer: String?) async -> Reply {
        let allowance = crossOrigin.headers(for: request.headers[.origin]) ?? [:]
        if isPreflight(request) { return Reply(.noContent, headers: allowance) }

        let envelope = envelope(of: request, target, body: body, peer: peer)
        guard let (upload, share) = await read(envelope) else { return .overloaded }
        defer { admission.endStoring(share) }
        do {
            try await writer.take(upload)
        } catch let error as CollectorError {
            return .text(.internalServerError, "Error delivering contents to sink: \(error)")
        } catch {
            return .text(
                .internalServerError,
                "Error delivering contents to sink: the store cannot be written (\(Store.reason(of: error)))"
            )
        }
        var headers = allowance
        headers[.contentType] = "text/plain"
        headers[.requestID] = envelope.id
        return Reply(.ok, headers: headers)
    }

    /// Decodes a body within its reserved memory, once that is free.
    /// - Returns: `nil` if no memory became free in time.
    func read(_ envelope: Envelope) async -> (Upload, Admission.Share)? {
        let claimed = decoder.claimedBytes(of: envelope)
        if claimed <= largeBytes {
            // Enough for the text and for the facts of events of ordinary length.
            let isSmall = claimed <= smallBytes
            let lane: Admission.Lane = isSmall ? .small : .medium
            guard var share = await admission.beginReading(6 * claimed + 65_536, in: lane) else { return nil }
            let memory = share.bytes
            let read = { @Sendable [decoder] in decoder.decode(envelope, within: memory) }
            let upload = await isSmall ? read() : aside(Self.medium, read)
            if let upload {
                admission.endReading(&share, keeping: upload.content.memory)
                return (upload, share)
            }
            admission.endReading(&share, keeping: 0)
        }
        guard var share = await admission.beginReading(decoder.inflationLimit, in: .large) else { return nil }
        let upload = await aside(Self.large) { [decoder] in decoder.decode(envelope) }
        admission.endReading(&share, keeping: upload.content.memory)
        return (upload, share)
    }

    private static let medium = DispatchQueue(
        label: "ClickstreamCollector.medium",
        qos: .utility,
        attributes: .concurrent
    )
    private static let large = DispatchQueue(label: "ClickstreamCollector.large", qos: .utility)

    /// Runs long work on a dispatch queue, not on the threads shared by all requests.
    private func aside<Value: Sendable>(
        _ queue: DispatchQueue,
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { (done: CheckedContinuation<Value, Never>) in
            queue.async { done.resume(returning: work()) }
        }
    }

    /// True for a CORS preflight request of an allowed origin, which carries no events.
    func isPreflight(_ request: Request) -> Bool {
        request.method == .options && crossOrigin.headers(for: request.headers[.origin]) != nil
    }

    private func envelope(of request: Request, _ target: RequestTarget, body: [UInt8], peer: String?) -> Envelope {
        Envelope(
            id: ids.next().hexadecimal,
            receivedAt: time.now().wall,
            method: request.method.rawValue,
            uri: request.uri.string,
            path: target.path,
            appID: target["appId"],
            platform: target["platform"],
            compression: target["compression"],
            fakeIP: target["fakeIp"],
            bundleSequenceID: target["event_bundle_sequence_id"].flatMap { Int64($0) },
            uploadTimestamp: target["upload_timestamp"],
            hashCode: target["hashCode"],
            userAgent: request.headers[.userAgent],
            ip: request.headers[.forwardedFor] ?? peer,
            body: body,
            isContentEncoded: Self.encoding(of: request) == .gzip,
            form: CapturedFormat.captured(at: target.path),
            partition: target["partition"].map { AuditContent.cut($0) }
        )
    }

    // MARK: - Headers

    private enum Encoding {
        case identity
        case gzip
    }

    /// Content encoding of the body; `nil` if it is not supported.
    private static func encoding(of request: Request) -> Encoding? {
        switch request.headers[.contentEncoding]?.lowercased() {
        case nil, "", "identity": .identity
        case "gzip", "x-gzip": .gzip
        default: nil
        }
    }

    /// True if a `cookie` header equals the required one, or contains all of its parts, in any order, as sent by
    /// browsers. Constant-time comparison.
    private static func holds(_ header: String?, _ cookie: String) -> Bool {
        guard let header else { return false }
        let held = parts(of: header)
        let wanted = parts(of: cookie)
        var holdsAll = !wanted.isEmpty
        for part in wanted {
            var isHeld = false
            for other in held { isHeld = isSame(other, part) || isHeld }
            holdsAll = isHeld && holdsAll
        }
        return isSame(Array(header.utf8), Array(cookie.utf8)) || holdsAll
    }

    private static func parts(of cookie: String) -> [[UInt8]] {
        cookie.split(separator: ";").map { Array($0.utf8.drop { $0 == UInt8(ascii: " ") }) }.filter { !$0.isEmpty }
    }

    /// Comparison in a time that depends on the lengths only.
    private static func isSame(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
        var difference = text.count ^ wanted.count
        for index in text.indices {
            difference |= Int(text[index] ^ (wanted.isEmpty ? 0 : wanted[index % wanted.count]))
        }
        return difference == 0
    }
}

extension Reply {
    /// Reply to a request for which no memory is available.
    static let overloaded = {
        var reply = Reply.text(.serviceUnavailable, "The collector is overloaded; retry later")
        reply.headers[.retryAfter] = "1"
        return reply
    }()
}

extension UniqueID {
    /// The 32 lower-case hexadecimal digits.
    var hexadecimal: String {
        description.filter { $0 != "-" }.lowercased()
    }
}
#endif
