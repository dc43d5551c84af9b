/// JSON that is written to memory whose owner has made sure that there is room: no look at bounds, no growth.
///
/// Whoever makes one says how much may be written at most, and looks at ``end`` afterwards.
struct MemorySink: ByteSink {
    /// Where the next byte goes.
    private(set) var end: UnsafeMutableRawPointer

    @inline(__always)
    init(at start: UnsafeMutableRawPointer) {
        end = start
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        end.storeBytes(of: byte, as: UInt8.self)
        end += 1
    }

    @inline(__always)
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        append(contentsOf: UnsafeRawBufferPointer(bytes))
    }

    @inline(__always)
    mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        end.copyMemory(from: start, byteCount: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    mutating func append(contentsOf bytes: [UInt8]) {
        bytes.withUnsafeBytes { append(contentsOf: $0) }
    }

    /// The 36 characters of an identifier.
    @inline(__always)
    mutating func append(_ id: UniqueID) {
        id.write(to: end)
        end += UniqueID.textLength
    }

    /// Appends a text as long as each eight bytes of it are such as `areFine` says.
    /// - Returns: whether the whole text was; otherwise nothing is appended.
    @inline(__always)
    mutating func append(_ text: UnsafeRawBufferPointer, while areFine: (UInt64) -> Bool) -> Bool {
        let wordSize = MemoryLayout<UInt64>.size
        let count = text.count
        if count >= wordSize {
            // Eight at a time; the last eight may overlap those before.
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
