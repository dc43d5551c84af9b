import Testing

@testable import ClickstreamCore

@Suite("LaunchMachine")
struct LaunchMachineTests {
    private typealias Versions = LaunchMachine.Versions

    @Test("the first launch is a first open, whatever the versions")
    func firstOpen() {
        var machine = LaunchMachine(versions: nil)
        #expect(machine.launch(Versions(app: "1.0", system: "16.4")) == [.firstOpen])
        #expect(machine.launch(Versions(app: "1.0", system: "16.4")) == [])
    }

    @Test("new versions are found in order: the app's, then the system's")
    func updates() {
        var machine = LaunchMachine(versions: Versions(app: "1.0", system: "16.4"))
        #expect(
            machine.launch(Versions(app: "1.1", system: "17.0"))
                == [.appUpdated(from: "1.0"), .systemUpdated(from: "16.4")]
        )
        #expect(machine.versions == Versions(app: "1.1", system: "17.0"))
    }

    @Test("a version that is not known is no update, and does not make the known one forgotten")
    func unknown() {
        var machine = LaunchMachine(versions: Versions(app: "1.0", system: "16.4"))
        #expect(machine.launch(Versions(app: "", system: "")) == [])
        #expect(machine.launch(Versions(app: "2.0", system: "16.4")) == [.appUpdated(from: "1.0")])
    }
}
