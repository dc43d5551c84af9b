import Clickstream
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The same app, with events.
@main
struct AppWithSDK {
    static func main() async throws {
        guard CommandLine.arguments.count > 1, let url = URL(string: CommandLine.arguments[1]) else { return }
        try ClickstreamAnalytics.initSDK()
        let count = try await URLSession.shared.data(from: url).0.count
        ClickstreamAnalytics.recordEvent("page_loaded", ["bytes": count])
        print(count)
    }
}
