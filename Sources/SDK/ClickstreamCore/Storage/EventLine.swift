/// Reusable buffer for the record of one event: JSON is appended, then the record's header is written before it.
///
/// The buffer is kept between events, so that recording allocates nothing, and is written to the file without a copy.
/// It is owned exclusively by this value; each append costs one comparison with the remaining capacity.
package struct EventLine: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// The offset after the JSON. One byte of capacity is always reserved for the line feed.
    private var end = EventRecord.prefixCapacity

    package init() {
        capacity = 4_096 + EventRecord.keyCapacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Creates a line that contains this JSON text.
    package init(json: ArraySlice<UInt8>) {
        self.init()
        json.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    deinit {
        memory.deallocate()
    }

    /// Clears the line for the next event.
    package mutating func removeAll() {
        end = EventRecord.prefixCapacity
    }

    /// The number of bytes of the JSON.
    package var count: Int { end - EventRecord.prefixCapacity }

    /// A copy of the JSON appended so far.
    package var json: [UInt8] {
        Array(UnsafeRawBufferPointer(start: memory + EventRecord.prefixCapacity, count: count))
    }

    /// Calls `body` with the complete record, including its line feed. The pointer is valid only during the call.
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

    /// Equivalent of ``withRecord(sequence:isActive:timestamp:_:)`` for a record with a partition key.
    mutating func withRecord<Result>(
        sequence: Int,
        isActive: Bool,
        timestamp: Timestamp,
        partition: PartitionKey?,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let record = UnsafeMutableRawBufferPointer(start: memory, count: end + 1)
        let start = EventRecord.compose(
            in: record,
            sequence: sequence,
            isActive: isActive,
            timestamp: timestamp,
            partition: partition
        )
        return body(UnsafeRawBufferPointer(rebasing: record[start...]))
    }

    /// Appends the output of `body`, which writes at most `count` bytes.
    @inline(__always)
    mutating func append(maxLength count: Int, _ body: (inout MemorySink) -> Void) {
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

/// Attributes of an event of automatic capture, written one by one.
extension EventLine {
    package mutating func append(_ field: CapturedField, _ text: String) {
        // A byte of text is at most six of JSON.
        append(field, maxLength: 6 * text.utf8.count + 2) { JSONWriter.append(text, to: &$0) }
    }

    package mutating func append(_ field: CapturedField, _ integer: Int64) {
        append(field, maxLength: 20) { JSONWriter.append(integer, to: &$0) }
    }

    package mutating func append(_ field: CapturedField, _ truth: Bool) {
        append(field, maxLength: 5) { JSONWriter.append(truth, to: &$0) }
    }

    @inline(__always)
    private mutating func append(_ field: CapturedField, maxLength count: Int, _ value: (inout MemorySink) -> Void) {
        let name = field.rawValue
        append(maxLength: name.utf8.count + count + 4) { sink in
            sink.append(UInt8(ascii: ","))
            sink.append(UInt8(ascii: "\""))
            name.utf8.withContiguousStorageIfAvailable { sink.append(contentsOf: $0) }
            sink.append(UInt8(ascii: "\""))
            sink.append(UInt8(ascii: ":"))
            value(&sink)
        }
    }
}
