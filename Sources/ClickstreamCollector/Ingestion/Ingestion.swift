#if Tools
import ClickstreamCore
import Dispatch
import HTTPTypes
import HummingbirdCore

/// Takes what apps send, and answers as the published server does: 200 to whatever could be stored, readable or not.
struct Ingestion: Sendable {
    let configuration: CollectorConfiguration
    let crossOrigin: CrossOrigin?
    let hosts: Hosts
    let intake: IngestionWriter
    let decoder: UploadDecoder
    let admission: Admission
    /// Bytes of text up to which a body is small, and from which it is large.
    let smallBytes: Int
    let largeBytes: Int
    let time: any TimeSource
    let ids: any IDSource

    /// What the published load balancer turns away before any server sees it.
    func refusal(of request: Request, _ target: RequestTarget) -> Reply? {
        if let refusal = refusal(ofApp: target) { return refusal }
        if isPreflight(request) { return nil }
        if let cookie = configuration.authCookie, !Self.holds(request.headers[.cookie], cookie) {
            return .text(.unauthorized, "Unauthorized")
        }
        return Self.encoding(of: request) == nil
            ? .text(.unsupportedMediaType, "Unsupported Content-Encoding: only gzip, or none")
            : nil
    }

    /// The same for the app id alone, which the load balancer looks at on `/ping` too.
    func refusal(ofApp target: RequestTarget) -> Reply? {
        let isKnown = configuration.appIDs.isEmpty || configuration.appIDs.contains(target["appId"] ?? "")
        return isKnown ? nil : .refused
    }

    func take(_ request: Request, target: RequestTarget, body: [UInt8], peer: String?) async -> Reply {
        let allowance = crossOrigin?.headers(for: request.headers[.origin]) ?? [:]
        if isPreflight(request) { return Reply(.noContent, headers: allowance) }

        let envelope = envelope(of: request, target, body: body, peer: peer)
        guard let (upload, share) = await read(envelope) else { return .crowdedOut }
        defer { admission.endStoring(share) }
        do {
            try await intake.take(upload)
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

    /// Reads a body within its share of the memory, once that is free.
    /// - Returns: `nil` if no share became free in time.
    private func read(_ envelope: Envelope) async -> (Upload, Admission.Share)? {
        let claimed = decoder.claimedBytes(of: envelope)
        if claimed <= largeBytes {
            // Six times the text is enough for it and for the facts of events of ordinary length.
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

    /// Runs what takes long on a thread of its own, not on those that all requests share.
    private func aside<Value: Sendable>(
        _ queue: DispatchQueue,
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { (done: CheckedContinuation<Value, Never>) in
            queue.async { done.resume(returning: work()) }
        }
    }

    /// Whether a page of an origin that fits asks if it may send: that delivers nothing.
    func isPreflight(_ request: Request) -> Bool {
        request.method == .options && crossOrigin?.headers(for: request.headers[.origin]) != nil
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
            isContentEncoded: Self.encoding(of: request) == .gzip
        )
    }

    // MARK: - Headers

    private enum Encoding {
        case identity
        case gzip
    }

    /// How the body is encoded; `nil` for a way that is not known here.
    private static func encoding(of request: Request) -> Encoding? {
        switch request.headers[.contentEncoding]?.lowercased() {
        case nil, "", "identity": .identity
        case "gzip", "x-gzip": .gzip
        default: nil
        }
    }

    /// Whether a `cookie` header is the one asked for, or has it among its parts: all of its parts, where it has several, in
    /// any order, as browsers send them. What it costs tells nothing of it.
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

    /// Compares in a time that depends on the lengths alone.
    private static func isSame(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
        var difference = text.count ^ wanted.count
        for index in text.indices {
            difference |= Int(text[index] ^ (wanted.isEmpty ? 0 : wanted[index % wanted.count]))
        }
        return difference == 0
    }
}

extension Reply {
    /// The answer to a request for which there is no memory at the moment.
    static let crowdedOut = {
        var reply = Reply.text(.serviceUnavailable, "Too much is coming in at once: send again")
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
