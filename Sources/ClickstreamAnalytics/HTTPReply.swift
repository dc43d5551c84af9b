package import ClickstreamCore

/// Reads one HTTP/1.1 reply from bytes as they come in. A pure machine: knows no socket and no clock.
///
/// Takes what RFC 9112 lets a server send, and holds at most ``headLimit`` bytes of head and
/// ``UploadResponse/bodyLimit`` of body at any time.
package struct HTTPReply: Sendable {
    /// The most bytes of status line and headers, interim replies included.
    package static let headLimit = 65_536

    /// What is known after some bytes.
    package enum Progress: Sendable, Equatable {
        /// The reply goes on.
        case incomplete
        /// The whole reply, or as much of a long body as is kept.
        case complete(UploadResponse)
        /// This is no HTTP reply: why.
        case malformed(String)
    }

    private enum Stage: Sendable {
        /// Left at the empty line after the headers.
        case head
        /// So many bytes are still to come.
        case counted(Int)
        /// A chunk's length comes next.
        case chunkLength
        /// So many bytes of the chunk are still to come, and the line end after them.
        case chunk(Int)
        /// The body ends with the connection.
        case untilClosed
        /// Never left.
        case ended
    }

    private var stage = Stage.head
    private var response = UploadResponse(status: 0)
    /// What has come and is not used up yet.
    private var input: [UInt8] = []
    private var headBytes = 0

    package init() {}

    /// Takes what has come.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> Progress {
        input += bytes
        while true {
            switch stage {
            case .head:
                guard let line = takeLine() else {
                    return input.count + headBytes > Self.headLimit ? .malformed("a head without an end") : .incomplete
                }
                headBytes += line.count + 1
                if headBytes > Self.headLimit { return .malformed("a head without an end") }
                if let fault = readHeadLine(line) { return .malformed(fault) }
            case .counted(let rest):
                let taken = take(rest)
                stage = taken == rest ? .ended : .counted(rest - taken)
                if isFull || taken == rest { return complete() }
                return .incomplete
            case .chunkLength:
                let end = input.firstIndex(of: UInt8(ascii: "\n"))
                if (end ?? input.count) > 1_024 { return .malformed("a chunk without a length") }
                guard let line = takeLine() else { return .incomplete }
                let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
                guard digits.count <= 15, let length = Int(String(decoding: digits, as: UTF8.self), radix: 16),
                    length >= 0
                else { return .malformed("a chunk without a length") }
                // Trailers are of no interest: the last chunk ends the reply.
                if length == 0 { return complete() }
                stage = .chunk(length)
            case .chunk(let rest):
                let taken = take(rest)
                stage = .chunk(rest - taken)
                if isFull { return complete() }
                guard taken == rest else { return .incomplete }
                // Nothing else is read for the line's end, however much comes.
                if input.isEmpty || input == [UInt8(ascii: "\r")] { return .incomplete }
                guard takeLineEnd() else { return .malformed("a chunk longer than its length") }
                stage = .chunkLength
            case .untilClosed:
                _ = take(input.count)
                return isFull ? complete() : .incomplete
            case .ended:
                return complete()
            }
        }
    }

    /// The connection has ended.
    /// - Returns: the reply, when its end is the connection's; otherwise `nil`: it was cut.
    package mutating func close() -> UploadResponse? {
        guard case .untilClosed = stage else { return nil }
        return response
    }

    private var isFull: Bool { response.body.count == UploadResponse.bodyLimit }

    private mutating func complete() -> Progress {
        stage = .ended
        return .complete(response)
    }

    /// Moves at most `count` bytes of what has come into the body, as far as that is kept.
    private mutating func take(_ count: Int) -> Int {
        let taken = min(count, input.count)
        response.body += input.prefix(min(taken, UploadResponse.bodyLimit - response.body.count))
        input.removeFirst(taken)
        return taken
    }

    /// Takes a line's end, where one comes next.
    private mutating func takeLineEnd() -> Bool {
        let length = input.starts(with: "\n".utf8) ? 1 : input.starts(with: "\r\n".utf8) ? 2 : 0
        input.removeFirst(length)
        return length > 0
    }

    /// Takes the next line without its end, which is LF or CR LF.
    private mutating func takeLine() -> [UInt8]? {
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var line = Array(input[..<end])
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        input.removeFirst(end + 1)
        return line
    }

    // MARK: - The head

    /// Whether the body comes in chunks, and how long it is said to be.
    private var isChunked = false
    private var length: Int?

    private mutating func readHeadLine(_ line: [UInt8]) -> String? {
        if response.status == 0 { return readStatusLine(line) }
        if line.isEmpty {
            endHead()
            return nil
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return "a header without a name" }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = String(decoding: line[(colon + 1)...].trimmingBlanks(), as: UTF8.self)
        switch name {
        case "retry-after": response.retryAfter = value
        case "location": response.location = value
        case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
        case "content-length":
            guard let number = Int(value), number >= 0, length ?? number == number else {
                return "a wrong content-length"
            }
            length = number
        default: break
        }
        return nil
    }

    /// `HTTP/1.1 200 OK`: the version's first digit must be 1, the reason may be missing.
    private mutating func readStatusLine(_ line: [UInt8]) -> String? {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard
            parts.count >= 2, parts[0].starts(with: "HTTP/1.".utf8), parts[1].count == 3,
            let status = Int(String(decoding: parts[1], as: UTF8.self)), (100...599).contains(status)
        else { return "what came is not HTTP/1.1" }
        response.status = status
        return nil
    }

    private mutating func endHead() {
        switch response.status {
        case 101...199, 100:
            // An interim reply: the real one follows.
            response = UploadResponse(status: 0)
            (isChunked, length) = (false, nil)
        case 204, 304:
            stage = .ended
        default:
            stage = isChunked ? .chunkLength : length.map { $0 == 0 ? .ended : .counted($0) } ?? .untilClosed
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without the spaces and tabs at its ends.
    fileprivate func trimmingBlanks() -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return []
        }
        return self[first...last]
    }
}
