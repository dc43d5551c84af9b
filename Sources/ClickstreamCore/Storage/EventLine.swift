/// The record of one event while it is made: JSON is appended, and the record's header goes in front of it.
///
/// Kept and used again, so that recording allocates nothing, and written to the file from where it was made. The memory
/// is this value's alone; what is appended passes one comparison with the room that is left.
package struct EventLine: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// Where the JSON ends. Room for a line feed is always left behind it.
    private var end = EventRecord.headerRoom

    package init() {
        capacity = 4_096
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// A line that holds this JSON text.
    package init(json: ArraySlice<UInt8>) {
        self.init()
        json.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    deinit {
        memory.deallocate()
    }

    /// Begins the next event.
    package mutating func removeAll() {
        end = EventRecord.headerRoom
    }

    /// How many bytes the JSON has.
    package var count: Int { end - EventRecord.headerRoom }

    /// The JSON so far, as an array of its own.
    package var json: [UInt8] {
        Array(UnsafeRawBufferPointer(start: memory + EventRecord.headerRoom, count: count))
    }

    /// Lends the whole record, its line feed included.
    mutating func withRecord<Result>(
        sequence: Int,
        isActive: Bool,
        timestamp: Timestamp,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let record = UnsafeMutableRawBufferPointer(start: memory, count: end + 1)
        let start = EventRecord.compose(in: record, sequence: sequence, isActive: isActive, timestamp: timestamp)
        return body(UnsafeRawBufferPointer(rebasing: record[start...]))
    }

    /// Appends what `body` writes, which is `count` bytes at most.
    @inline(__always)
    mutating func append(atMost count: Int, _ body: (inout MemorySink) -> Void) {
        if capacity &- end <= count { grow(by: count) }
        var sink = MemorySink(at: memory + end)
        body(&sink)
        end = sink.end - memory
        precondition(end < capacity, "Invalid state: more was written than there is room for")
    }

    @inline(never)
    private mutating func grow(by count: Int) {
        capacity = max(end + count + 1, capacity * 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: memory, byteCount: end)
        memory.deallocate()
        memory = larger
    }
}

extension EventLine: ByteSink {
    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        if capacity &- end < 2 { grow(by: 1) }
        memory.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end &+= 1
    }

    @inline(__always)
    package mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        append(contentsOf: UnsafeRawBufferPointer(bytes))
    }

    @inline(__always)
    package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        if capacity &- end <= bytes.count { grow(by: bytes.count) }
        (memory + end).copyMemory(from: start, byteCount: bytes.count)
        end &+= bytes.count
    }
}
