import ClickstreamCore
import ClickstreamSimulation

/// Clock with a fixed wall time; the monotonic clock and timers are the system's. For tests that are not about time.
struct FixedTime: TimeSource {
    /// 2024-05-08T01:26:55.123Z
    static let start: Int64 = 1_715_131_615_123

    var wall = FixedTime.start

    func now() -> Moment {
        Moment(wall: Timestamp(milliseconds: wall), steady: SystemTime().now().steady)
    }

    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        SystemTime().after(milliseconds: delay, work)
    }

    func sleep(milliseconds delay: Int64) async throws {
        try await SystemTime().sleep(milliseconds: delay)
    }
}

/// Virtual clock that begins at the wall time of ``FixedTime``.
func virtualTime() -> VirtualTime {
    VirtualTime(start: Timestamp(milliseconds: FixedTime.start))
}
