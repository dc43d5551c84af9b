import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app that loads a page.
@main
struct PlainApp {
    static func main() async throws {
        guard CommandLine.arguments.count > 1, let url = URL(string: CommandLine.arguments[1]) else { return }
        print(try await URLSession.shared.data(from: url).0.count)
    }
}
