/// The last values of a sequence of any length, within a number of values and a number of bytes. At least one, unless the number is 0.
///
/// Holds no other values.
struct NewestValues<Value> {
    private let limit: Int
    private let maxBytes: Int
    /// Values with their bytes; `nil` before ``start``.
    private var buffer: [(value: Value, bytes: Int)?] = []
    /// Index of the oldest value.
    private var start = 0
    private var bytes = 0
    /// True if values within the number were removed for their bytes.
    private(set) var isCut = false

    /// - Parameters:
    ///   - limit: maximum number of ``values``, from 0 to `Int.max`.
    ///   - maxBytes: maximum bytes of two or more values.
    init(limit: Int, maxBytes: Int = CollectorReader.maxHeldBytes) {
        self.limit = limit
        self.maxBytes = maxBytes
    }

    /// - Parameter bytes: bytes of the value in memory, about.
    mutating func append(_ value: Value, bytes: Int) {
        buffer.append((value, bytes))
        self.bytes += bytes
        while buffer.count - start > limit { removeOldest() }
        while self.bytes > maxBytes, buffer.count - start > 1 {
            isCut = true
            removeOldest()
        }
        if start > 100, start > buffer.count / 2 {
            buffer.removeFirst(start)
            start = 0
        }
    }

    private mutating func removeOldest() {
        bytes -= buffer[start]?.bytes ?? 0
        buffer[start] = nil
        start += 1
    }

    /// The last values, the oldest first.
    var values: [Value] { buffer[start...].compactMap { $0?.value } }
}
