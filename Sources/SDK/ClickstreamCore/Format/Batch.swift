/// Encoded request body with its counts.
package struct Batch: Sendable, Equatable {
    /// The events, a JSON array, in the encoding of their format.
    package var body: [UInt8]
    package var isCompressed: Bool
    /// The length of the JSON array before compression.
    package var rawByteCount: Int
    package var eventCount: Int
}

/// Incremental encoder of event lines to one body within a size limit, without a joined copy of the lines.
///
/// Lines are appended until ``append(_:)`` returns `false`; the rejected line begins the next batch.
package struct BatchBuilder: ~Copyable {
    /// The maximum size of the JSON array before compression: the receiver must hold it in memory.
    package static let rawLimit = 16_777_216

    /// The maximum size of the body in bytes, as sent.
    package let limit: Int
    package private(set) var eventCount = 0
    /// The length of the JSON array so far, including its closing bracket.
    package private(set) var rawByteCount = 2
    private let deflater: Deflater?
    private let isText: Bool
    private var body: [UInt8] = []

    /// - Parameters:
    ///   - limit: the maximum size of the body in bytes, as sent; a single longer line is accepted alone.
    ///   - deflater: the compressor, used exclusively by this batch until it is finished; `nil` for plain JSON.
    ///   - isText: true if compressed bytes are sent as base64.
    package init(limit: Int, deflater: Deflater?, isText: Bool = true) {
        self.limit = limit
        self.deflater = deflater
        self.isText = isText
        deflater?.reset()
    }

    /// Appends one event, the bytes of a JSON object. Returns `false` without appending if the body could exceed the
    /// limit. The first line is always accepted.
    package mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        guard hasCapacity(for: line.count + 1) else { return false }
        write(punctuation)
        write(line)
        count(line.count)
        return true
    }

    /// Equivalent of ``append(_:)-(UnsafeRawBufferPointer)`` for a line preceded by a byte that may be overwritten:
    /// zlib then receives both in one piece.
    package mutating func append(behindBlank line: UnsafeMutableRawBufferPointer) -> Bool {
        guard hasCapacity(for: line.count) else { return false }
        line[0] = punctuation.rawBytes[0]
        write(UnsafeRawBufferPointer(line))
        count(line.count - 1)
        return true
    }

    /// The punctuation before the next event.
    private var punctuation: StaticString { eventCount == 0 ? "[" : "," }

    private mutating func count(_ length: Int) {
        rawByteCount += eventCount == 0 ? length : length + 1
        eventCount += 1
    }

    /// Equivalent of ``append(_:)-(UnsafeRawBufferPointer)`` for a line in an array.
    package mutating func append(_ line: [UInt8]) -> Bool {
        line.withUnsafeBytes { append($0) }
    }

    /// Closes the array and encodes it.
    package consuming func finish() -> Batch {
        if eventCount == 0 { write("[") }
        write("]")
        if let deflater { body = deflater.finish { isText ? Base64.encode($0) : Array($0) } }
        return Batch(
            body: body,
            isCompressed: deflater != nil,
            rawByteCount: rawByteCount,
            eventCount: eventCount
        )
    }

    /// Returns true if `count` more bytes are certainly within the limit, or are the first.
    private func hasCapacity(for count: Int) -> Bool {
        guard eventCount > 0 else { return true }
        guard rawByteCount + count <= BatchBuilder.rawLimit else { return false }
        guard let deflater else { return rawByteCount + count <= limit }
        func isSure() -> Bool {
            let bound = deflater.finishedCountBound(adding: count + 1)
            return (isText ? Base64.encodedCount(of: bound) : bound) <= limit
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
