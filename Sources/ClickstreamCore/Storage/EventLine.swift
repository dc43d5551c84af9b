/// The record of one event while it is made: JSON is appended, and the record's header goes in front of it.
///
/// Kept and used again, so that recording allocates nothing, and written to the file from where it was made. The memory
/// is this value's alone; what is appended passes one comparison with the room that is left.
package struct EventLine: ~Copyable {
    private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
    /// Where the JSON ends. Room for a line feed is always left behind it.
    private var end = EventRecord.headerRoom

    package init() {}

    /// A line that holds this JSON text.
    package init(json: ArraySlice<UInt8>) {
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
        Array(memory[EventRecord.headerRoom..<end])
    }

    /// Lends the whole record, its line feed included.
    mutating func withRecord<Result>(
        sequence: Int,
        isActive: Bool,
        timestamp: Timestamp,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let record = UnsafeMutableRawBufferPointer(rebasing: memory[...end])
        let start = EventRecord.compose(in: record, sequence: sequence, isActive: isActive, timestamp: timestamp)
        return body(UnsafeRawBufferPointer(rebasing: record[start...]))
    }

    private mutating func grow(by count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(end + count + 1, memory.count * 2),
            alignment: 16
        )
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
        memory.deallocate()
        memory = larger
    }
}

extension EventLine: ByteSink {
    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        if memory.count &- end < 2 { grow(by: 1) }
        memory[end] = byte
        end &+= 1
    }

    @inline(__always)
    package mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        if memory.count &- end <= bytes.count { grow(by: bytes.count) }
        UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
        end &+= bytes.count
    }
}
