#if os(Linux)
import CClickstreamSystem
package import ClickstreamCore

/// HTTP/1.1 transport based on libcurl, with TLS and proxies.
///
/// Each request runs on a thread of its own; one keep-alive connection is reused, and replaced once the
/// server has closed it. A request whose reused connection is closed fails as cut and is never sent twice; after two
/// such failures the next requests use new connections. Certificates and host names are always verified. The environment
/// is read at the creation only.
package final class CurlTransport: ClickstreamClient.Transport {
    /// The handle with the keep-alive connection. A thread removes it while using it.
    private let idle: Locked<Curl?>
    private let roots: String?
    private let proxies: ProxySettings

    /// - Parameter roots: a file with trusted certificates that replaces the system's.
    /// - Returns: `nil` if libcurl is neither installed nor linked into the program.
    package init?(roots: String? = nil, proxies: ProxySettings = ProxySettings()) {
        guard let curl = Curl() else { return nil }
        GracefulShutdown.process.coverAgain()
        idle = Locked(curl)
        self.roots = roots
        self.proxies = proxies
    }

    package func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        guard let address = ServerAddress(request.url) else {
            throw .refused("not an http or https address of a server: \(request.url)")
        }
        return try await BlockingCall<UploadResponse>.run(
            to: address.authority,
            connectTimeout: request.connectTimeout.wholeMilliseconds
        ) { call in
            guard let curl = self.idle.withLock({ $0.take() }) ?? Curl() else {
                return call.end(.failure(.refused("libcurl gives no handle")))
            }
            var outcome: BlockingCall<UploadResponse>.Outcome?
            if call.hold({ curl.wake() }) {
                let exchange = CurlExchange(request, curl, call, self.proxies, isSecure: address.scheme == "https")
                outcome = exchange.outcome(address.url, roots: self.roots)
                call.release()
                curl.finish()
            }
            // Returned before the call ends, so that the next request finds the connection.
            self.idle.withLock { $0 = $0 ?? curl }
            if let outcome { call.end(outcome) }
        }
    }
}

/// libcurl handle with its connection.
private final class Curl: @unchecked Sendable {
    // Used by one thread at a time, except for waking, which libcurl allows from any thread.
    fileprivate let handle: OpaquePointer
    /// The number of consecutive requests that failed with a reused connection.
    fileprivate var losses = 0
    /// The number of further requests that use new connections, because reused ones failed.
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

/// State of one request. A class, because libcurl keeps its address.
private final class CurlExchange {
    /// The number of requests with new connections after two reused connections failed: some servers close connections
    /// without notice after each reply.
    private static let requestsAlone = 100

    private let request: UploadRequest
    private let curl: Curl
    private let call: BlockingCall<UploadResponse>
    /// The proxy for this request, and the hosts that are reached without it; empty for none.
    private let proxy: String
    private let exceptions: String
    private var sent = 0
    private var response = UploadResponse(status: 0)
    private var hasHead = false
    /// The name of the last header, in lower case.
    private var lastHeader = ""
    /// True if the request failed with a reused connection.
    private var hasLostConnection = false

    init(
        _ request: UploadRequest,
        _ curl: Curl,
        _ call: BlockingCall<UploadResponse>,
        _ proxies: ProxySettings,
        isSecure: Bool
    ) {
        self.request = request
        self.curl = curl
        self.call = call
        proxy = isSecure ? proxies.https : proxies.http
        exceptions = proxies.exceptions
    }

    private var handle: OpaquePointer { curl.handle }

    func outcome(_ url: String, roots: String?) -> BlockingCall<UploadResponse>.Outcome {
        let outcome = exchange(url, roots: roots)
        if hasLostConnection {
            curl.losses += 1
            // A single failure may be coincidence.
            if curl.losses > 1 { curl.requestsAlone = Self.requestsAlone }
        } else if curl.requestsAlone > 0 {
            curl.requestsAlone -= 1
        } else if clickstream_curl_is_reused(handle) != 0 {
            curl.losses = 0
        }
        return outcome
    }

    private func exchange(_ url: String, roots: String?) -> BlockingCall<UploadResponse>.Outcome {
        let code = start(url, roots)
        guard code == 0 else { return .failure(.refused(words(code))) }
        var end: ContinuousClock.Instant?
        var idleEnd = ContinuousClock.now
        while true {
            let code = clickstream_curl_step(handle)
            if code >= 0 { return outcome(code, isConnected: end != nil || isConnected) }
            if end == nil, isConnected {
                call.stopConnectTimer()
                end = .after(request.requestTimeout)
                idleEnd = .after(request.idleTimeout)
            }
            if call.hasEnded { return .failure(.cancelled) }
            let rest = end.map { min($0, idleEnd).millisecondsLeft } ?? 86_400_000
            if rest == 0 { return .failure(.timedOut) }
            if clickstream_curl_wait(handle, rest) != 0 { idleEnd = .after(request.idleTimeout) }
        }
    }

    private func start(_ url: String, _ roots: String?) -> Int32 {
        // Headers that libcurl would add.
        var lines = ["accept:", "expect:"]
        if !request.headers.contains(where: { $0.name == "content-type" }) { lines.append("content-type:") }
        for header in request.headers {
            let value = Self.withoutControls(header.value).trimmed(\.isBlank)
            // With a colon and no value, libcurl would omit the header.
            lines.append(Self.withoutControls(header.name) + (value.isEmpty ? ";" : ": " + value))
        }
        for line in lines where clickstream_curl_add_header(handle, line) == 0 { return 27 }
        return withStrings(url, roots) { url, roots, proxy, exceptions in
            var post = clickstream_curl_post(
                url: url,
                proxy: proxy,
                no_proxy: exceptions,
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

    /// Returns text without control characters, which prevents header injection.
    private static func withoutControls(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 < 32 || $0 == 127 ? 32 : $0 }, as: UTF8.self)
    }

    /// Calls `body` with the URL, the file of roots, the proxy and its exceptions.
    private func withStrings<Result>(
        _ url: String,
        _ roots: String?,
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
    ) -> Result {
        url.withCString { url in
            proxy.withCString { proxy in
                exceptions.withCString { exceptions in
                    roots.map { $0.withCString { body(url, $0, proxy, exceptions) } }
                        ?? body(url, nil, proxy, exceptions)
                }
            }
        }
    }

    private var isConnected: Bool { sent > 0 || hasHead || clickstream_curl_is_connected(handle) != 0 }

    private func words(_ code: Int32) -> String { String(cString: clickstream_curl_words(handle, code)) }

    /// Maps libcurl's result `code` to the outcome of the request.
    private func outcome(_ code: Int32, isConnected: Bool) -> BlockingCall<UploadResponse>.Outcome {
        // 65: libcurl would send the body again on a new connection.
        hasLostConnection =
            code == 65 || isConnected && response.status == 0 && clickstream_curl_is_reused(handle) != 0
        return switch code {
        // 23: the body was rejected after the limit was reached.
        case 0 where hasHead, 23 where response.body.count == UploadResponse.bodyLimit: .success(response)
        case 35 where isPlainHTTP: .failure(.refused(plainHTTPAdvice))
        case _ where !isConnected: .failure(.refused(words(code)))
        // The system's own timeouts.
        case 28: .failure(.timedOut)
        // libcurl reports no error for an incomplete head.
        case 0: .failure(.cut("the server closed the connection"))
        default: .failure(.cut(words(code)))
        }
    }

    /// True if the TLS handshake failed because the server's reply was not TLS. libcurl has one code for all failed
    /// handshakes; its text begins with the OpenSSL code for this one.
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
        let line = String(decoding: bytes, as: UTF8.self).trimmed { $0.isBlank || $0.isLineBreak }
        // Trailers after the body are ignored.
        guard !hasHead else { return bytes.count }
        if line.isEmpty {
            // An interim reply is followed by the final one.
            hasHead = response.status >= 200
        } else if line.hasPrefix("HTTP/") {
            response = UploadResponse(status: line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        } else if bytes.first == UInt8(ascii: " ") || bytes.first == UInt8(ascii: "\t") {
            // A folded line continues the header before it.
            if lastHeader == "content-type" { response.take(line, ofHeader: lastHeader) }
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmed(\.isBlank)
            lastHeader = line[..<colon].trimmed(\.isBlank).lowercased()
            response.take(value, ofHeader: lastHeader)
            switch lastHeader {
            case "date" where request.method == .get: response.date = value
            default: break
            }
        }
        return bytes.count
    }

    /// Appends to the body up to the limit, then ends the request.
    private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        response.body += bytes.prefix(UploadResponse.bodyLimit - response.body.count)
        return response.body.count < UploadResponse.bodyLimit ? bytes.count : 0
    }
}
#endif
