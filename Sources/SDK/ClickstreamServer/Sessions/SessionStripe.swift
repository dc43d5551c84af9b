import ClickstreamCore
import Synchronization

/// Part of a ``SessionTable`` under a lock of its own. Has at least one place for a device.
final class SessionStripe: Sendable {
    private let table: Locked<Devices>

    init(freeSlots: FreeSlots, timeout: Int64) {
        table = Locked(Devices(freeSlots: freeSlots, timeout: timeout))
    }

    /// Free places of a table, for all its parts. Only a new device takes one. Thread-safe.
    final class FreeSlots: Sendable {
        private let count: Atomic<Int>

        init(count: Int) {
            self.count = Atomic(count)
        }

        /// - Returns: false if there is none left.
        func take() -> Bool {
            // Loaded first: a full table writes nothing that other parts read.
            guard count.load(ordering: .relaxed) > 0 else { return false }
            if count.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
            count.add(1, ordering: .relaxed)
            return false
        }
    }

    func session(of deviceID: String, at time: Timestamp) -> (session: Visitor.Session, isNew: Bool) {
        let touched = table.withLock { $0.touch(deviceID, at: time) }
        let session = Visitor.Session(id: touched.id, number: Int(touched.number), start: touched.start)
        return (session, touched.isNew)
    }

    var count: Int { table.withLock { $0.count } }
    var evictions: Int { table.withLock { $0.evictions } }
}

/// Hash table with linear probing over entries that form a list in the order of their last use.
///
/// The table of places has at least twice as many places as entries. Memory is allocated as the number of entries grows.
private struct Devices: Sendable {
    private struct Entry: Sendable {
        var hash: UInt64
        /// The session's id, which costs more to compute than to keep.
        var id: String
        var start: Int64
        var lastActive: Int64
        var number: Int32
        /// The neighbours in the list; -1 at its ends.
        var newer: Int32
        var older: Int32
    }

    struct Touched: Sendable {
        var id: String
        var number: Int32
        var start: Timestamp
        var isNew: Bool
    }

    private let freeSlots: SessionStripe.FreeSlots
    private let timeout: Int64
    /// Seed of the hash, so that clients cannot choose device ids with one hash.
    private let seed = UInt64.random(in: .min ... .max)
    private var entries: [Entry] = []
    /// Index of an entry plus 1, or 0 for an empty place; a power of two of them.
    private var slots = [UInt32](repeating: 0, count: 16)
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    private(set) var evictions = 0

    init(freeSlots: SessionStripe.FreeSlots, timeout: Int64) {
        self.freeSlots = freeSlots
        self.timeout = timeout
    }

    var count: Int { entries.count }

    /// Continues the session of a device, or starts one.
    mutating func touch(_ deviceID: String, at time: Timestamp) -> Touched {
        var hasher = Hasher()
        hasher.combine(seed)
        var deviceID = deviceID
        deviceID.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        let now = time.milliseconds
        if let index = index(of: hash) {
            // A clock that was set back continues the session.
            let isNew = max(0, now &- entries[index].lastActive) >= timeout
            if isNew {
                entries[index].id = Self.id(deviceID, at: time)
                entries[index].start = now
                entries[index].number &+= 1
            }
            entries[index].lastActive = isNew ? now : max(now, entries[index].lastActive)
            moveToFront(index)
            return touched(index, isNew: isNew)
        }
        let entry = Entry(
            hash: hash,
            id: Self.id(deviceID, at: time),
            start: now,
            lastActive: now,
            number: 1,
            newer: -1,
            older: -1
        )
        let index: Int
        if entries.isEmpty || freeSlots.take() {
            if (entries.count + 1) * 2 > slots.count { grow() }
            index = entries.count
            entries.append(entry)
        } else {
            index = Int(oldest)
            unlink(index)
            removeSlot(of: index)
            entries[index] = entry
            evictions += 1
        }
        slots[freeSlot(for: hash)] = UInt32(index + 1)
        linkAtFront(index)
        return touched(index, isNew: true)
    }

    private static func id(_ deviceID: String, at time: Timestamp) -> String {
        Session.id(uniqueID: deviceID, start: time)
    }

    private func touched(_ index: Int, isNew: Bool) -> Touched {
        Touched(
            id: entries[index].id,
            number: entries[index].number,
            start: Timestamp(milliseconds: entries[index].start),
            isNew: isNew
        )
    }

    // MARK: Places

    private var mask: Int { slots.count - 1 }

    private func home(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

    private func index(of hash: UInt64) -> Int? {
        var slot = home(of: hash)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].hash == hash { return index }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private func freeSlot(for hash: UInt64) -> Int {
        var slot = home(of: hash)
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for index in entries.indices { slots[freeSlot(for: entries[index].hash)] = UInt32(index + 1) }
    }

    /// Removes an entry's place, and moves the following ones back so that no gap separates them from their homes.
    private mutating func removeSlot(of index: Int) {
        var hole = home(of: entries[index].hash)
        while Int(slots[hole]) != index + 1 { hole = (hole + 1) & mask }
        var slot = (hole + 1) & mask
        while slots[slot] != 0 {
            let home = home(of: entries[Int(slots[slot]) - 1].hash)
            if (slot - home) & mask >= (slot - hole) & mask {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = (slot + 1) & mask
        }
        slots[hole] = 0
    }

    // MARK: Order of use

    private mutating func moveToFront(_ index: Int) {
        guard newest != Int32(index) else { return }
        unlink(index)
        linkAtFront(index)
    }

    private mutating func linkAtFront(_ index: Int) {
        entries[index].newer = -1
        entries[index].older = newest
        if newest >= 0 { entries[Int(newest)].newer = Int32(index) }
        newest = Int32(index)
        if oldest < 0 { oldest = Int32(index) }
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (entries[index].newer, entries[index].older)
        if newer >= 0 { entries[Int(newer)].older = older } else { newest = older }
        if older >= 0 { entries[Int(older)].newer = newer } else { oldest = newer }
    }
}
