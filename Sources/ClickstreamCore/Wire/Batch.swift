/// The body of one request, ready to be sent, and what went into it.
package struct Batch: Sendable, Equatable {
    /// A JSON array's text, or base64 of its gzip: the bytes as they are sent.
    package var body: [UInt8]
    package var isCompressed: Bool
    /// The length of the JSON array's text.
    package var rawByteCount: Int
    package var eventCount: Int
}

/// Puts event lines together to one body that stays within a limit, without a joined copy of them.
///
/// Lines go in one by one until ``append(_:)`` refuses one; that one begins the next batch.
package struct BatchBuilder: ~Copyable {
    /// The most bytes of a JSON array's text, however small it deflates: a reader must hold it in memory.
    package static let rawLimit = 16_777_216

    /// The most bytes of the body, as sent.
    package let limit: Int
    package private(set) var eventCount = 0
    /// The length of the JSON array's text so far, its end included.
    package private(set) var rawByteCount = 2
    private let deflater: Deflater?
    private var body: [UInt8] = []

    /// - Parameters:
    ///   - limit: the most bytes of the body, as sent; a single line that is longer is taken alone.
    ///   - deflater: compresses, and belongs to this batch until it is finished; `nil`: plain JSON.
    package init(limit: Int, deflater: Deflater?) {
        self.limit = limit
        self.deflater = deflater
        deflater?.reset()
    }

    /// Takes one event, the bytes of a JSON object; or takes nothing and says `false`, because the body could pass the
    /// limit. The first line is always taken.
    package mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        guard hasRoom(for: line.count + 1) else { return false }
        write(punctuation)
        write(line)
        count(line.count)
        return true
    }

    /// As ``append(_:)-(UnsafeRawBufferPointer)``, for a line with a byte in front of it that may be written over: zlib then
    /// takes both in one piece.
    package mutating func append(behindBlank line: UnsafeMutableRawBufferPointer) -> Bool {
        guard hasRoom(for: line.count) else { return false }
        line[0] = punctuation.rawBytes[0]
        write(UnsafeRawBufferPointer(line))
        count(line.count - 1)
        return true
    }

    /// What stands in front of the next event.
    private var punctuation: StaticString { eventCount == 0 ? "[" : "," }

    private mutating func count(_ length: Int) {
        rawByteCount += eventCount == 0 ? length : length + 1
        eventCount += 1
    }

    /// As ``append(_:)-(UnsafeRawBufferPointer)``, for a line in an array.
    package mutating func append(_ line: [UInt8]) -> Bool {
        line.withUnsafeBytes { append($0) }
    }

    /// Ends the array and encodes it.
    package consuming func finish() -> Batch {
        if eventCount == 0 { write("[") }
        write("]")
        if let deflater { body = deflater.finish { Base64.encode($0) } }
        return Batch(
            body: body,
            isCompressed: deflater != nil,
            rawByteCount: rawByteCount,
            eventCount: eventCount
        )
    }

    /// Whether `count` more bytes are sure to stay within the limit, or are the first.
    private func hasRoom(for count: Int) -> Bool {
        guard eventCount > 0 else { return true }
        guard rawByteCount + count <= BatchBuilder.rawLimit else { return false }
        guard let deflater else { return rawByteCount + count <= limit }
        func isSure() -> Bool {
            Base64.encodedCount(of: deflater.finishedCountBound(adding: count + 1)) <= limit
        }
        if isSure() { return true }
        deflater.settle()
        return isSure()
    }

    private mutating func write(_ punctuation: StaticString) {
        write(UnsafeRawBufferPointer(punctuation.rawBytes))
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
        if let deflater {
            deflater.append(bytes)
        } else {
            body.append(contentsOf: bytes)
        }
    }
}
