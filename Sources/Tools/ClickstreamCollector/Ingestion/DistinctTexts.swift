/// Range of an upload's content, compared by its bytes and not by its position.
protocol TextKey: Sendable, Hashable {
    func isSame(as other: Self, in bytes: UnsafeRawBufferPointer) -> Bool
    func hash(into hasher: inout Hasher, in bytes: UnsafeRawBufferPointer)
}

/// Ordered set of texts, by first occurrence, with lookup in constant time.
struct DistinctTexts<Key: TextKey>: Sendable, Hashable {
    private(set) var keys: [Key] = []
    /// Hash table of indexes, -1 for free; empty while there are so few keys that a linear search is faster.
    private var slots: [Int32] = []

    /// Maximum number of keys for the linear search.
    private static var few: Int { 8 }

    /// Index of a key, appended if it is new. Checks the last key first, which is the most frequent match.
    mutating func index(of key: Key, in bytes: UnsafeRawBufferPointer) -> Int32 {
        if slots.isEmpty {
            if let index = keys.lastIndex(where: { $0.isSame(as: key, in: bytes) }) { return Int32(index) }
        } else {
            if let last = keys.last, last.isSame(as: key, in: bytes) { return Int32(keys.count - 1) }
            let slot = slot(of: key, in: bytes)
            if slots[slot] >= 0 { return slots[slot] }
            slots[slot] = Int32(keys.count)
        }
        keys.append(key)
        if keys.count > max(Self.few, slots.count / 2) { spread(in: bytes) }
        return Int32(keys.count - 1)
    }

    /// Slot of a key in the hash table, or the free slot for it. At least half of the slots are free. The hash has a
    /// random seed per process, so that clients cannot construct collisions.
    private func slot(of key: Key, in bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        key.hash(into: &hasher, in: bytes)
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] >= 0, !keys[Int(slots[slot])].isSame(as: key, in: bytes) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func spread(in bytes: UnsafeRawBufferPointer) {
        slots = Array(repeating: -1, count: max(64, slots.count * 4))
        for (index, key) in keys.enumerated() { slots[slot(of: key, in: bytes)] = Int32(index) }
    }
}

extension DistinctTexts<TextRange> {
    /// Index of a text, appended if it is new; -1 for none.
    mutating func index(ofText text: TextRange, in bytes: UnsafeRawBufferPointer) -> Int32 {
        text.isNone ? -1 : index(of: text, in: bytes)
    }
}

extension TextRange: TextKey {
    func isSame(as other: TextRange, in bytes: UnsafeRawBufferPointer) -> Bool {
        self == other
            || isNone == other.isNone && range.count == other.range.count
                && UnsafeRawBufferPointer(rebasing: bytes[range])
                    .elementsEqual(UnsafeRawBufferPointer(rebasing: bytes[other.range]))
    }

    func hash(into hasher: inout Hasher, in bytes: UnsafeRawBufferPointer) {
        hasher.combine(range.count)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}

extension UploadContent.Session: TextKey {
    func isSame(as other: Self, in bytes: UnsafeRawBufferPointer) -> Bool {
        id.isSame(as: other.id, in: bytes) && appID.isSame(as: other.appID, in: bytes)
    }

    func hash(into hasher: inout Hasher, in bytes: UnsafeRawBufferPointer) {
        id.hash(into: &hasher, in: bytes)
        appID.hash(into: &hasher, in: bytes)
    }
}
