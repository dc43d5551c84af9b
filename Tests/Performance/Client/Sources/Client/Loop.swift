import ClickstreamCapture
import ClickstreamCore

/// Does one thing so many times, for counters that look from outside: more rounds minus fewer is what one costs.
enum Loop {
    static func run(_ what: String, _ count: Int, _ folder: String) throws {
        switch what {
        case "literal-8":
            var attributes = 0
            for number in 0..<count { attributes += Sample.attributes(279.9, number).count }
            print(attributes)
        case "flush":
            let client = try Sample.client(folder, transport: Yes())
            for number in 0..<count { client.record("add_to_cart", attributes: Sample.attributes(279.9, number)) }
            try Client.wait { print(await client.flush().sent) }
            client.terminate()
        case "click", "click-pulse", "touch":
            let client = try Sample.client(folder, transport: nil)
            let sample = CaptureSample(client) { $0.pulse = what == "click-pulse" ? PulseSettings() : nil }
            if what == "touch" { sample.move(count) } else { for _ in 0..<count { sample.click() } }
            client.terminate()
        case "login-10", "login-300":
            let client = try Sample.client(folder, transport: nil)
            for number in 0..<(what == "login-10" ? 10 : 300) { client.setUserID("user\(number)") }
            // The number of stored users stays the same: the same two log in by turns.
            for number in 0..<count { client.setUserID("user\(number % 2)") }
            client.terminate()
        default:
            // Without a network no timer runs, and no thread but this one: some counters cannot follow more.
            let client = try Sample.client(folder, transport: nil)
            if what == "record-8-middleware" {
                client.addMiddleware("redact") { event in event.attributes["email"] == nil ? .keep : .drop }
            }
            let prepared =
                what.hasPrefix("record-8") ? Sample.attributes(279.9, 3) : Sample.built(what == "record-50" ? 50 : 0)
            switch what {
            case "record-8-literal":
                for number in 0..<count { client.record("add_to_cart", attributes: Sample.attributes(279.9, number)) }
            default:
                for _ in 0..<count { client.record("add_to_cart", attributes: prepared) }
            }
            client.terminate()
        }
    }

    /// A network that takes everything.
    private struct Yes: ClickstreamClient.Transport {
        func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
            UploadResponse(status: 200)
        }
    }
}
