import Clickstream
import Foundation

/// Records one event as an app would, without a server, and prints the place of its store.
@main
struct LightConsumer {
    static func main() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("clickstream-consumer-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }  // a leftover in the temporary folder is no failure
        let configuration = ClickstreamConfiguration()
            .withAppId("light_consumer")
            .with(\.storageDirectory, folder.path)
        try ClickstreamAnalytics.initSDK(configuration)
        ClickstreamAnalytics.recordEvent("add_to_cart", ["price": 12.5, "count": 2])
        ClickstreamAnalytics.shutdown()
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        guard files.contains(where: { $0.hasSuffix(".events") }) else {
            print("no stored event found among \(files)")
            exit(1)
        }
        print("recorded and stored without any third-party package")
    }
}
