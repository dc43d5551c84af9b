import Glibc

/// An HTTP server that reads requests and answers `200`, a thread a connection: the least that a server can do.
enum Sink {
    /// Prints its port, and serves until it is ended.
    static func serve() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16 in
                bind(listener, address, length)
                listen(listener, 128)
                getsockname(listener, address, &length)
                return UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port.bigEndian
            }
        }
        print(port)
        fflush(nil)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            var on: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            var thread = pthread_t()
            let started = pthread_create(
                &thread,
                nil,
                { context in
                    Sink.answer(Int32(Int(bitPattern: context)))
                    return nil
                },
                UnsafeMutableRawPointer(bitPattern: Int(connection))
            )
            if started == 0 { pthread_detach(thread) } else { close(connection) }
        }
    }

    private static func answer(_ connection: Int32) {
        defer { close(connection) }
        let reply = Array("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}".utf8)
        let go = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        let capacity = 262_144
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        var held = 0
        while true {
            // The head, then as many bytes as it promises.
            var head: Int?
            while head == nil {
                guard held < capacity else { return }
                let count = read(connection, buffer + held, capacity - held)
                guard count > 0 else { return }
                held += count
                head = end(ofHead: UnsafeBufferPointer(start: buffer, count: held))
            }
            guard let head else { return }
            let text = String(decoding: UnsafeBufferPointer(start: buffer, count: head), as: UTF8.self).lowercased()
            var body = 0
            for line in text.split(separator: "\r\n") {
                if line.hasPrefix("content-length:") {
                    body = line.drop { !$0.isNumber }.split(separator: " ").first.flatMap { Int($0) } ?? 0
                }
                if line.hasPrefix("expect: 100") { _ = write(connection, go, go.count) }
            }
            var missing = body - (held - head)
            while missing > 0 {
                let count = read(connection, buffer, capacity)
                guard count > 0 else { return }
                missing -= count
            }
            held = 0
            guard write(connection, reply, reply.count) == reply.count, !text.contains("connection: close") else {
                return
            }
        }
    }

    private static func end(ofHead bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4) where bytes[index] == 13 && bytes[index + 2] == 13 && bytes[index + 3] == 10
        {
            return index + 4
        }
        return nil
    }
}
