#if os(Linux)
import ClickstreamAnalytics
import ClickstreamCore
import Glibc
import Testing

@Suite("Proxy settings", .timeLimit(.minutes(10)))
struct ProxySettingsTests {
    @Test(
        "follow the precedence of libcurl",
        arguments: [
            ([:], "", "", ""),
            (["http_proxy": "a", "https_proxy": "b", "no_proxy": "c"], "a", "b", "c"),
            (["HTTPS_PROXY": "b", "NO_PROXY": "c"], "", "b", "c"),
            (["https_proxy": "b", "HTTPS_PROXY": "x", "no_proxy": "c", "NO_PROXY": "x"], "", "b", "c"),
            // A CGI program's variable of that name is a header of its client.
            (["HTTP_PROXY": "x"], "", "", ""),
            (["all_proxy": "a"], "a", "a", ""), (["ALL_PROXY": "a"], "a", "a", ""),
            (["all_proxy": "a", "ALL_PROXY": "x"], "a", "a", ""),
            (["http_proxy": "a", "all_proxy": "b"], "a", "b", ""),
            (["https_proxy": "a", "ALL_PROXY": "b"], "b", "a", ""),
            // Empty variables count as absent.
            (["http_proxy": "", "all_proxy": "", "ALL_PROXY": "a", "no_proxy": "", "NO_PROXY": "c"], "a", "a", "c"),
            (["http_proxy": " \n", "all_proxy": "a\n", "HTTPS_PROXY": "\tb\r\n", "NO_PROXY": " c "], "a", "b", "c"),
        ] as [([String: String], String, String, String)]
    )
    func precedence(_ environment: [String: String], _ http: String, _ https: String, _ exceptions: String) {
        let settings = ProxySettings(environment: environment)
        #expect([settings.http, settings.https, settings.exceptions] == [http, https, exceptions])
    }

    private static let ok = RawServer.Answer.bytesThenClose(
        Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    )

    /// Request line that a server in this process receives, which is the proxy named PROXY of an environment, too.
    private static func requestLine(_ environment: [String: String], changing: () -> Void = {}) async throws -> String {
        let server = try RawServer([ok])
        defer { server.stop() }
        let proxy = "http://127.0.0.1:\(server.port)"
        let settings = ProxySettings(environment: environment.mapValues { $0 == "PROXY" ? proxy : $0 })
        let transport = try #require(CurlTransport(proxies: settings))
        changing()
        let request = UploadRequest(url: "\(proxy)/collect", headers: [], body: Array("[]".utf8))
        #expect(try await transport.send(request).status == 200)
        let line = try #require(server.requests.first).prefix { $0 != 0x0D }
        return String(decoding: line, as: UTF8.self).replacing(":\(server.port)", with: "")
    }

    @Test(
        "are what libcurl uses",
        arguments: [
            (["http_proxy": "PROXY"], true), (["all_proxy": "PROXY"], true), (["ALL_PROXY": "PROXY"], true),
            (["http_proxy": "PROXY", "no_proxy": "other.example"], true),
            (["http_proxy": "PROXY", "no_proxy": "127.0.0.1"], false),
            (["http_proxy": "PROXY", "NO_PROXY": "*"], false),
            (["https_proxy": "PROXY"], false), (["HTTP_PROXY": "PROXY"], false), ([:], false),
        ] as [([String: String], Bool)]
    )
    func use(_ environment: [String: String], _ isProxied: Bool) async throws {
        let line = try await Self.requestLine(environment)
        #expect(line == (isProxied ? "POST http://127.0.0.1/collect HTTP/1.1" : "POST /collect HTTP/1.1"))
    }

    @Test("are not changed by the environment after the creation of the transport")
    func laterEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            for (settings, line) in [
                ([:], "POST /collect HTTP/1.1"), (["http_proxy": "PROXY"], "POST http://127.0.0.1/collect HTTP/1.1"),
            ] as [([String: String], String)] {
                let received = try await ProxySettingsTests.requestLine(settings) {
                    // Port 1 refuses connections.
                    setenv("http_proxy", "http://127.0.0.1:1", 1)
                    setenv("no_proxy", "127.0.0.1", 1)
                }
                #expect(received == line)
            }
            unsetenv("no_proxy")
            #expect(try await ProxySettingsTests.requestLine([:]) == "POST /collect HTTP/1.1")
        }
    }
}
#endif
