import ClickstreamCore

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

    /// Eight attributes, as an app writes them.
    @inline(never)
    static func attributes(_ price: Double, _ count: Int) -> Attributes {
        [
            "category": "shoes", "currency": "CNY", "event_category": "recommended", "price": price, "count": count,
            "is_member": true, "product_name": "trail runner", "position": 4,
        ]
    }

    /// The same event as a type of its own.
    struct AddToCart: ClickstreamEvent {
        static let name = "add_to_cart"
        var category = "shoes"
        var currency = "CNY"
        var event_category = "recommended"
        var price: Double
        var count: Int
        var is_member = true
        var product_name = "trail runner"
        var position = 4
    }

    static func attributes(_ count: Int) -> Attributes {
        var attributes: Attributes = [:]
        for place in 0..<count {
            attributes["attribute_\(place)"] = place.isMultiple(of: 2) ? .integer(Int64(place)) : "text"
        }
        return attributes
    }

    static func configuration(maxStoreBytes: Int) -> Configuration {
        var configuration = Configuration(appID: "sample", endpoint: "http://127.0.0.1:9/collect")
        configuration.sendInterval = 3_600_000
        configuration.maxStoreBytes = maxStoreBytes
        return configuration
    }

    /// A client on the machine's own disk, with a user that has three attributes.
    static func client(_ folder: String, maxStoreBytes: Int = 52_428_800) throws -> ClickstreamClient {
        let client = try ClickstreamClient(
            configuration: configuration(maxStoreBytes: maxStoreBytes),
            device: device,
            storage: folder,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: NoNetwork()
            )
        )
        client.setUserID("13212")
        client.addUserAttributes(["_user_name": "carl", "_user_age": 32, "_user_gender": "male"])
        return client
    }
}

/// A network that is away.
struct NoNetwork: Transport {
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        throw .refused("no network")
    }
}
