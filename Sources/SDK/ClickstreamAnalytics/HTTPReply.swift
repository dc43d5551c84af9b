package import ClickstreamCore

/// Incremental parser of one HTTP/1.1 reply. Pure: no I/O and no clock.
///
/// Accepts replies according to RFC 9112, and buffers at most ``headLimit`` bytes of head and
/// ``UploadResponse/bodyLimit`` bytes of body at any time.
package struct HTTPReply: Sendable {
    /// The maximum size of status line and headers in bytes, including interim replies.
    package static let headLimit = 65_536

    /// State after some bytes.
    package enum Progress: Sendable, Equatable {
        /// More bytes are required.
        case incomplete
        /// The complete reply, or its part up to the body limit.
        case complete(UploadResponse)
        /// The bytes are not an HTTP reply, for the given reason.
        case malformed(String)
    }

    private enum Stage: Sendable {
        /// Changed by the empty line after the headers.
        case head
        /// The number of bytes still expected.
        case counted(Int)
        /// The length of a chunk is expected.
        case chunkLength
        /// The number of bytes still expected of the chunk, which is followed by a line end.
        case chunk(Int)
        /// The body ends with the connection.
        case untilClosed
        /// Final.
        case ended
    }

    private var stage = Stage.head
    private var response = UploadResponse(status: 0)
    /// The received bytes that are not parsed yet.
    private var input: [UInt8] = []
    private var headBytes = 0
    private let keepsDate: Bool
    private let endsWithInterim: Bool

    /// - Parameters:
    ///   - keepsDate: true to keep the header `Date`, for requests with ``UploadRequest/Method/get``.
    ///   - endsWithInterim: true if an interim reply such as `100 Continue` is the reply, not followed by another one.
    package init(keepsDate: Bool = false, endsWithInterim: Bool = false) {
        self.keepsDate = keepsDate
        self.endsWithInterim = endsWithInterim
    }

    /// Status and headers, with the part of the body that was not taken; `nil` until the head is complete.
    package var head: UploadResponse? {
        if case .head = stage { return nil }
        return response
    }

    /// Removes the received part of the body. A reply whose body is taken after each ``receive(_:)`` of fewer bytes than
    /// ``UploadResponse/bodyLimit`` may be longer than this limit.
    package mutating func takeBody() -> [UInt8] {
        defer { response.body = [] }
        return response.body
    }

    /// Parses further bytes.
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
                // Trailers are ignored: the last chunk ends the reply.
                if length == 0 { return complete() }
                stage = .chunk(length)
            case .chunk(let rest):
                let taken = take(rest)
                stage = .chunk(rest - taken)
                if isFull { return complete() }
                guard taken == rest else { return .incomplete }
                // At most one partial line end is buffered.
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

    /// Handles the end of the connection.
    /// - Returns: the reply if its body ends with the connection; otherwise `nil`: it is incomplete.
    package mutating func close() -> UploadResponse? {
        guard case .untilClosed = stage else { return nil }
        return response
    }

    private var isFull: Bool { response.body.count == UploadResponse.bodyLimit }

    private mutating func complete() -> Progress {
        stage = .ended
        return .complete(response)
    }

    /// Moves at most `count` received bytes to the body, up to its limit.
    private mutating func take(_ count: Int) -> Int {
        let taken = min(count, input.count)
        response.body += input.prefix(min(taken, UploadResponse.bodyLimit - response.body.count))
        input.removeFirst(taken)
        return taken
    }

    /// Consumes a line end if one follows.
    private mutating func takeLineEnd() -> Bool {
        let length = input.starts(with: "\n".utf8) ? 1 : input.starts(with: "\r\n".utf8) ? 2 : 0
        input.removeFirst(length)
        return length > 0
    }

    /// Consumes and returns the next line without its end, which is LF or CR LF.
    private mutating func takeLine() -> [UInt8]? {
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var line = Array(input[..<end])
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        input.removeFirst(end + 1)
        return line
    }

    // MARK: - Head

    /// The transfer encoding and the length of the body, from the headers.
    private var isChunked = false
    private var length: Int?

    private mutating func readHeadLine(_ line: [UInt8]) -> String? {
        if response.status == 0 { return readStatusLine(line) }
        if line.isEmpty {
            endHead()
            return nil
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return "a header without a name" }
        let name = String(decoding: line[..<colon].trimmingBlanks(), as: UTF8.self).lowercased()
        let value = String(decoding: line[(colon + 1)...].trimmingBlanks(), as: UTF8.self)
        response.take(value, ofHeader: name)
        switch name {
        case "date" where keepsDate: response.date = value
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

    /// Parses `HTTP/1.1 200 OK`: the major version must be 1, the reason phrase may be missing.
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
        case 100...199 where endsWithInterim:
            stage = .ended
        case 101...199, 100:
            // An interim reply is followed by the final one.
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
    /// Returns the slice without leading and trailing spaces and tabs.
    fileprivate func trimmingBlanks() -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return []
        }
        return self[first...last]
    }
}
