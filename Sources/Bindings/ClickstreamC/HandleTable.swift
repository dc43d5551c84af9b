import CClickstreamSystem
import ClickstreamCore
import Synchronization

/// Values of one kind, addressed by handles that are checked at each use.
///
/// A handle contains a marker, the kind, the place of a slot and the slot's generation. Removing a value increments the
/// generation, so that an older handle of the slot is refused. Thread-safe; values are distributed over several locks.
final class HandleTable<Value: Sendable>: Sendable {
    private struct Slot {
        var generation = Handle.generations.lowerBound
        var value: Value?
    }

    private struct Slots {
        var slots: [Slot] = []
        /// Indices of empty slots.
        var free: [Int] = []
    }

    /// Slots with their lock.
    private final class Shard: Sendable {
        private let slots = Locked(Slots())

        @inline(__always)
        func withLock<Result>(_ body: (inout Slots) -> sending Result) -> sending Result {
            slots.withLock { body(&$0) }
        }
    }

    private let kind: HandleKind
    private let shards: [Shard]
    private let created = Atomic<Int>(0)

    init(of kind: HandleKind) {
        self.kind = kind
        shards = (0..<Handle.shards).map { _ in Shard() }
    }

    /// Adds a value.
    /// - Returns: `nil` if there are too many values.
    func insert(_ value: Value) -> Handle? {
        let shard = created.wrappingAdd(1, ordering: .relaxed).oldValue & (Handle.shards - 1)
        return shards[shard].withLock { slots -> Handle? in
            let index: Int
            if let free = slots.free.popLast() {
                index = free
            } else {
                guard slots.slots.count < Handle.slotsOfShard else { return nil }
                index = slots.slots.count
                slots.slots.append(Slot())
            }
            slots.slots[index].value = value
            return Handle(kind, shard: shard, index: index, generation: slots.slots[index].generation)
        }
    }

    /// Removes and returns a value; `nil` for an invalid handle.
    func remove(_ handle: Handle) -> Value? {
        guard handle.isOf(kind) else { return nil }
        return shards[handle.shard].withLock { slots -> Value? in
            let index = handle.index
            guard index < slots.slots.count, slots.slots[index].generation == handle.generation,
                let value = slots.slots[index].value.take()
            else { return nil }
            // A slot whose generations are used up is not used again: an old handle would be valid.
            if slots.slots[index].generation < Handle.generations.upperBound {
                slots.slots[index].generation += 1
                slots.free.append(index)
            }
            return value
        }
    }

    /// Returns a value; `nil` for an invalid handle.
    @inline(__always)
    func value(_ handle: Handle) -> Value? {
        guard handle.isOf(kind) else { return nil }
        return shards[handle.shard].withLock { slots -> Value? in
            let index = handle.index
            guard index < slots.slots.count, slots.slots[index].generation == handle.generation else { return nil }
            return slots.slots[index].value
        }
    }

    /// Changes a value in place under its lock.
    /// - Returns: the result of `body`; `nil` for an invalid handle.
    @inline(__always)
    func change<Result: Sendable>(_ handle: Handle, _ body: (inout Value) -> Result) -> Result? {
        guard handle.isOf(kind) else { return nil }
        return shards[handle.shard].withLock { slots -> Result? in
            let index = handle.index
            guard index < slots.slots.count, slots.slots[index].generation == handle.generation,
                slots.slots[index].value != nil
            else { return nil }
            return body(&slots.slots[index].value!)
        }
    }
}

/// Kind of a handle.
enum HandleKind: UInt64, Sendable {
    case attributes = 1
    case configuration
    case client
    case observer
    case draft
}

/// Opaque value that C code holds: marker (8 bits), generation (32), index (16), shard (4), kind (3), and a bit that is
/// set. Never a canonical, aligned address, so that an attempt to access memory through it fails at once.
struct Handle: Sendable, Hashable {
    static let shards = 16
    static let slotsOfShard = 1 << 16
    private static let marker: UInt64 = 0xC5 << 56

    let bits: UInt64

    init(_ kind: HandleKind, shard: Int, index: Int, generation: UInt32) {
        bits =
            Self.marker | UInt64(generation) << 24 | UInt64(index) << 8 | UInt64(shard) << 4 | kind.rawValue << 1 | 1
    }

    /// - Parameter pointer: the value from C; `nil` for NULL.
    @inline(__always)
    init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        bits = UInt64(UInt(bitPattern: pointer))
    }

    /// The generations of this process. A child of `fork` has others, so that a handle of its parent is none of its own.
    static var generations: ClosedRange<UInt32> {
        let first = epoch << 24
        return first | 1...first | 0xFF_FFFF
    }

    private static var epoch: UInt32 { OwningProcess.resets & 0xFF }

    /// True for a handle of a process that this one was forked from.
    var isOfParent: Bool {
        OwningProcess.resets > 0 && bits >> 56 == Self.marker >> 56 && generation >> 24 != Self.epoch
    }

    /// The handle of the process's client; the generation 0 is used by no slot.
    static let defaultClient = Handle(.client, shard: 0, index: 0, generation: 0)

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: UInt(bits)) }

    fileprivate func isOf(_ kind: HandleKind) -> Bool {
        bits & (0xFF << 56 | 0xF) == Self.marker | kind.rawValue << 1 | 1
    }
    fileprivate var shard: Int { Int(bits >> 4 & 0xF) }
    fileprivate var index: Int { Int(bits >> 8 & 0xFFFF) }
    fileprivate var generation: UInt32 { UInt32(truncatingIfNeeded: bits >> 24) }
}
