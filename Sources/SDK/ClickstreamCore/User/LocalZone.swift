/// The device's zone: offset from GMT as of an event, read at most once per quarter of an hour.
///
/// Zones change their offset at multiples of a quarter of an hour (UTC). In a quarter with another change, which `TZ` can
/// define, the offset is read for each event. A device that moved to another zone is noticed in the next quarter.
package struct LocalZone: Sendable {
    /// A zone that is never read: the device's offset stays.
    package static let fixed = LocalZone(nil)

    /// Length of a quarter of an hour, in milliseconds.
    private static let quarter: Int64 = 900_000

    private let source: (any DeviceSource)?
    /// Times in milliseconds at which the last reading is valid.
    private var known: Range<Int64>

    package init(_ source: (any DeviceSource)?) {
        self.source = source
        known = source == nil ? Int64.min..<Int64.max : 0..<0
    }

    /// False if the offset must be read. Costs two comparisons.
    @inline(__always)
    func isKnown(at time: Timestamp) -> Bool { known.contains(time.milliseconds) }

    /// Reads the offset at `time`, in milliseconds; `nil` for a fixed zone.
    mutating func read(at time: Timestamp) -> Int? {
        guard let source else { return nil }
        let offset = source.zoneOffset(at: time)
        let start = time.milliseconds &- (time.milliseconds % Self.quarter &+ Self.quarter) % Self.quarter
        let end = start &+ Self.quarter
        let isConstant = [start, end &- 1].allSatisfy {
            source.zoneOffset(at: Timestamp(milliseconds: $0)) == offset
        }
        known = isConstant && start < end ? start..<end : 0..<0
        return offset
    }

    /// Discards the last reading, so that the next event reads the offset.
    mutating func discardReading() {
        if source != nil { known = 0..<0 }
    }
}
