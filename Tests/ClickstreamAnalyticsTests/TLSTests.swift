#if os(Linux)
import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

/// A real TLS server with a certificate of its own making, in front of the real transport.
@Suite("A server with TLS", .enabled(if: TLSServer.isPossible), .timeLimit(.minutes(1)))
struct TLSTests {
    private static func request(_ port: Int) -> UploadRequest {
        UploadRequest(
            url: "https://localhost:\(port)/collect",
            headers: [UploadRequest.Header("content-type", "application/json")],
            body: Array("[]".utf8)
        )
    }

    @Test("whose certificate nobody vouches for is refused, and says so; its events are kept")
    func untrusted() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        do throws(TransportError) {
            let response = try await URLSessionTransport().send(Self.request(server.port))
            Issue.record("no error, but \(response)")
        } catch {
            guard case .refused(let reason) = error else {
                Issue.record("not refused, but \(error)")
                return
            }
            #expect(reason.lowercased().contains("certificate"), "\(reason)")
        }
        var doors = ClickstreamClient.Doors(
            time: SystemTime(),
            ids: SeededIDs(seed: 1),
            files: MemoryFileSystem(),
            transport: URLSessionTransport()
        )
        doors.deliveryTime = SystemTime()
        let client = try ClickstreamClient(
            configuration: Configuration(appID: "shop", endpoint: Self.request(server.port).url),
            device: Device(platform: "Linux", osVersion: "6.1", app: Device.App(version: "1.0")),
            storage: "/data",
            doors: doors
        )
        let report = await client.flush()
        #expect((report.sent, report.retained, report.attempts) == (0, 3, 1))
        #expect(report.lastError?.lowercased().contains("certificate") == true, "\(report)")
        client.kill()
    }
}

/// A server of Python's, with a certificate for `localhost` that it signed itself.
private struct TLSServer {
    /// Whether this machine has what it takes.
    static let isPossible = run(["openssl", "version"]) && run(["python3", "-c", "import ssl"])

    private static let program = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers['content-length']))
                self.send_response(204)
                self.end_headers()
            def log_message(self, *arguments): pass
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1] + '/cert.pem', sys.argv[1] + '/key.pem')
        server = http.server.ThreadingHTTPServer(('localhost', 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    let port: Int
    let certificate: String
    private let folder: URL
    private let process = Process()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.path + "/cert.pem"
        let made = Self.run([
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", folder.path + "/key.pem", "-out", certificate,
        ])
        try #require(made, "openssl makes no certificate")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, folder.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while !line.contains(10) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        port = try #require(Int(text), "the server says \(text)")
    }

    func stop() {
        // Not waited for: the tests that run processes of their own may reap it first.
        process.terminate()
        try? FileManager.default.removeItem(at: folder)  // best effort: the system clears it too
    }

    private static func run(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let end = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in end.signal() }
        do {
            try process.run()
        } catch {
            return false
        }
        // As above: the status is what its end says, which comes however that is noticed.
        return end.wait(timeout: .now() + 20) == .success && process.terminationStatus == 0
    }
}
#endif
