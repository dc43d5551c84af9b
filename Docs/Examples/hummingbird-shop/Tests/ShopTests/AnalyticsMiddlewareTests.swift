import ClickstreamServer
import Foundation
import Hummingbird
import Synchronization
import Testing

@testable import Shop

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// HTTP client without cookies and redirections of its own.
private final class Browser: NSObject, URLSessionTaskDelegate {
    struct Response {
        var status: Int
        var cookies: [String]
    }

    private let port: Int

    init(port: Int) { self.port = port }

    func execute(_ method: String = "GET", _ path: String, headers: [String: String]) async throws -> Response {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (_, response) = try await session.data(for: request)
        let reply = try #require(response as? HTTPURLResponse)
        // The shop sets at most one cookie in a response.
        let cookie = reply.value(forHTTPHeaderField: "Set-Cookie")
        return Response(status: reply.statusCode, cookies: cookie.map { [$0] } ?? [])
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
}

/// Events that a server recorded during a test.
private final class Recorded: Sendable {
    private let lines = Mutex<[[UInt8]]>([])

    func take(_ notice: Notice) {
        guard case .recorded(let name, _, let line, _) = notice, !name.hasPrefix("_") else { return }
        lines.withLock { $0.append(line) }
    }

    private var events: [[String: Any]] {
        lines.withLock { $0 }.map { line in
            (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] ?? [:]
        }
    }

    /// Names with the route and the bot, in the order of recording.
    var summary: [String] {
        events.map { event in
            let attributes = event["attributes"] as? [String: Any] ?? [:]
            return "\(event["event_type"] ?? "") \(attributes["route"] ?? "-") \(attributes["bot"] ?? "-")"
        }
    }

    /// Values of a field or attribute.
    func values(_ name: String) -> [String] {
        events.map { event in
            let attributes = event["attributes"] as? [String: Any] ?? [:]
            return "\(event[name] ?? attributes[name] ?? "nil")"
        }
    }
}

@Suite("Analytics of the shop over HTTP", .serialized)
struct AnalyticsMiddlewareTests {
    private static let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

    /// Starts the shop on a free port with a store of its own.
    private func withShop(_ body: (Browser, Recorded) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let recorded = Recorded()
        let events = try ServerEvents(
            ClickstreamConfiguration().withAppId("shop").withEndpoint("http://127.0.0.1:1/collect")
                .with(\.storageDirectory, folder.path),
            shards: 1,
            observe: { recorded.take($0) }
        )
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: shopRouter(events),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await port in ports {
                try await body(Browser(port: port), recorded)
                break
            }
            // Cancellation ends the server.
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
        events.terminate()
    }

    private func headers(cookie: String? = nil, agent: String = browser, gpc: Bool = false) -> [String: String] {
        var headers = ["Accept-Language": "de-DE,de;q=0.8", "User-Agent": agent]
        if let cookie { headers["Cookie"] = cookie }
        if gpc { headers["Sec-GPC"] = "1" }
        return headers
    }

    /// The visitor cookie that a response sets.
    private func visitor(_ response: Browser.Response) -> String? {
        let cookies = response.cookies.filter { $0.hasPrefix("visitor=") }
        return cookies.first.map { String($0.prefix { $0 != ";" }) }
    }

    @Test("records page views of one visitor, who is recognized by a cookie")
    func views() async throws {
        try await withShop { client, recorded in
            let first = try await client.execute("GET", "/", headers: headers(cookie: "consent=granted"))
            #expect(first.status == 200)
            let cookie = try #require(visitor(first))
            let both = headers(cookie: "consent=granted; \(cookie)")
            let second = try await client.execute("GET", "/product/42?q=secret", headers: both)
            #expect(visitor(second) == nil)
            let bought = try await client.execute("POST", "/cart/42", headers: both)
            #expect(bought.status == 303)
            #expect(recorded.summary == ["page_view / -", "page_view /product/{id} -", "add_to_cart - -"])
            let id = String(cookie.dropFirst("visitor=".count))
            #expect(recorded.values("device_id") == [id, id, id])
            #expect(recorded.values("locale") == ["de_DE", "de_DE", "de_DE"])
            #expect(recorded.values("_user_agent") == [Self.browser, Self.browser, Self.browser])
            #expect(recorded.values("_screen_name") == ["/", "/product/42", "/cart/42"])
        }
    }

    @Test(
        "records nothing and sets no cookie without permission",
        arguments: [(nil, false), ("consent=denied", false), ("consent=granted", true)] as [(String?, Bool)]
    )
    func permission(cookie: String?, gpc: Bool) async throws {
        try await withShop { client, recorded in
            let sent = headers(cookie: cookie, gpc: gpc)
            for path in ["/", "/product/1"] {
                let response = try await client.execute("GET", path, headers: sent)
                #expect(response.status == 200)
                #expect(visitor(response) == nil)
            }
            _ = try await client.execute("POST", "/cart/42", headers: sent)
            #expect(recorded.summary == [])
        }
    }

    @Test("removes the visitor cookie after a withdrawal of consent")
    func withdrawal() async throws {
        try await withShop { client, recorded in
            let sent = headers(cookie: "consent=denied; visitor=\(VisitorCookie.newID())")
            let response = try await client.execute("GET", "/", headers: sent)
            #expect(visitor(response) == "visitor=")
            #expect(recorded.summary == [])
        }
    }

    @Test("stores a decision in the consent cookie")
    func decision() async throws {
        try await withShop { client, _ in
            let response = try await client.execute("POST", "/consent/granted", headers: headers())
            #expect(response.cookies.contains { $0.hasPrefix("consent=granted") })
        }
    }

    @Test("ignores health checks, failures, and requests for unknown pages")
    func ignored() async throws {
        try await withShop { client, recorded in
            let sent = headers(cookie: "consent=granted")
            for path in ["/health", "/unknown", "/product/x"] {
                _ = try await client.execute("GET", path, headers: sent)
            }
            #expect(recorded.summary == [])
        }
    }

    @Test(
        "marks bots, with one device id for all requests of a bot",
        arguments: [("Mozilla/5.0 (compatible; Googlebot/2.1)", "googlebot"), ("curl/8.5.0", "curl")]
    )
    func bots(agent: String, name: String) async throws {
        try await withShop { client, recorded in
            for _ in 0..<2 {
                let response = try await client.execute("GET", "/", headers: headers(agent: agent))
                #expect(visitor(response) == nil)
            }
            #expect(recorded.summary == ["page_view / \(name)", "page_view / \(name)"])
            #expect(recorded.values("device_id") == ["bot-\(name)", "bot-\(name)"])
        }
    }

    @Test("replaces a visitor cookie that it has not set", arguments: ["x", String(repeating: "Z", count: 32)])
    func forged(value: String) async throws {
        try await withShop { client, recorded in
            let sent = headers(cookie: "consent=granted; visitor=\(value)")
            let response = try await client.execute("GET", "/", headers: sent)
            let cookie = try #require(visitor(response))
            #expect(cookie != "visitor=\(value)")
            #expect(recorded.values("device_id") == [String(cookie.dropFirst("visitor=".count))])
        }
    }
}
