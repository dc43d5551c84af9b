import ClickstreamCore

/// The manual's sample event: 30 common fields, 8 attributes. The programs of `Tests/Performance` contain this file by
/// symbolic links.
enum Sample {
    static let device = ClickstreamClient.Device(
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
        app: ClickstreamClient.Device.App(package: "com.example.app", title: "Example", version: "1.0")
    )

    /// Eight attributes, as an app writes them.
    @inline(never)
    static func attributes(_ price: Double, _ count: Int) -> Attributes {
        [
            "category": "shoes", "currency": "CNY", "event_category": "recommended", "price": price, "count": count,
            "is_member": true, "product_name": "trail runner", "position": 4,
        ]
    }
}

/// A network that is away.
struct NoNetwork: ClickstreamClient.Transport {
    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        throw .refused("no network")
    }
}
