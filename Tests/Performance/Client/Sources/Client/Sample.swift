import ClickstreamCore
import Synchronization

/// The manual's sample event: 30 common fields, 8 attributes, 3 user attributes.
enum Sample {
    static let device = Device(
        platform: "Linux",
        osVersion: "6.1",
        make: "apple",
        brand: "apple",
        model: "iPhone 14 Pro",
        locale: "zh_CN",
        language: "zh",
        country: "CN",
        carrier: "CDMA",
        networkType: "Mobile",
        screenWidth: 1_170,
        screenHeight: 2_532,
        zoneOffset: 28_800_000,
        deviceID: "F5B1CE5C-8ED9-4A45-B6FA-7D6B3B0A9F3C",
        advertisingID: "F5B1CE5C-8ED9-4A45-B6FA-7D6B3B0A9F3C",
        app: Device.App(package: "com.example.app", title: "Example", version: "1.0")
    )

    /// Eight attributes as an app writes them.
    @inline(never)
    static func literal(_ price: Double, _ count: Int) -> Attributes {
        [
            "category": "shoes", "currency": "CNY", "event_category": "recommended", "price": price, "count": count,
            "is_member": true, "product_name": "trail runner", "position": 4,
        ]
    }

    /// So many of them, made anew at each call.
    @inline(never)
    static func built(_ count: Int) -> Attributes {
        var attributes: Attributes = [:]
        for place in 0..<count {
            if place % 2 == 0 {
                attributes.set(names[place], to: .integer(Int64(place)))
            } else {
                attributes.set(names[place], to: "text")
            }
        }
        return attributes
    }

    private static let names = (0..<500).map { "attribute_\($0)" }

    /// A client on the machine's own disk, with a user that has three attributes. Nothing is sent unless asked for.
    static func client(
        _ folder: String,
        logsEvents: Bool = false,
        transport: (any Transport)? = NoNetwork(),
        endpoint: String = "http://127.0.0.1:9/collect",
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws -> ClickstreamClient {
        var configuration = Configuration(appID: "sample", endpoint: endpoint)
        configuration.sendInterval = 3_600_000
        configuration.maxStoreBytes = 8_000_000_000
        configuration.logsEvents = logsEvents
        let client = try ClickstreamClient(
            configuration: configuration,
            device: device,
            storage: folder,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: transport
            ),
            observe: observe
        )
        client.setUserID("13212")
        client.addUserAttributes(["_user_name": "carl", "_user_age": 32, "user_gender": "male"])
        return client
    }

    /// Event with eight attributes as on the wire, with the bytes around it in a store; only its length matters.
    static func storedBytes(_ folder: String) throws -> [UInt8] {
        let last = Seen()
        let client = try client(folder, observe: { last.look($0) })
        client.recordEvent("add_to_cart", literal(279.9, 3))
        client.terminate()
        return Array("1c291ca3 17 F1693920000703 ".utf8) + last.line + [UInt8(ascii: "\n")]
    }

    /// Remembers the line of the last `add_to_cart`.
    private final class Seen: Sendable {
        private let seen = Mutex<[UInt8]>([])
        var line: [UInt8] { seen.withLock { $0 } }

        func look(_ notice: Notice) {
            guard case .recorded(name: "add_to_cart", _, let line, _) = notice else { return }
            seen.withLock { $0 = line }
        }
    }
}

/// A network that is away.
struct NoNetwork: Transport {
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        throw .refused("no network")
    }
}
