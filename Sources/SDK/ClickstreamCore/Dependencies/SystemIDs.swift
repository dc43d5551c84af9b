#if canImport(Glibc)
import Glibc
#endif

/// Identifier source with the system's cryptographic generator and a buffer of 4 KiB.
///
/// A system call per identifier would cost more than recording an event; from the buffer one costs about 50 ns, and
/// every 256th some microseconds. Used bytes are wiped at once, so that no copy of an identifier remains in the buffer.
/// Thread-safe. A child of `fork` that continues without `exec` would produce the same identifiers as its parent until
/// its buffer is used up: create a new `SystemIDs` there.
package final class SystemIDs: IDSource {
    private static let words = 512

    private struct Buffer: ~Copyable {
        var bits = [UInt64](repeating: 0, count: SystemIDs.words)
        /// The number of used words of `bits`, from the start.
        var used = SystemIDs.words

        mutating func take() -> UInt64 {
            if used == SystemIDs.words {
                SystemIDs.fill(&bits)
                used = 0
            }
            let word = bits[used]
            bits[used] = 0
            used += 1
            return word
        }
    }

    private let buffer = Locked(Buffer())

    /// Creates a source with an empty buffer. The first identifier fills the buffer.
    package init() {}

    package func next() -> UniqueID {
        let (high, low) = buffer.withLock { ($0.take(), $0.take()) }
        return UniqueID(randomBitsHigh: high, low: low)
    }

    package func random() -> UInt64 {
        buffer.withLock { $0.take() }
    }

    /// Fills all of `words` with random bits. Never fails: if `getentropy` fails, Swift's generator is used, which
    /// blocks until the system has entropy.
    private static func fill(_ words: inout [UInt64]) {
        var filled = 0
        #if canImport(Glibc)
        words.withUnsafeMutableBytes { bytes in
            // 256 bytes is the maximum of one call.
            while filled < bytes.count, let start = bytes.baseAddress, getentropy(start + filled, 256) == 0 {
                filled += 256
            }
        }
        #endif
        var generator = SystemRandomNumberGenerator()
        for index in (filled / 8)..<words.count { words[index] = generator.next() }
    }
}
