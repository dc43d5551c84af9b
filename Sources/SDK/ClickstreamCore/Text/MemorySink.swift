/// Unchecked JSON sink over memory with reserved space: no bounds checks, no growth.
///
/// The caller guarantees the maximum number of bytes written, and reads ``end`` afterwards. The operations of a few instructions are
/// inlinable, since other modules call them for each part of an event.
package struct MemorySink: ByteSink {
    /// The address of the next byte.
    package var end: UnsafeMutableRawPointer

    @inlinable
    @inline(__always)
    package init(at start: UnsafeMutableRawPointer) {
        end = start
    }

    @inlinable
    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        end.storeBytes(of: byte, as: UInt8.self)
        end += 1
    }

    @inlinable
    @inline(__always)
    package mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        append(contentsOf: UnsafeRawBufferPointer(bytes))
    }

    @inlinable
    @inline(__always)
    package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        end.copyMemory(from: start, byteCount: bytes.count)
        end += bytes.count
    }

    /// Appends text that is JSON already. The length of a literal is a constant where the call is inlined.
    @inlinable
    @inline(__always)
    package mutating func append(raw text: StaticString) {
        end.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        end += text.utf8CodeUnitCount
    }

    @inline(__always)
    mutating func append(contentsOf bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(contentsOf: $0) }
    }

    /// Appends the 36 characters of an identifier.
    @inline(__always)
    mutating func append(_ id: UniqueID) {
        id.write(to: end)
        end += UniqueID.textLength
    }

    /// Appends a text as long as `areFine` returns true for each eight bytes of it.
    /// - Returns: true if the whole text was appended; otherwise ``end`` is unchanged.
    @inline(__always)
    mutating func append(_ text: UnsafeRawBufferPointer, while areFine: (UInt64) -> Bool) -> Bool {
        let wordSize = MemoryLayout<UInt64>.size
        let count = text.count
        if count >= wordSize {
            // Eight bytes at a time; the last word may overlap the one before.
            let last = count &- wordSize
            var offset = 0
            while offset < last {
                let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard areFine(word) else { return false }
                end.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
                offset &+= wordSize
            }
            let word = text.loadUnaligned(fromByteOffset: last, as: UInt64.self)
            guard areFine(word) else { return false }
            end.storeBytes(of: word, toByteOffset: last, as: UInt64.self)
        } else if count > 0 {
            guard areFine(Characters.shortWord(text)) else { return false }
            if count >= 4 {
                let (first, last) = (
                    text.loadUnaligned(fromByteOffset: 0, as: UInt32.self),
                    text.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                )
                end.storeBytes(of: first, as: UInt32.self)
                end.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
            } else {
                end.storeBytes(of: text[0], as: UInt8.self)
                end.storeBytes(of: text[count >> 1], toByteOffset: count >> 1, as: UInt8.self)
                end.storeBytes(of: text[count &- 1], toByteOffset: count &- 1, as: UInt8.self)
            }
        }
        end += count
        return true
    }
}
