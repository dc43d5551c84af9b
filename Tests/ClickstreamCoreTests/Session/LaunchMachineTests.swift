import Testing

@testable import ClickstreamCore

@Suite("LaunchMachine")
struct LaunchMachineTests {
    private typealias Versions = LaunchMachine.Versions

    @Test("the first launch is a first open, for any versions")
    func firstOpen() {
        var machine = LaunchMachine(versions: nil)
        #expect(machine.launch(Versions(app: "1.0", system: "16.4")) == [.firstOpen])
        #expect(machine.launch(Versions(app: "1.0", system: "16.4")) == [])
    }

    @Test("updates are reported in order: the app's, then the system's")
    func updates() {
        var machine = LaunchMachine(versions: Versions(app: "1.0", system: "16.4"))
        #expect(
            machine.launch(Versions(app: "1.1", system: "17.0"))
                == [.appUpdated(from: "1.0"), .systemUpdated(from: "16.4")]
        )
        #expect(machine.versions == Versions(app: "1.1", system: "17.0"))
    }

    @Test("an unknown version is no update, and does not clear the known one")
    func unknown() {
        var machine = LaunchMachine(versions: Versions(app: "1.0", system: "16.4"))
        #expect(machine.launch(Versions(app: "", system: "")) == [])
        #expect(machine.launch(Versions(app: "2.0", system: "16.4")) == [.appUpdated(from: "1.0")])
    }

    /// Version before and version now; then true for an update, and the stored version.
    private static let pairs: [(before: String, now: String, isUpdate: Bool, after: String)] = [
        ("", "", false, ""), ("", "1", false, "1"), ("1", "", false, "1"), ("1", "1", false, "1"),
        ("1", "2", true, "2"),
    ]

    @Test("every launch in every state has the documented effect, for app and system version independently")
    func exhaustive() {
        for app in Self.pairs {
            for system in Self.pairs {
                var machine = LaunchMachine(versions: Versions(app: app.before, system: system.before))
                var expected: [LaunchMachine.Finding] = []
                if app.isUpdate { expected.append(.appUpdated(from: app.before)) }
                if system.isUpdate { expected.append(.systemUpdated(from: system.before)) }
                #expect(machine.launch(Versions(app: app.now, system: system.now)) == expected)
                #expect(machine.versions == Versions(app: app.after, system: system.after))

                var fresh = LaunchMachine(versions: nil)
                #expect(fresh.launch(Versions(app: app.now, system: system.now)) == [.firstOpen])
                #expect(fresh.versions == Versions(app: app.now, system: system.now))
            }
        }
    }
}
