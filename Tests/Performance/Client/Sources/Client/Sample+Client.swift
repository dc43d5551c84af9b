import ClickstreamCore
import Synchronization

extension Sample {
    /// So many attributes, made anew at each call.
    @inline(never)
    static func built(_ count: Int) -> Attributes {
        var attributes: Attributes = [:]
        for index in 0..<count {
            if index % 2 == 0 {
                attributes[names[index]] = AttributeValue.integer(Int64(index))
            } else {
                attributes[names[index]] = AttributeValue.string("text")
            }
        }
        return attributes
    }

    private static let names = (0..<500).map { "attribute_\($0)" }

    /// A client on the machine's own disk, with a user that has three attributes. Nothing is sent unless asked for.
    static func client(
        _ folder: String,
        logsEvents: Bool = false,
        transport: (any ClickstreamClient.Transport)? = NoNetwork(),
        endpoint: String = "http://127.0.0.1:9/collect",
        observe: (@Sendable (Notice) -> Void)? = nil
    ) throws -> ClickstreamClient {
        var configuration = ClickstreamClient.Configuration(appID: "sample", endpoint: endpoint)
        configuration.sendInterval = .seconds(3_600)
        configuration.maxStoreBytes = 8_000_000_000
        configuration.logsEvents = logsEvents
        let client = try ClickstreamClient(
            in: ClickstreamClient.World(
                configuration: configuration,
                device: device,
                storage: folder,
                transport: transport,
                observe: observe
            )
        )
        client.setUserID("13212")
        client.addUserAttributes(["_user_name": "carl", "_user_age": 32, "user_gender": "male"])
        return client
    }

    /// Event with eight attributes as on the wire, with the bytes around it in a store; only its length matters.
    static func storedBytes(_ folder: String) throws -> [UInt8] {
        let last = Seen()
        let client = try client(folder, observe: { last.observe($0) })
        client.record("add_to_cart", attributes: attributes(279.9, 3))
        client.terminate()
        return Array("1c291ca3 17 F1693920000703 ".utf8) + last.line + [UInt8(ascii: "\n")]
    }

    /// Remembers the line of the last `add_to_cart`.
    private final class Seen: Sendable {
        private let seen = Mutex<[UInt8]>([])
        var line: [UInt8] { seen.withLock { $0 } }

        func observe(_ notice: Notice) {
            guard case .recorded(name: "add_to_cart", _, let line, _) = notice else { return }
            seen.withLock { $0 = line }
        }
    }
}
