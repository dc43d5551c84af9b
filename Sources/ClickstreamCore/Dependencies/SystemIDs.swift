#if canImport(Glibc)
import Glibc
#endif

/// Identifiers from the system's cryptographic generator, 4 KiB at a time.
///
/// A system call for each identifier would cost more than recording an event; from the buffer one costs about 50 ns,
/// and every 256th some microseconds. Used bytes are wiped at once, so that an identifier is in memory nowhere but where
/// it went. Callable from any thread. A child of `fork` that goes on without `exec` would give the same identifiers as
/// its parent until its buffer is used up: make a new `SystemIDs` there.
public final class SystemIDs: IDSource {
    private static let words = 512

    private struct Buffer: ~Copyable {
        var bits = [UInt64](repeating: 0, count: SystemIDs.words)
        /// How many of `bits`, from the start, are used up.
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

    public init() {}

    public func next() -> UniqueID {
        let (high, low) = buffer.withLock { ($0.take(), $0.take()) }
        return UniqueID(randomBitsHigh: high, low: low)
    }

    public func random() -> UInt64 {
        buffer.withLock { $0.take() }
    }

    /// Fills all of `words` with random bits. Never fails: what `getentropy` will not give, Swift's own generator does,
    /// which waits until the system has some.
    private static func fill(_ words: inout [UInt64]) {
        var filled = 0
        #if canImport(Glibc)
        words.withUnsafeMutableBytes { bytes in
            // 256 bytes is the most that one call gives.
            while filled < bytes.count, let start = bytes.baseAddress, getentropy(start + filled, 256) == 0 {
                filled += 256
            }
        }
        #endif
        var generator = SystemRandomNumberGenerator()
        for index in (filled / 8)..<words.count { words[index] = generator.next() }
    }
}
