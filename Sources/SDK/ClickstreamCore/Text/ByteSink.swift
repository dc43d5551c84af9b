/// Destination of JSON output: an array of bytes, or the line of an event.
package protocol ByteSink: ~Copyable {
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>)
    mutating func append(contentsOf bytes: UnsafeRawBufferPointer)
}

extension [UInt8]: ByteSink {}
