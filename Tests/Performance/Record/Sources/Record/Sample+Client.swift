import ClickstreamCore

extension Sample {
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
        for index in 0..<count {
            attributes["attribute_\(index)"] = index.isMultiple(of: 2) ? .integer(Int64(index)) : "text"
        }
        return attributes
    }

    static func configuration(maxStoreBytes: Int) -> ClickstreamClient.Configuration {
        var configuration = ClickstreamClient.Configuration(appID: "sample", endpoint: "http://127.0.0.1:9/collect")
        configuration.sendInterval = .seconds(3_600)
        configuration.maxStoreBytes = maxStoreBytes
        return configuration
    }

    /// A client on the machine's own disk, with a user that has three attributes.
    static func client(_ folder: String, maxStoreBytes: Int = 52_428_800) throws -> ClickstreamClient {
        let client = try ClickstreamClient(
            in: ClickstreamClient.World(
                configuration: configuration(maxStoreBytes: maxStoreBytes),
                device: device,
                storage: folder,
                transport: NoNetwork()
            )
        )
        client.setUserID("13212")
        client.addUserAttributes(["_user_name": "carl", "_user_age": 32, "_user_gender": "male"])
        return client
    }
}
