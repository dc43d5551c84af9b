/// Hash table of names, looked up by their bytes in a larger text without building a string.
struct NameTable<Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        /// The range of the name in ``text``.
        var start = 0
        var count = 0
        /// `nil` for an empty slot.
        var value: Value?
    }

    /// All names, concatenated.
    private var text: [UInt8] = []
    /// Open addressing with linear probing; at most a quarter of the slots is in use.
    private var slots: [Slot]

    init(_ values: [String: Value]) {
        var capacity = 4
        while capacity < values.count * 4 { capacity *= 2 }
        slots = Array(repeating: Slot(), count: capacity)
        for (name, value) in values {
            let bytes = Array(name.utf8)
            var index = bytes.withUnsafeBytes { Self.hash($0) } & (capacity - 1)
            while slots[index].value != nil { index = (index + 1) & (capacity - 1) }
            slots[index] = Slot(start: text.count, count: bytes.count, value: value)
            text += bytes
        }
    }

    /// The value of the name at `range`, or `nil` for a name that is not in the table.
    subscript(bytes: UnsafeRawBufferPointer, range: Range<Int>) -> Value? {
        let name = UnsafeRawBufferPointer(rebasing: bytes[range])
        let mask = slots.count &- 1
        var index = Self.hash(name) & mask
        return slots.withUnsafeBufferPointer { slots in
            while let value = slots[index].value {
                if slots[index].count == name.count, isName(slots[index].start, name) { return value }
                index = (index &+ 1) & mask
            }
            return nil
        }
    }

    @inline(__always)
    private func isName(_ start: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        text.withUnsafeBufferPointer { text in
            for index in 0..<name.count where text[start &+ index] != name[index] { return false }
            return true
        }
    }

    /// A hash of the length, the first and the last eight bytes.
    @inline(__always)
    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        let size = MemoryLayout<UInt64>.size
        var first: UInt64 = 0
        var last: UInt64 = 0
        if name.count >= size {
            first = name.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            last = name.loadUnaligned(fromByteOffset: name.count &- size, as: UInt64.self)
        } else {
            for byte in name { first = first &<< 8 | UInt64(byte) }
        }
        // Fibonacci hashing: the upper bits of the product depend on all bits of the factor.
        let mixed = (first ^ (last &<< 1) ^ UInt64(truncatingIfNeeded: name.count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed &>> 40)
    }
}
