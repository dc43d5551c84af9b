#if canImport(Darwin)
public import ClickstreamCore
import Foundation

/// HTTP transport of Apple platforms: URL loading with its TLS, proxies and keep-alive connections.
///
/// Keeps no state between requests except connections: no cookies, no cache, no credentials. Redirects are returned
/// like any other reply. Order and case of header names are the platform's, and it adds headers of its own (`Accept`,
/// `Accept-Encoding`, `Accept-Language`, `Connection`); if the server closes a keep-alive connection while it is being
/// reused, the platform may retry on a new one, or report the request as cut. Thread-safe.
public final class URLSessionTransport: ClickstreamClient.Transport {
    private let exchanges = Exchanges()
    /// Created by the first request; kept for the lifetime of this value.
    private let session = Locked<URLSession?>(nil)

    /// Creates a transport without open connections.
    public init() {}

    deinit {
        // The session retains its delegate until it is invalidated. Requests in flight are completed.
        session.withLock { $0 }?.finishTasksAndInvalidate()
    }

    /// Sends a request, and returns the server's reply.
    public func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        try await send(request, by: openSession())
    }

    private func openSession() -> URLSession {
        session.withLock { session in
            if let session { return session }
            let opened = URLSession(configuration: Self.configuration, delegate: exchanges, delegateQueue: nil)
            session = opened
            return opened
        }
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        // Timeouts are implemented here: the session has none until a connection.
        configuration.timeoutIntervalForRequest = 86_400
        configuration.timeoutIntervalForResource = 86_400
        return configuration
    }

    private func send(
        _ request: UploadRequest,
        by session: URLSession
    ) async throws(TransportError) -> UploadResponse {
        if Task.isCancelled { throw .cancelled }
        let urlRequest = try Self.urlRequest(request)
        let exchange = Exchange(request, to: urlRequest.url?.host ?? request.url)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard exchange.begin(continuation) else { return }
                let task = session.dataTask(with: urlRequest)
                exchanges.add(exchange, for: task)
                exchange.run(task)
            }
        } onCancel: {
            exchange.end(.failure(.cancelled))
        }
        return try result.get()
    }

    private static func urlRequest(_ request: UploadRequest) throws(TransportError) -> URLRequest {
        guard
            var parts = URLComponents(string: request.url), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https"
        else {
            throw .refused("not an http or https address: \(request.url)")
        }
        parts.scheme = scheme
        guard let host = parts.host, !host.isEmpty, (1...65_535).contains(parts.port ?? 80), let url = parts.url else {
            throw .refused("not the address of a server: \(request.url)")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpShouldHandleCookies = false
        if request.method == .post { urlRequest.httpBody = Data(request.body) }
        for header in request.headers {
            urlRequest.setValue(withoutLineBreaks(header.value), forHTTPHeaderField: header.name)
        }
        return urlRequest
    }

    /// Returns a header value with control characters replaced by spaces, which prevents header injection.
    private static func withoutLineBreaks(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 < 32 || $0 == 127 }) else { return value }
        return String(decoding: value.utf8.map { $0 < 32 || $0 == 127 ? 32 : $0 }, as: UTF8.self)
    }
}

/// State of one request, shared by the session's queue, timers and the caller's task.
private final class Exchange: Sendable {
    typealias Continuation = CheckedContinuation<Result<UploadResponse, TransportError>, Never>

    private enum Stage {
        /// Changed by `begin` or `end`.
        case new
        /// Changed by `end`.
        case running(Continuation)
        /// Final; a result that precedes `begin` is kept for it.
        case ended(Result<UploadResponse, TransportError>)
    }

    private struct State {
        var stage = Stage.new
        var task: URLSessionDataTask?
        var timer: (any ScheduledWork)?
        /// The timer that checks for inactivity.
        var idleTimer: (any ScheduledWork)?
        /// The time of the last activity, on the monotonic clock.
        var lastMove: Int64 = 0
        /// True once the connection is established: a part of the body was sent, or a reply received.
        var isConnected = false
        var head: HTTPURLResponse?
        var body: [UInt8] = []
    }

    private let time = SystemTime()
    // In milliseconds.
    private let connectTimeout: Int64
    private let requestTimeout: Int64
    private let idleTimeout: Int64
    private let isQuestion: Bool
    private let connectTimeoutError: TransportError
    private let state = Locked(State())

    init(_ request: UploadRequest, to host: String) {
        connectTimeout = request.connectTimeout.wholeMilliseconds
        requestTimeout = request.requestTimeout.wholeMilliseconds
        idleTimeout = max(0, request.idleTimeout.wholeMilliseconds)
        isQuestion = request.method == .get
        // Without a body, URL loading does not report that the connection is established.
        let hasBody = !isQuestion && !request.body.isEmpty
        connectTimeoutError = hasBody ? .unreached(host, within: connectTimeout) : .timedOut
    }

    /// Sets the caller's continuation.
    /// - Returns: `false` if the exchange has already ended; the continuation is then resumed.
    func begin(_ continuation: Continuation) -> Bool {
        let result: Result<UploadResponse, TransportError>? = state.withLock { state in
            if case .ended(let result) = state.stage { return result }
            state.stage = .running(continuation)
            return nil
        }
        if let result { continuation.resume(returning: result) }
        return result == nil
    }

    /// Starts the task, and its connect timeout.
    func run(_ task: URLSessionDataTask) {
        let timer = time.after(milliseconds: connectTimeout) { self.end(.failure(self.connectTimeoutError)) }
        let hasEnded = state.withLock { state in
            if case .ended = state.stage { return true }
            state.task = task
            state.timer = timer
            return false
        }
        guard !hasEnded else {
            timer.cancel()
            return task.cancel()
        }
        task.resume()
    }

    /// True after ``connected()``.
    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Reports activity; the first call replaces the connect timeout by the request timeout.
    func connected() {
        let now = time.now().steady
        let isNews = state.withLock { state in
            state.lastMove = now
            guard case .running = state.stage, !state.isConnected else { return false }
            state.isConnected = true
            return true
        }
        guard isNews else { return }
        let timer = time.after(milliseconds: requestTimeout) { self.end(.failure(.timedOut)) }
        let old: (any ScheduledWork)? = state.withLock { state in
            guard case .running = state.stage else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
        watchIdleness(after: idleTimeout)
    }

    /// Schedules the check for inactivity.
    private func watchIdleness(after milliseconds: Int64) {
        let timer = time.after(milliseconds: milliseconds) { self.endIfIdle() }
        let hasEnded = state.withLock { state in
            guard case .running = state.stage else { return true }
            state.idleTimer = timer
            return false
        }
        if hasEnded { timer.cancel() }
    }

    private func endIfIdle() {
        let lastMove = state.withLock { $0.lastMove }
        let left = idleTimeout - (time.now().steady - lastMove)
        if left > 0 { watchIdleness(after: left) } else { end(.failure(.timedOut)) }
    }

    func received(_ head: HTTPURLResponse) {
        state.withLock { $0.head = head }
        connected()
    }

    /// Appends to the body up to the limit; a longer body ends the exchange.
    func received(_ data: Data) {
        let now = time.now().steady
        let isEnough = state.withLock { state in
            state.lastMove = now
            let remaining = UploadResponse.bodyLimit - state.body.count
            state.body += data.prefix(remaining)
            return data.count > remaining
        }
        if isEnough { complete(nil) }
    }

    /// Completes the exchange with the reply received so far.
    /// - Parameter head: the session's head of the reply, used if none was reported before.
    func complete(_ head: HTTPURLResponse?) {
        let response: UploadResponse? = state.withLock { state in
            guard let head = state.head ?? head else { return nil }
            var response = UploadResponse(
                status: head.statusCode,
                retryAfter: head.value(forHTTPHeaderField: "Retry-After"),
                location: head.value(forHTTPHeaderField: "Location"),
                contentType: head.value(forHTTPHeaderField: "Content-Type"),
                body: state.body
            )
            if isQuestion { response.date = head.value(forHTTPHeaderField: "Date") }
            return response
        }
        end(response.map { .success($0) } ?? .failure(.cut("the server's reply was not HTTP")))
    }

    /// Ends the exchange; only the first result is used.
    func end(_ result: Result<UploadResponse, TransportError>) {
        let (continuation, timers, task): (Continuation?, [any ScheduledWork], URLSessionDataTask?) =
            state.withLock { state in
                if case .ended = state.stage { return (nil, [], nil) }
                var continuation: Continuation?
                if case .running(let running) = state.stage { continuation = running }
                state.stage = .ended(result)
                defer { (state.timer, state.idleTimer, state.task) = (nil, nil, nil) }
                let timers = [state.timer, state.idleTimer].compactMap { $0 }
                return (continuation, timers, state.task)
            }
        for timer in timers { timer.cancel() }
        // Has no effect on a completed task.
        task?.cancel()
        continuation?.resume(returning: result)
    }
}

/// Session delegate that dispatches callbacks to the exchanges. The session calls it on its own queue, in order.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        running.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(for task: URLSessionTask) -> Exchange? {
        running.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(for: task)?.connected()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(for: dataTask)?.received(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(for: dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod != NSURLAuthenticationMethodServerTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(.rejectProtectionSpace, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            exchange.end(.failure(TransportError(error, isConnected: exchange.isConnected)))
        } else {
            exchange.complete(task.response as? HTTPURLResponse)
        }
    }
}

extension TransportError {
    /// Maps an error of URL loading.
    /// - Parameter isConnected: true if a part of the request was sent.
    fileprivate init(_ error: any Error, isConnected: Bool) {
        let text = error.localizedDescription
        guard let code = (error as? URLError)?.code else {
            self = .cut(text)
            return
        }
        switch code {
        case .timedOut where isConnected:
            self = .timedOut
        case .cancelled:
            self = .cancelled
        case .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
            .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .refused(text)
        default:
            self = .cut(text)
        }
    }
}
#endif
