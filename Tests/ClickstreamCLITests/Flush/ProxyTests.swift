#if os(Linux)
import ClickstreamCore
import Foundation
import Glibc
import Testing

/// The command line where the environment names a proxy, which it then trusts with every request.
@Suite("flush through a proxy", .timeLimit(.minutes(10)))
struct ProxyTests {
    /// Sends every request the reply in its arguments, prints the request line, and ends the connection.
    private static let program = """
        import socket, sys
        listener = socket.create_server(('127.0.0.1', 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection = listener.accept()[0]
            data = connection.recv(65536)
            if data.startswith(b'POST'):
                head, body = data.split(b'\\r\\n\\r\\n', 1)
                length = int(head.lower().split(b'content-length:')[1].split(b'\\r\\n')[0])
                while len(body) < length: body += connection.recv(65536)
            print(*data.decode('latin-1').split()[:2], flush=True)
            connection.sendall(sys.argv[1].encode())
            connection.close()
        """

    @Test(
        "connects to the proxy, and handles any reply of it",
        .enabled("needs python3") {
            try await Workplace.use {
                try await $0.start(command: ["python3", "-c", "import socket"]).finish().status == 0
            }
        },
        arguments: [
            ("http", "HTTP/1.1 204 No Content\r\n\r\n", "POST http://events.invalid/collect?", 0),
            (
                "http", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nlogin",
                "POST http://events.invalid/collect?", 69
            ),
            (
                "http", "HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html\r\nContent-Length: 2\r\n\r\nhi",
                "POST http://events.invalid/collect?", 69
            ),
            (
                "http", "HTTP/1.1 200 OK\r\nContent-Type : text/html\r\nContent-Length: 2\r\n\r\nhi",
                "POST http://events.invalid/collect?", 69
            ),
            ("http", "HTTP/1.1 204 No Con", "POST http://events.invalid/collect?", 69),
            ("https", "HTTP/1.1 407 Who are you?\r\nContent-Length: 0\r\n\r\n", "CONNECT events.invalid:443", 69),
            ("https", "HTTP/1.1 200 Conn", "CONNECT events.invalid:443", 69),
        ]
    )
    func proxy(_ scheme: String, _ reply: String, _ question: String, _ status: Int32) async throws {
        try await Workplace.use { workplace in
            let recorded = try await workplace.run("record", "-", "--storage", "s", input: "{\"name\":\"a\"}\n")
            #expect(recorded.status == 0, "\(recorded.errors)")
            let proxy = try workplace.start(command: ["python3", "-c", Self.program, reply])
            #expect(try await proxy.wait(until: { proxy.outputSoFar.contains("\n") }))
            let port = proxy.outputSoFar.prefix { $0.isNumber }
            let run = try await workplace.run(
                ["flush", "--storage", "s", "--endpoint", "\(scheme)://events.invalid/collect"],
                environment: ["\(scheme)_proxy": "http://127.0.0.1:\(port)", "no_proxy": ""]
            )
            #expect(run.status == status, "\(run.errors)")
            let report = try JSONReader.parse(Array(run.output.utf8))
            #expect(report["sent"]?.integer == (status == 0 ? 1 : 0))
            proxy.send(SIGKILL)
            let said = try await proxy.finish().output.split(separator: "\n")
            #expect(said.count == 2 && said.last?.hasPrefix(question) == true, "\(said)")
        }
    }
}
#endif
