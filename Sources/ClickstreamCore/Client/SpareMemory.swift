/// Memory for what is put together under the client's lock; the system gives pages of it when they are first used.
final class SpareMemory: Sendable {
    private let address: UInt

    init() {
        address = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 16))
    }

    deinit {
        bytes.baseAddress?.deallocate()
    }

    private static let size = 32_768

    /// To be used by whoever holds the lock.
    var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: Self.size)
    }
}
