#if Collector && os(Linux)
import ClickstreamCollector
import ClickstreamCore
import Foundation
import Glibc
import TestSupport
import Testing

/// The command line, a collector, and TLS of a certificate authority of the test's own between them.
@Suite(
    "flush over TLS",
    .enabled("needs openssl, and python3 with ssl and asyncio") { try await TLSRelay.isPossible() },
    .timeLimit(.minutes(10))
)
struct TLSDeliveryTests {
    /// Records three events, and gives `body` a collector that only a relay with this certificate leads to.
    private func relay(
        _ certificate: TestAuthority.Certificate,
        _ body: (Workplace, TestAuthority, Collector, _ flush: [String]) async throws -> Void
    ) async throws {
        try await Workplace.use { workplace in
            let lines = "{\"name\":\"a\"}\n{\"name\":\"b\"}\n{\"name\":\"c\"}\n"
            let recorded = try await workplace.run("record", "-", "--storage", "s", input: lines)
            #expect(recorded.status == 0, "\(recorded.errors)")
            let authority = try await TestAuthority(workplace)
            let collector = try await Collector.start(CollectorConfiguration())
            do {
                let relay = try await TLSRelay(workplace, try await authority.sign(certificate), to: collector.port)
                let endpoint = "https://localhost:\(relay.port)/collect"
                try await body(workplace, authority, collector, ["flush", "--storage", "s", "--endpoint", endpoint])
                try await relay.stop()
                await collector.stop()
            } catch {
                await collector.stop()
                throw error
            }
        }
    }

    private func report(_ run: Finished) throws -> JSONValue {
        try JSONReader.parse(Array(run.output.utf8))
    }

    private func names(_ collector: Collector) async throws -> [String] {
        try await collector.events(EventFilter(limit: 100)).events.map { event in
            try JSONReader.parse(Array(event.json.utf8)).eventName ?? "?"
        }
    }

    @Test(
        "delivers each event once to a server with a trusted certificate authority",
        .enabled("needs a mount namespace: root, or 'unshare -rm'") { try await SystemRoots.canBeAddedTo() }
    )
    func trusted() async throws {
        try await relay(.localhost) { workplace, authority, collector, flush in
            let run = try await SystemRoots.run(flush, in: workplace, with: authority)
            #expect((run.status, run.errors) == (0, ""))
            let report = try report(run)
            #expect(["sent", "retained", "attempts"].map { report[$0]?.integer } == [3, 0, 1])
            #expect(report["last_error"]?.isNull == true)
            #expect(try await names(collector).sorted() == ["a", "b", "c"])
        }
    }

    @Test(
        "is checked by doctor like an app, with any reply: a reply cut within its head ends nothing",
        .enabled("needs a mount namespace: root, or 'unshare -rm'") { try await SystemRoots.canBeAddedTo() }
    )
    func doctor() async throws {
        try await relay(.localhost) { workplace, authority, collector, flush in
            let endpoint = try #require(flush.last)
            let ask = ["doctor", "--storage", "s", "--endpoint"]
            let well = try await SystemRoots.run(ask + [endpoint], in: workplace, with: authority)
            #expect(well.status == 0, "\(well.output) \(well.errors)")
            #expect(well.output.contains("the clock agrees with the server's"))
            #expect(
                try await workplace.run(ask + [endpoint]).output.contains("does not respond: no connection: SSL certif")
            )
            let certificate = try await authority.sign(.localhost)
            for cut in TestLength.sample([0, 5, 20, 40], short: 2) {
                let relay = try await TLSRelay(workplace, certificate, to: collector.port, cutAt: cut)
                let endpoint = "https://localhost:\(relay.port)/collect"
                let run = try await SystemRoots.run(ask + [endpoint], in: workplace, with: authority)
                #expect(run.status == 1, "\(cut): \(run.errors)")
                #expect(run.output.contains("localhost:\(relay.port) does not respond: the connection ended early"))
                try await relay.stop()
            }
            #expect(try await collector.summary() == CollectorSummary())
        }
    }

    @Test("sends nothing to a server with an unknown certificate authority, reports it, and keeps the events")
    func untrusted() async throws {
        try await relay(.localhost) { workplace, _, collector, flush in
            try await expectRefusal(
                try await workplace.run(flush),
                "SSL certificate problem: unable to get local issuer certificate",
                collector
            )
            // These are curl's and OpenSSL's, not the system's.
            let file = workplace.path(TestAuthority.file)
            let environment = ["SSL_CERT_FILE": file, "CURL_CA_BUNDLE": file]
            try await expectRefusal(
                try await workplace.run(flush, environment: environment),
                "SSL certificate problem: unable to get local issuer certificate",
                collector
            )
        }
    }

    @Test(
        "sends nothing to a server with a certificate that is expired or for another host, and keeps the events",
        .enabled("needs a mount namespace: root, or 'unshare -rm'") { try await SystemRoots.canBeAddedTo() },
        arguments: [
            (TestAuthority.Certificate.anotherHost, "no alternative certificate subject name matches"),
            (.expired, "SSL certificate problem: certificate has expired"),
        ]
    )
    func unfit(_ certificate: TestAuthority.Certificate, _ reason: String) async throws {
        try await relay(certificate) { workplace, authority, collector, flush in
            try await expectRefusal(
                try await SystemRoots.run(flush, in: workplace, with: authority),
                reason,
                collector
            )
            // The same events, once the server has a valid certificate.
            let relay = try await TLSRelay(workplace, try await authority.sign(.localhost), to: collector.port)
            let again = flush.dropLast() + ["https://localhost:\(relay.port)/collect"]
            let run = try await SystemRoots.run(Array(again), in: workplace, with: authority)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await names(collector).sorted() == ["a", "b", "c"])
            try await relay.stop()
        }
    }

    private func expectRefusal(_ run: Finished, _ reason: String, _ collector: Collector) async throws {
        #expect(run.status == 69)
        #expect(run.errors.contains(reason), "\(run.errors)")
        let report = try report(run)
        #expect(["sent", "retained", "attempts"].map { report[$0]?.integer } == [0, 3, 1])
        #expect(report["last_error"]?.string?.contains(reason) == true)
        #expect(try await names(collector) == [])
    }
}

/// A certificate authority that exists for one test.
struct TestAuthority {
    /// Kind of certificate that the authority signs.
    enum Certificate: String, Sendable {
        case localhost, anotherHost, expired

        fileprivate var host: String { self == .anotherHost ? "elsewhere.example" : "localhost" }
        fileprivate var days: String { self == .expired ? "-1" : "2" }
    }

    /// Its own certificate, in the workplace.
    static let file = "authority.pem"

    private let workplace: Workplace

    init(_ workplace: Workplace) async throws {
        self.workplace = workplace
        try await openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=A test's authority",
            "-keyout", "authority.key", "-out", Self.file,
        ])
    }

    /// Gives the path of a file with a certificate and its key.
    func sign(_ certificate: Certificate) async throws -> String {
        let name = certificate.rawValue
        let subject = try workplace.write("subjectAltName=DNS:\(certificate.host)\n", to: "\(name).subject")
        try await openssl([
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(certificate.host)", "-keyout", "\(name).key",
            "-out", "\(name).request",
        ])
        try await openssl([
            "x509", "-req", "-in", "\(name).request", "-CA", Self.file, "-CAkey", "authority.key", "-set_serial", "7",
            "-days", certificate.days, "-extfile", subject, "-out", "\(name).certificate",
        ])
        let both = try workplace.text(of: "\(name).certificate") + workplace.text(of: "\(name).key")
        return try workplace.write(both, to: "\(name).pem")
    }

    private func openssl(_ arguments: [String]) async throws {
        let made = try await workplace.start(command: ["openssl"] + arguments).finish()
        try #require(made.status == 0, "openssl: \(made.errors)")
    }
}

/// Takes connections with TLS and passes on what is in them.
private struct TLSRelay {
    /// True if this machine has the required programs.
    static func isPossible() async throws -> Bool {
        try await Workplace.use { workplace in
            let openssl = try await workplace.start(command: ["openssl", "version"]).finish()
            let python = try await workplace.start(command: ["python3", "-c", "import asyncio, ssl"]).finish()
            return openssl.status == 0 && python.status == 0
        }
    }

    private static let program = """
        import asyncio, ssl, sys
        async def pump(reader, writer, most=1 << 60):
            try:
                while data := await reader.read(min(65536, most)):
                    writer.write(data)
                    most -= len(data)
                    await writer.drain()
            finally:
                writer.close()
        async def relay(reader, writer):
            there, back = await asyncio.open_connection('127.0.0.1', int(sys.argv[2]))
            await asyncio.gather(pump(reader, back), pump(there, writer, int(sys.argv[3])), return_exceptions=True)
        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1])
            server = await asyncio.start_server(relay, '127.0.0.1', 0, ssl=context)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """

    let port: Int
    private let running: Running

    /// - Parameter cut: how many bytes of the replies get through.
    init(_ workplace: Workplace, _ certificate: String, to port: Int, cutAt cut: Int = 1 << 60) async throws {
        let arguments = [certificate, "\(port)", "\(cut)"]
        let running = try workplace.start(command: ["python3", "-c", Self.program] + arguments)
        self.running = running
        guard try await running.wait(until: { running.outputSoFar.contains("\n") }),
            let port = Int(running.outputSoFar.dropLast())
        else {
            running.send(SIGKILL)
            throw NotStarted(errors: try await running.finish().errors)
        }
        self.port = port
    }

    func stop() async throws {
        running.send(SIGKILL)
        _ = try await running.finish()
    }

    private struct NotStarted: Error {
        var errors: String
    }
}

/// The certificates that the system trusts, as one process alone sees them.
private enum SystemRoots {
    /// Where the distributions keep them; URL loading takes the first that there is.
    private static let paths = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/usr/share/ssl/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem",
    ].filter { FileManager.default.fileExists(atPath: $0) }

    static func canBeAddedTo() async throws -> Bool {
        guard let path = paths.first else { return false }
        return try await Workplace.use { workplace in
            try await workplace.start(command: command(["true"], roots: path)).finish().status == 0
        }
    }

    /// Runs the command line where the authority is one root more.
    static func run(
        _ arguments: [String],
        in workplace: Workplace,
        with authority: TestAuthority
    ) async throws -> Finished {
        let path = try #require(paths.first)
        let roots = try String(contentsOfFile: path, encoding: .utf8) + workplace.text(of: TestAuthority.file)
        let file = try workplace.write(roots, to: "roots.pem")
        return try await workplace.start(command: command([Workplace.executable.path] + arguments, roots: file))
            .finish()
    }

    private static func command(_ command: [String], roots: String) -> [String] {
        let mounts = paths.map { "mount --bind \"$1\" '\($0)' && " }.joined()
        let namespace = geteuid() == 0 ? "-m" : "-rm"
        return ["unshare", namespace, "sh", "-c", mounts + "shift && exec \"$@\"", "sh", roots] + command
    }
}
#endif
