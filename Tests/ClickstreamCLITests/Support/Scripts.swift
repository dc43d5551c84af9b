/// The scripts that the tests replay.
enum Scripts {
    /// Thirteen events: a launch, two screens, an order, and a mistake.
    static let shop = """
        clickstream: 1
        seed: 11
        config: { appId: shop }
        device: { platform: Linux, device_id: d-1 }
        steps:
          - launch
          - foreground
          - screen: { name: Home, unique_id: h1 }
          - wait: 3s
          - screen: Product
          - wait: 500ms
          - record: { name: add_to_cart, attributes: { category: shoes, value: 279.9, count: 3, gift: false } }
          - user_id: carl
          - record: "bad name"
          - wait: 2s
          - background
        """

    /// The same as ``shop``, as JSON.
    static let shopAsJSON = """
        {
          "clickstream": 1, "seed": 11, "config": { "appId": "shop" },
          "device": { "platform": "Linux", "device_id": "d-1" },
          "steps": [
            "launch", "foreground", { "screen": { "name": "Home", "unique_id": "h1" } }, { "wait": "3s" },
            { "screen": "Product" }, { "wait": "500ms" },
            { "record": { "name": "add_to_cart",
                          "attributes": { "category": "shoes", "value": 279.9, "count": 3, "gift": false } } },
            { "user_id": "carl" }, { "record": "bad name" }, { "wait": "2s" }, "background"
          ]
        }
        """

    /// A launch and then so many events.
    /// - Parameters:
    ///   - storeBytes: a request holds a sixteenth of that at most.
    ///   - batchBytes: a collector that is built without optimization takes long for thousands of events on a machine with
    ///     other work; a client to which nothing comes for ten seconds sends them again.
    static func events(
        _ count: Int,
        appID: String = "shop",
        storeBytes: Int = 52_428_800,
        batchBytes: Int = 524_288
    ) -> String {
        """
        clickstream: 1
        config: { appId: \(appID), maxStoreBytes: \(storeBytes), maxBatchBytes: \(batchBytes) }
        device: { device_id: d-1 }
        steps:
          - launch
          - repeat: { times: \(count), steps: [ { record: { name: add_to_cart, attributes: { value: 279.9 } } } ] }
        """
    }

    /// A launch, an event, and an hour in which nothing happens.
    static let slow = """
        clickstream: 1
        config: { appId: shop }
        steps:
          - launch
          - record: begun
          - wait: 1h
          - record: ended
        """
}
