import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

// Code of ClickstreamCore.docc and of the doc comments of ClickstreamCore; see DocumentationTests.

// snippet
struct FolderTransport: ClickstreamClient.Transport {
    let folder: URL

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        do {
            try Data(request.body).write(to: folder.appending(component: UUID().uuidString), options: .atomic)
        } catch {
            throw .refused("\(error)")
        }
        return UploadResponse(status: 200)
    }
}
// end

@Suite("Code of ClickstreamCore's documentation")
struct CoreSnippets {
    /// Compiled only: the example stores its events on the machine's disk.
    func landingPage(_ transport: any ClickstreamClient.Transport) async throws {
        // snippet
        let world = ClickstreamClient.World(
            configuration: ClickstreamClient.Configuration(appID: "shop", endpoint: "https://example.com/collect"),
            device: ClickstreamClient.Device(
                platform: "Linux",
                osVersion: "6.1",
                app: ClickstreamClient.Device.App(version: "1.0")
            ),
            storage: "/var/lib/shop/clickstream",
            transport: transport
        )
        let client = try ClickstreamClient(in: world)
        client.record("add_to_cart", attributes: ["category": "shoes", "value": 279.9])

        let report = await client.flush()
        print("sent \(report.sent), retained \(report.retained)")
        client.terminate()
        // end
    }

    @Test("a typed event becomes attributes and items")
    func typedEvent() throws {
        struct Product: Encodable {
            var id: String
        }
        // snippet
        struct AddToCart: ClickstreamEvent {
            static let name = "add_to_cart"
            var price: Double
            var currency: String?
            var items: [Product] = []
        }
        // end
        let recorder = ClickstreamTestRecorder()
        try recorder.launch().record(AddToCart(price: 12.5, items: [Product(id: "1")]))
        try recorder.expectEvent("add_to_cart", count: .exactly(1)) { $0["price"] == 12.5 && $0.items == [["id": "1"]] }
    }

    @Test("attributes take variables of different types")
    func attributes() {
        let (price, count) = (99.9, 2)
        // snippet
        let attributes: Attributes = ["category": "shoes", "value": price, "count": count]
        // end
        #expect(attributes["value"] == .double(99.9))
        #expect(attributes["count"] == .integer(2))
    }

    @Test("a client records, reports and observes")
    func client() async throws {
        let recorder = ClickstreamTestRecorder()
        let world = recorder.world
        // snippet
        let client = try ClickstreamClient(in: world)
        client.record("add_to_cart", attributes: ["price": 12.5])
        // end
        // snippet
        let observer = client.observe { notice in
            switch notice {
            case .recorded(let name, _, _, let violations) where !violations.isEmpty:
                print("\(name): \(violations.map(\.message))")
            case .rejected(let violations):
                print("not recorded: \(violations.map(\.message))")
            default:
                break
            }
        }
        // end
        observer.cancel()
        // snippet
        let report = await client.flush(deadline: .seconds(5))
        if let error = report.lastError {
            print("\(report.retained) events retained: \(error)")
        }
        // end
        #expect(report.isComplete)
        try recorder.expectOwnEvents("add_to_cart")
    }
}
