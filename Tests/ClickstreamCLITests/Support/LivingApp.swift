import ClickstreamCore

/// A process that has an app's store open and goes on running: here, the test's own.
struct LivingApp {
    private let client: ClickstreamClient

    /// Opens the store that the command line uses in `storage` by default.
    init(in workplace: Workplace, storage: String = "s") throws {
        let world = ClickstreamClient.World(
            configuration: ClickstreamClient.Configuration(appID: "clickstream_cli"),
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: workplace.path(storage),
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem()
            )
        )
        client = try ClickstreamClient(in: world, as: .recording())
    }

    func record(_ names: String...) {
        for name in names { client.record(name) }
    }

    func end() {
        client.terminate()
    }
}
