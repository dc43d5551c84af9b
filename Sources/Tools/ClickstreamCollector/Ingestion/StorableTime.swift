#if Collector
import ClickstreamCore

/// Clock of a collector: the wall time of a machine without a battery, or with a wrong date, is limited to the range that a
/// store, its archive and HTTP dates can represent.
struct StorableTime: TimeSource {
    private let source: any TimeSource

    init(_ source: any TimeSource) {
        self.source = source
    }

    func now() -> Moment {
        var moment = source.now()
        moment.wall = moment.wall.storable
        return moment
    }

    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        source.after(milliseconds: delay, work)
    }

    func sleep(milliseconds delay: Int64) async throws {
        try await source.sleep(milliseconds: delay)
    }
}
#endif
