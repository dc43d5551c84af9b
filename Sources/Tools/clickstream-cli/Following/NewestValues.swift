/// The last values of a sequence of any length.
///
/// Removes older values in groups: holds at most twice as many and 100 more.
struct NewestValues<Value> {
    private let limit: Int
    private var buffer: [Value] = []

    /// - Parameter limit: maximum number of ``values``, from 0 to `Int.max`.
    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ value: Value) {
        buffer.append(value)
        if (buffer.count - 100) / 2 >= limit { buffer.removeFirst(buffer.count - limit) }
    }

    /// The last values, the oldest first.
    var values: ArraySlice<Value> { buffer.suffix(limit) }
}
