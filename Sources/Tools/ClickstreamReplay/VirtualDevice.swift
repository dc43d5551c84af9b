package import ClickstreamCore

/// Virtual device, whose properties and zone change only on request.
///
/// A class, because the client and the test share one device. All members are thread-safe.
package final class VirtualDevice: DeviceSource {
    private struct State {
        var device: ClickstreamClient.Device
        var zone: ZoneOffset
        var zoneReadings = 0
    }

    private let state: Locked<State>

    /// Creates a device with these properties; their offset from GMT is that of the zone.
    package init(_ device: ClickstreamClient.Device, zone: ZoneOffset) {
        state = Locked(State(device: device, zone: zone))
    }

    package func device() -> ClickstreamClient.Device { state.withLock { $0.device } }

    package func zoneOffset(at time: Timestamp) -> Int {
        state.withLock { state in
            state.zoneReadings += 1
            return state.zone.milliseconds(at: time)
        }
    }

    /// The number of calls of ``zoneOffset(at:)``.
    package var zoneReadings: Int { state.withLock { $0.zoneReadings } }

    /// Changes the properties, as the system does: a client reads them when it enters the foreground.
    package func change(_ body: (inout ClickstreamClient.Device) -> Void) {
        state.withLock { body(&$0.device) }
    }

    /// Moves the device to another zone.
    package func move(to zone: ZoneOffset) {
        state.withLock { $0.zone = zone }
    }
}
