import ClickstreamAnalytics
import ClickstreamCore
import Glibc

/// Cost of a launch on a store with events. Each is a process of its own: a launch is measured once per process.
struct Starting {
    let folder: String

    /// Leaves a store of so many megabytes, and dies without a word, as an app does.
    func fill(megabytes: Int) throws {
        let client = try Sample.client(folder)
        let bytes = try Sample.storedBytes("\(folder).look").count
        for number in 0..<megabytes * 1_000_000 / bytes {
            client.record("add_to_cart", attributes: Sample.attributes(279.9, number))
        }
        _exit(0)
    }

    /// Opens it, as a client.
    func open() throws {
        let start = now()
        let client = try Sample.client(folder)
        let end = now()
        print(Double(end - start) / 1e6)
        withExtendedLifetime(client) { _exit(flush()) }
    }

    /// Opens it, as an app does.
    func initSDK() throws {
        let configuration = ClickstreamConfiguration().withAppId("sample").withEndpoint("http://127.0.0.1:9/collect")
            .with(\.storageDirectory, folder).with(\.maxStoreBytes, 1_000_000_000).withSendEventInterval(3_600_000)
        let start = now()
        try ClickstreamAnalytics.initSDK(configuration)
        let end = now()
        print(Double(end - start) / 1e6)
        _exit(flush())
    }

    private func flush() -> Int32 {
        fflush(nil) == 0 ? 0 : 74
    }
}
