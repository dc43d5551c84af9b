/// Device dependency: properties of the device that can change while a process runs.
///
/// Production reads the machine (`HostDevice` in `ClickstreamAnalytics`), the simulation has a `VirtualDevice`. All members
/// are thread-safe.
package protocol DeviceSource: Sendable {
    /// Reads the current properties, at each change to the foreground. Costs some small reads of files.
    func device() -> ClickstreamClient.Device

    /// Returns the offset from GMT at `time`, in milliseconds, in the zone that the device is in now.
    ///
    /// Called with the client's lock, once per quarter of an hour; see ``LocalZone``.
    func zoneOffset(at time: Timestamp) -> Int
}
