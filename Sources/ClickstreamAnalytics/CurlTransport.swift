#if os(Linux)
import CClickstreamCurl
package import ClickstreamCore
import Foundation

/// Sends requests over HTTP/1.1 by libcurl, with TLS and proxies, without URL loading.
///
/// On Linux, because Foundation, which sends by the same libcurl, traps there on replies that end within their head. Each
/// request has a thread of its own; one connection is kept for the next request, and replaced once the server has closed it.
/// A request whose kept connection ends just then is cut, never sent twice; after two of them the next ones have connections of their own.
/// Certificates and host names are always checked; the proxies are those of the environment.
package final class CurlTransport: Transport {
    /// Keeps the connection. One thread at a time has it, out of the lock.
    private let idle: Locked<Curl?>
    private let roots: String?

    /// - Parameter roots: a file with the certificates to trust instead of the system's.
    /// - Returns: `nil` where there is no libcurl, as in a program that is linked statically.
    package init?(roots: String? = nil) {
        guard let curl = Curl() else { return nil }
        OrderlyEnd.process.coverAgain()
        idle = Locked(curl)
        self.roots = roots
    }

    package func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        guard let address = ServerAddress(request.url) else {
            throw .refused("not an http or https address of a server: \(request.url)")
        }
        return try await BlockingCall.run(connectTimeout: request.connectTimeout) { call in
            guard let curl = self.idle.withLock({ $0.take() }) ?? Curl() else {
                return call.end(.failure(.refused("libcurl gives no handle")))
            }
            var outcome: BlockingCall.Outcome?
            if call.hold({ curl.wake() }) {
                outcome = CurlExchange(request, curl, call).outcome(address.url, roots: self.roots)
                call.release()
                curl.finish()
            }
            // Before the sender goes on: the next request is to find the connection.
            self.idle.withLock { $0 = $0 ?? curl }
            if let outcome { call.end(outcome) }
        }
    }
}

/// A handle of libcurl's with its connection.
private final class Curl: @unchecked Sendable {
    // One thread at a time has it, except for waking it, which libcurl lets any thread do.
    fileprivate let handle: OpaquePointer
    /// Requests in a row that were lost with a kept connection.
    fileprivate var losses = 0
    /// Number of requests that are to have connections of their own, because kept ones were lost.
    fileprivate var requestsAlone = 0

    init?() {
        guard let handle = clickstream_curl_open() else { return nil }
        self.handle = handle
    }

    deinit {
        clickstream_curl_close(handle)
    }

    func wake() {
        clickstream_curl_wake(handle)
    }

    func finish() {
        clickstream_curl_finish(handle)
    }
}

/// One request and what has come of it. A class: libcurl keeps its address.
private final class CurlExchange {
    /// Requests with connections of their own after two kept connections were lost under a request: some servers close
    /// without notice after each reply.
    private static let requestsAlone = 100

    private let request: UploadRequest
    private let curl: Curl
    private let call: BlockingCall
    private var sent = 0
    private var response = UploadResponse(status: 0)
    private var hasHead = false
    /// True if the request was lost with a connection that had been kept.
    private var hasLostConnection = false

    init(_ request: UploadRequest, _ curl: Curl, _ call: BlockingCall) {
        self.request = request
        self.curl = curl
        self.call = call
    }

    private var handle: OpaquePointer { curl.handle }

    func outcome(_ url: String, roots: String?) -> BlockingCall.Outcome {
        let outcome = exchange(url, roots: roots)
        if hasLostConnection {
            curl.losses += 1
            // One alone may be chance.
            if curl.losses > 1 { curl.requestsAlone = Self.requestsAlone }
        } else if curl.requestsAlone > 0 {
            curl.requestsAlone -= 1
        } else if clickstream_curl_is_reused(handle) != 0 {
            curl.losses = 0
        }
        return outcome
    }

    private func exchange(_ url: String, roots: String?) -> BlockingCall.Outcome {
        let code = start(url, roots)
        guard code == 0 else { return .failure(.refused(words(code))) }
        var end: ContinuousClock.Instant?
        var idleEnd = ContinuousClock.now
        while true {
            let code = clickstream_curl_step(handle)
            if code >= 0 { return outcome(code, isConnected: end != nil || isConnected) }
            if end == nil, isConnected {
                call.connected()
                end = .after(milliseconds: request.requestTimeout)
                idleEnd = .after(milliseconds: request.idleTimeout)
            }
            if call.hasEnded { return .failure(.cancelled) }
            let rest = end.map { min($0, idleEnd).millisecondsLeft } ?? 86_400_000
            if rest == 0 { return .failure(.timedOut) }
            if clickstream_curl_wait(handle, rest) != 0 { idleEnd = .after(milliseconds: request.idleTimeout) }
        }
    }

    private func start(_ url: String, _ roots: String?) -> Int32 {
        // What libcurl would add by itself.
        var lines = ["accept:", "expect:"]
        if !request.headers.contains(where: { $0.name == "content-type" }) { lines.append("content-type:") }
        for header in request.headers {
            let value = Self.withoutControls(header.value).trimmingCharacters(in: .whitespaces)
            // A name with a colon and nothing after it would leave the header out.
            lines.append(Self.withoutControls(header.name) + (value.isEmpty ? ";" : ": " + value))
        }
        for line in lines where clickstream_curl_add_header(handle, line) == 0 { return 27 }
        return url.withCString { url in
            withOptional(roots) { roots in
                var post = clickstream_curl_post(
                    url: url,
                    body_count: request.method == .get ? -1 : Int64(request.body.count),
                    roots: roots,
                    is_alone: curl.requestsAlone > 0 ? 1 : 0,
                    context: Unmanaged.passUnretained(self).toOpaque(),
                    body: { bytes, size, count, context in
                        CurlExchange.of(context).send(
                            to: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                        )
                    },
                    reply_line: { bytes, size, count, context in
                        CurlExchange.of(context).receive(
                            line: UnsafeRawBufferPointer(start: bytes, count: size * count)
                        )
                    },
                    reply_body: { bytes, size, count, context in
                        CurlExchange.of(context).receive(
                            body: UnsafeRawBufferPointer(start: bytes, count: size * count)
                        )
                    }
                )
                return clickstream_curl_start(handle, &post)
            }
        }
    }

    /// A header that cannot end its line and smuggle in another.
    private static func withoutControls(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 32 || $0 == 127 ? 32 : $0 }, as: UTF8.self)
    }

    private func withOptional<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        text.map { $0.withCString(body) } ?? body(nil)
    }

    private var isConnected: Bool { sent > 0 || hasHead || clickstream_curl_is_connected(handle) != 0 }

    private func words(_ code: Int32) -> String { String(cString: clickstream_curl_words(handle, code)) }

    /// What it means that libcurl is done with number `code`.
    private func outcome(_ code: Int32, isConnected: Bool) -> BlockingCall.Outcome {
        // 65: libcurl would send the body again, on a new connection.
        hasLostConnection =
            code == 65 || isConnected && response.status == 0 && clickstream_curl_is_reused(handle) != 0
        return switch code {
        // 23: the body has been refused when there was enough of it.
        case 0 where hasHead, 23 where response.body.count == UploadResponse.bodyLimit: .success(response)
        // The system's own time-outs.
        case 28: .failure(.timedOut)
        case 35 where isPlainHTTP: .failure(.refused(plainHTTPAdvice))
        case _ where !isConnected: .failure(.refused(words(code)))
        // libcurl finds nothing wrong with a head that is cut.
        case 0: .failure(.cut("the server closed the connection"))
        default: .failure(.cut(words(code)))
        }
    }

    /// True if the TLS handshake failed because the server's first bytes were not TLS. libcurl has one number for all
    /// failed handshakes; its text begins with OpenSSL's number for this one.
    private var isPlainHTTP: Bool {
        let text = words(35)
        return text.contains("0A00010B") || text.contains("1408F10B") || text.contains("wrong version number")
    }

    private var plainHTTPAdvice: String {
        let parts = request.url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        let rest = parts.count == 3 ? parts[2].prefix { $0 != "?" } : ""
        return "\(rest.prefix { $0 != "/" }) does not speak TLS; try http://\(rest)"
    }

    // MARK: - Called by libcurl

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
        guard let context else { preconditionFailure("Invalid state: a call of libcurl's without what it was given") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    private func send(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, request.body.count - sent)
        buffer.copyBytes(from: request.body[sent..<(sent + count)])
        sent += count
        return count
    }

    private func receive(line bytes: UnsafeRawBufferPointer) -> Int {
        let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // What comes after the body is of no interest.
        guard !hasHead else { return bytes.count }
        if line.isEmpty {
            // The real reply follows an interim one.
            hasHead = response.status >= 200
        } else if line.hasPrefix("HTTP/") {
            response = UploadResponse(status: line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            switch line[..<colon].lowercased() {
            case "retry-after": response.retryAfter = value
            case "location": response.location = value
            case "date" where request.method == .get: response.date = value
            default: break
            }
        }
        return bytes.count
    }

    /// Keeps the body's beginning, and ends the request once that is full.
    private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        response.body += bytes.prefix(UploadResponse.bodyLimit - response.body.count)
        return response.body.count < UploadResponse.bodyLimit ? bytes.count : 0
    }
}
#endif
