public import ClickstreamCore

/// Sessions of a server's visitors, by device id, in memory.
///
/// A session continues while events of the device follow each other within the timeout; the next one has the next number. At
/// most `capacity` devices are kept: a further one replaces a device, which is counted, and which starts again with
/// session 1. That device is the one of its part of the table, a 64th, that was idle the longest. Devices are kept by a
/// keyed hash of 64 bits, in about 130 bytes each. Each call costs O(1), and a lock that only calls for a 64th of the
/// devices share. Thread-safe.
public final class SessionTable: Sendable {
    /// The number of devices that the table has room for.
    package let capacity: Int
    private let stripes: [SessionStripe]

    /// Creates an empty table.
    /// - Parameters:
    ///   - capacity: the maximum number of devices; at least 64.
    ///   - timeout: the time without an event after which a session ends.
    public init(capacity: Int = 1_000_000, timeout: Duration = .seconds(1_800)) {
        self.capacity = min(max(Self.stripeCount, capacity), Int(Int32.max))
        // Each part has a place of its own, and takes further ones as it needs them.
        let freeSlots = SessionStripe.FreeSlots(count: self.capacity - Self.stripeCount)
        let milliseconds = max(0, timeout.wholeMilliseconds)
        stripes = (0..<Self.stripeCount).map { _ in SessionStripe(freeSlots: freeSlots, timeout: milliseconds) }
    }

    /// Returns the session of a device at a time, and true if it starts with this call.
    ///
    /// The caller records `_session_start` for a session that starts; `ServerEvents` does for its table.
    public func session(of deviceID: String, at time: Timestamp) -> (session: Visitor.Session, isNew: Bool) {
        stripes[Self.stripe(of: deviceID)].session(of: deviceID, at: time)
    }

    /// The number of devices in the table.
    public var count: Int { stripes.reduce(0) { $0 + $1.count } }
    /// The number of devices that were replaced by others.
    public var evictions: Int { stripes.reduce(0) { $0 + $1.evictions } }

    // MARK: Parts

    /// The number of independent parts of a table.
    static let stripeCount = 64

    /// Returns the number of the part that contains a device: the same in each process.
    static func stripe(of deviceID: String) -> Int {
        var deviceID = deviceID
        return deviceID.withUTF8 { Int(Checksum.crc32c(UnsafeRawBufferPointer($0)) % UInt32(stripeCount)) }
    }

    subscript(stripe stripe: Int) -> SessionStripe { stripes[stripe] }
}
