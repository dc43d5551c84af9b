#if canImport(Network)
import ClickstreamCore
import Dispatch
import Network

/// Forwards the network type and its availability to the SDK.
///
/// Not compiled on Linux, where this repository is built. Started once, by the first launch of the SDK; the first
/// report follows shortly afterwards, so the events of a launch have `UNKNOWN`.
@MainActor
enum NetworkAdapter {
    private static var monitor: NWPathMonitor?

    static func start() {
        guard monitor == nil else { return }
        let new = NWPathMonitor()
        monitor = new
        new.pathUpdateHandler = { path in
            let isOnline = path.status == .satisfied
            let type = networkType(of: path)
            guard let client = Facade.current.client else { return }
            client.updateDevice { $0.networkType = type }
            client.setOnline(isOnline)
        }
        new.start(queue: DispatchQueue(label: "clickstream.network"))
    }

    private nonisolated static func networkType(of path: NWPath) -> String {
        guard path.status == .satisfied else { return "UNKNOWN" }
        if path.usesInterfaceType(.wifi) { return "WIFI" }
        return path.usesInterfaceType(.cellular) ? "Mobile" : "UNKNOWN"
    }
}
#endif
