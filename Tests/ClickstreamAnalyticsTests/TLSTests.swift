#if os(Linux)
import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Glibc
import Testing

/// A real TLS server with certificates of its own making, in front of the real transport.
@Suite("TLS server", .enabled(if: TLSServer.isPossible), .timeLimit(.minutes(10)))
struct TLSTests {
    @Test("with an untrusted certificate is refused and reported; its events are kept")
    func untrusted() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = LinuxTransport()
        await expectRefusal(of: server.request(.good, "ok"), by: transport, saying: "certificate")
        await expectRefusal(of: server.request(.speaksPlainly, "ok"), by: transport)
        var dependencies = ClickstreamClient.Dependencies(
            time: SystemTime(),
            ids: SeededIDs(seed: 1),
            files: MemoryFileSystem(),
            transport: transport
        )
        dependencies.deliveryTime = SystemTime()
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: server.request(.good, "ok").url)
        configuration.sendInterval = .zero
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "6.1",
                app: ClickstreamClient.Device.App(version: "1.0")
            ),
            storage: "/data",
            dependencies: dependencies
        )
        let report = await client.flush()
        #expect((report.sent, report.retained, report.attempts) == (0, 3, 1))
        #expect(report.lastError?.description.lowercased().contains("certificate") == true, "\(report)")
        client.kill()
    }

    @Test("receives nothing if its certificate is for another host, expired or untrusted")
    func certificates() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        for (door, words) in [
            (TLSServer.Door.elsewhere, "certificate"), (.expired, "expired"), (.unknown, "certificate"),
        ] {
            await expectRefusal(of: server.request(door, "ok"), by: transport, saying: words)
        }
        #expect(try await server.answer(to: transport) == "0 on this connection, 0 in all")
    }

    @Test("is used over one keep-alive connection; nothing is sent twice")
    func oneConnection() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        #expect(try await server.answer(to: transport) == "0 on this connection, 0 in all")
        #expect(try await server.answer(to: transport) == "1 on this connection, 1 in all")
        // Cut without a reply. A new connection would work, but the server may have processed the request.
        await expectCut(of: server.request(.good, "cut/0"), by: transport, "on a connection that was used before")
        #expect(try await server.answer(to: transport) == "0 on this connection, 3 in all")
        // Closed after the reply. A request before the client notices that would be cut: wait for the event.
        #expect(try await transport.send(server.request(.good, "end/\(TLSServer.reply.count)")).status == 302)
        let connection = try #require((0..<4_096).first { server.isConnection($0) })
        var news = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        #expect(poll(&news, 1, 10_000) == 1)
        let fresh = try await server.answer(to: transport)
        #expect(fresh == "0 on this connection, 5 in all")
        var large = server.request(.good, "ok")
        large.body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(
            String(decoding: try await transport.send(large).body, as: UTF8.self) == "1 on this connection, 6 in all"
        )
    }

    @Test("that closes after each reply without notice costs one connection per request, and no failures")
    func closesAfterEachReply() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        var cuts = 0
        for _ in 0..<40 {
            do {
                #expect(try await transport.send(server.request(.good, "once")).status == 200)
            } catch TransportError.cut {
                // The news came just when the connection was used again: after two of these each request has one of its own.
                cuts += 1
            }
        }
        #expect(cuts <= 2)
        let last = try await server.answer(to: transport)
        #expect(last == "0 on this connection, \(40 - cuts) in all")
    }

    @Test("that closes after each reply receives a client's events without a pause, each once")
    func clientOfServerThatCloses() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        var dependencies = ClickstreamClient.Dependencies(
            time: SystemTime(),
            ids: SeededIDs(seed: 1),
            files: MemoryFileSystem(),
            transport: try server.transport()
        )
        dependencies.deliveryTime = SystemTime()
        var configuration = ClickstreamClient.Configuration(
            appID: "shop",
            endpoint: server.request(.good, "once/0").url
        )
        configuration.maxBatchBytes = 2_048
        configuration.sendInterval = .zero
        let uploads = Locked<[Int]>([])
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "6.1",
                app: ClickstreamClient.Device.App(version: "1.0")
            ),
            storage: "/data",
            dependencies: dependencies,
            observe: { notice in
                if case .uploaded(let events, _, _) = notice { uploads.withLock { $0.append(events) } }
            }
        )
        for number in 0..<300 { client.record("tap", attributes: ["number": number]) }
        let start = ContinuousClock.now
        let report = await client.flush(deadline: .seconds(600))
        let time = ContinuousClock.now - start
        print("TLS, closed after each reply: \(report.sent) events, \(report.attempts) requests, \(time)")
        #expect((report.sent, report.retained) == (303, 0))
        let sent = uploads.withLock { $0 }
        #expect(sent.reduce(0, +) == 303)
        let served = try await server.answer(to: try server.transport())
        let total = served.split(separator: " ").dropLast(2).last.flatMap { Int($0) } ?? 0
        #expect(total == sent.count, "\(served)")
        // At most two requests find their connections closed, and are repeated.
        #expect((total...total + 2).contains(report.attempts), "\(served), \(report.attempts) requests")
        client.kill()
    }

    @Test("has a connection that no child process inherits")
    func closesOnExecution() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        _ = try await server.answer(to: transport)
        let flags = (0..<4_096).filter { server.isConnection($0) }.map { fcntl($0, F_GETFD) & FD_CLOEXEC }
        #expect(flags == [FD_CLOEXEC])
        // The transport, and so its connection, lives until here.
        _ = try await server.answer(to: transport)
    }

    @Test("may cut its reply at any byte, with or without closing TLS", arguments: ["cut", "end", "reset"])
    func cutAnywhere(how: String) async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        let reply = TLSServer.reply
        for count in reply.indices {
            await expectCut(of: server.request(.good, "\(how)/\(count)"), by: transport, "after \(count) bytes")
        }
        #expect(try await server.answer(to: transport).hasPrefix("0 on this connection"))
        guard how != "reset" else { return }
        let whole = try await transport.send(server.request(.good, "\(how)/\(reply.count)"))
        #expect(whole == UploadResponse(status: 302, location: "/x", body: Array("abc".utf8)))
    }

    @Test("may cut its reply to a GET request at any byte; a complete one is returned")
    func question() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        for count in TLSServer.reply.indices {
            var request = server.request(.good, "end/\(count)")
            request.method = .get
            await expectCut(of: request, by: transport, "after \(count) bytes")
        }
        var request = server.request(.good, "end/\(TLSServer.reply.count)")
        request.method = .get
        #expect(
            try await transport.send(request)
                == UploadResponse(status: 302, location: "/x", body: Array("abc".utf8))
        )
    }

    @Test("may send bytes that are not HTTP, or not TLS", arguments: ["garbage", "noise"])
    func garbage(how: String) async throws {
        let server = try TLSServer()
        defer { server.stop() }
        await expectCut(of: server.request(.good, how), by: try server.transport(), how)
    }

    @Test("may stall anywhere in its reply", arguments: [0, 20, 56])
    func silence(count: Int) async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        var request = server.request(.good, "stall/\(count)")
        request.idleTimeout = .milliseconds(200)
        let start = SystemTime().now().steady
        await #expect(throws: TransportError.timedOut) { try await transport.send(request) }
        (request.requestTimeout, request.idleTimeout) = (.milliseconds(200), .seconds(60))
        await #expect(throws: TransportError.timedOut) { try await transport.send(request) }
        #expect(SystemTime().now().steady - start >= 380)
        let task = Task { [request] in
            var request = request
            request.requestTimeout = .seconds(60)
            return try await transport.send(request)
        }
        // The reply comes once the third request has arrived.
        #expect(try await transport.send(server.request(.good, "when/3")).status == 200)
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
    }

    @Test("may end the handshake in any way", arguments: [TLSServer.Door.closes, .resets, .speaksPlainly, .halfway])
    func handshake(door: TLSServer.Door) async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        await expectRefusal(of: server.request(door, "ok"), by: transport)
        #expect(try await server.answer(to: transport) == "0 on this connection, 0 in all")
    }

    @Test("may stall in the handshake: the connect timeout, and cancellation, end the request")
    func silentHandshake() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        var request = server.request(.silent, "ok")
        request.connectTimeout = .milliseconds(200)
        let start = SystemTime().now().steady
        await expectRefusal(of: request, by: transport, saying: "within 200 ms")
        #expect(SystemTime().now().steady - start >= 190)
        request.connectTimeout = .seconds(60)
        for round in 0..<10 {
            let task = Task { [request] in try await transport.send(request) }
            spin(microseconds: Int64(round * round * 20))
            task.cancel()
            await #expect(throws: TransportError.cancelled) { try await task.value }
        }
    }

    @Test("is disconnected at once when the task is cancelled")
    func cancelledAnyTime() async throws {
        let server = try TLSServer()
        defer { server.stop() }
        let transport = try server.transport()
        for round in 0..<32 {
            // Every other request finds a connection.
            let request = server.request(.good, round % 4 < 2 ? "ok" : "last")
            let task = Task { try await transport.send(request) }
            spin(microseconds: Int64(round * round * 4))
            task.cancel()
            do {
                #expect(try await task.value.status == 200)
            } catch {
                #expect(error as? TransportError == .cancelled, "round \(round)")
            }
        }
        #expect(try await server.answer(to: transport).contains("on this connection"))
    }
}

/// Server in Python with self-signed certificates; the request's path determines its reply.
struct TLSServer {
    /// Where to knock: TLS with several certificates, and what is no TLS at all.
    enum Door: Int {
        case good, elsewhere, expired, unknown, silent, closes, resets, speaksPlainly, halfway
    }

    /// True if this machine has the required programs.
    static let isPossible = run(["openssl", "version"]) && run(["python3", "-c", "import ssl"])

    /// Complete reply, of which the server sends the number of bytes in the path.
    static let reply = Array("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc".utf8)

    private static let program = """
        import socket, ssl, struct, sys, threading
        reply = b'HTTP/1.1 302 Found\\r\\nLocation: /x\\r\\nContent-Length: 3\\r\\n\\r\\nabc'
        total = 0
        arrival = threading.Condition()
        def count():
            global total
            with arrival:
                total += 1
                arrival.notify_all()
        ports = []
        def door(handle):
            listener = socket.create_server(('127.0.0.1', 0), backlog=64)
            ports.append(listener.getsockname()[1])
            def take():
                while True:
                    connection = listener.accept()[0]
                    threading.Thread(target=handle, args=(connection,), daemon=True).start()
            threading.Thread(target=take, daemon=True).start()
        def reset(connection):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            connection.close()
        def secure(name):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            # One that comes after the reply makes libcurl take a connection for dead that was not used since.
            context.num_tickets = 0
            context.load_cert_chain(f'{sys.argv[1]}/{name}.pem', f'{sys.argv[1]}/{name}.key')
            def handle(plain):
                try:
                    with plain, context.wrap_socket(plain, server_side=True) as connection: serve(connection)
                except OSError: pass
            return handle
        def close(connection):
            # As servers do: says that this is the end, and closes without waiting to hear the same.
            connection.setblocking(False)
            try: connection.unwrap()
            except ssl.SSLWantReadError: pass
        def serve(connection):
            served = 0
            data = b''
            while True:
                while b'\\r\\n\\r\\n' not in data:
                    more = connection.recv(65536)
                    if not more: return
                    data += more
                head, data = data.split(b'\\r\\n\\r\\n', 1)
                said = head.lower().split(b'content-length:')[1:]
                length = int(said[0].split(b'\\r\\n')[0]) if said else 0
                while len(data) < length: data += connection.recv(65536)
                data = data[length:]
                what, number = (head.split()[1].decode()[1:] + '/0').split('/')[:2]
                if what == 'when':
                    with arrival: arrival.wait_for(lambda: total >= int(number))
                if what in ('ok', 'last', 'once', 'when'):
                    body = f'{served} on this connection, {total} in all'
                    more = 'Connection: close\\r\\n' if what == 'last' else ''
                    head = f'HTTP/1.1 200 OK\\r\\nContent-Length: {len(body)}\\r\\n{more}\\r\\n'
                    connection.sendall((head + body).encode())
                    count()
                    served += 1
                    if more: return
                    if what == 'once': return close(connection)
                    continue
                count()
                if what == 'garbage': return connection.sendall(b'SSH-2.0-x\\r\\n')
                if what == 'noise':
                    with socket.socket(fileno=connection.detach()) as plain: plain.sendall(b'SSH-2.0-x\\r\\n')
                    return
                connection.sendall(reply[:int(number)])
                if what == 'end': close(connection)
                if what == 'stall': connection.recv(1)
                if what == 'reset': reset(connection)
                return
        def silent(connection):
            while connection.recv(65536): pass
        def closes(connection):
            with connection: connection.recv(65536)
        def resets(connection):
            connection.recv(65536)
            reset(connection)
        def plainly(connection):
            with connection:
                connection.recv(65536)
                connection.sendall(b'HTTP/1.1 400 Bad Request\\r\\nContent-Length: 0\\r\\n\\r\\n')
        def halfway(connection):
            with connection, socket.create_connection(('127.0.0.1', ports[0])) as good:
                good.sendall(connection.recv(65536))
                connection.sendall(good.recv(200))
        for name in ['good', 'elsewhere', 'expired', 'unknown']: door(secure(name))
        for handle in [silent, closes, resets, plainly, halfway]: door(handle)
        print(*ports, flush=True)
        sys.stdin.read()
        """

    /// The certificates and their keys, made once: each test writes them where its server looks for them.
    private static let files = Result { try makeFiles() }

    private static func makeFiles() throws -> [String: Data] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // best effort: the system clears it too
        var files: [String: Data] = [:]
        for (name, host) in [
            ("good", "localhost"), ("elsewhere", "elsewhere.example"), ("expired", "localhost"),
            ("unknown", "localhost"),
        ] {
            let certificate = folder.appending(path: "\(name).pem")
            let key = folder.appending(path: "\(name).key")
            var made = run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", key.path,
                "-out", certificate.path,
            ])
            if name == "expired" {
                let signature = ["-signkey", key.path, "-days", "-1"]
                made = made && run(["openssl", "x509", "-in", certificate.path, "-out", certificate.path] + signature)
            }
            try #require(made, "openssl makes no certificate")
            files["\(name).pem"] = try Data(contentsOf: certificate)
            files["\(name).key"] = try Data(contentsOf: key)
            if name != "unknown" { files["roots.pem", default: Data()] += try Data(contentsOf: certificate) }
        }
        return files
    }

    private let ports: [Int]
    private let folder: URL
    private let process = Process()
    private let input = Pipe()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, data) in try Self.files.get() { try data.write(to: folder.appending(path: name)) }
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, folder.path]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while !line.contains(10) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        ports = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(ports.count == 9, "the server says \(String(decoding: line, as: UTF8.self))")
    }

    /// A transport that trusts all certificates but the unknown one.
    func transport() throws -> CurlTransport {
        try #require(CurlTransport(roots: folder.appending(path: "roots.pem").path))
    }

    func request(_ door: Door, _ path: String) -> UploadRequest {
        UploadRequest(
            url: "https://localhost:\(ports[door.rawValue])/\(path)",
            headers: [UploadRequest.Header(name: "content-type", value: "application/json")],
            body: Array("[]".utf8)
        )
    }

    /// True if the descriptor is a connection of this process to the server.
    func isConnection(_ descriptor: Int32) -> Bool {
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        return result == 0 && Int(UInt16(bigEndian: peer.sin_port)) == ports[Door.good.rawValue]
    }

    /// Body of the server's reply: the number of its connections and requests.
    func answer(to transport: CurlTransport) async throws -> String {
        String(decoding: try await transport.send(request(.good, "ok")).body, as: UTF8.self)
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
        // As above: the exit status is valid as soon as the end is noticed.
        return end.wait(timeout: .now() + 20) == .success && process.terminationStatus == 0
    }
}
#endif
