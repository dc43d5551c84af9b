import Testing

@testable import ClickstreamCore

@Suite("ClientSettings")
struct ClientSettingsTests {
    private var configuration: ClickstreamClient.Configuration {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://127.0.0.1/collect")
        configuration.authCookie = "a=1"
        return configuration
    }

    private func settings() -> ClientSettings {
        var warnings: [Notice] = []
        return ClientSettings(configuration, warnings: &warnings)
    }

    @Test("a cookie that cannot be sent is removed at the launch, and refused later")
    func cookie() {
        var bad = configuration
        bad.authCookie = "a\nb"
        var warnings: [Notice] = []
        let launched = ClientSettings(bad, warnings: &warnings)
        #expect(launched.configuration.authCookie == nil)
        #expect(warnings.codes == [.settingInvalid])
        var settings = settings()
        #expect(settings.take(bad, warnings: &warnings))
        #expect(settings.configuration.authCookie == "a=1")
        #expect(warnings.codes == [.settingInvalid, .settingInvalid])
    }

    @Test(
        "a unique id that the server would cut or ignore is removed at the launch",
        arguments: [("", nil), ("u", "u"), (String(repeating: "u", count: 256), nil)] as [(String, String?)]
    )
    func uniqueID(id: String, kept: String?) {
        var changed = configuration
        changed.uniqueID = id
        var warnings: [Notice] = []
        let launched = ClientSettings(changed, warnings: &warnings)
        #expect(launched.configuration.uniqueID == kept)
        let message = "'uniqueId' must have 1 to 255 bytes, not \(id.utf8.count). The one in the store is used."
        #expect(warnings == (kept == nil ? [.warning(.init(.settingInvalid, message))] : []))
    }

    @Test("the same configuration is no change; a key of the launch is kept, with a warning")
    func take() {
        var settings = settings()
        var warnings: [Notice] = []
        let revision = settings.revision
        #expect(!settings.take(configuration, warnings: &warnings))
        #expect(settings.revision == revision)
        var changed = configuration
        changed.sendInterval = .milliseconds(1)
        changed.maxStoreBytes = 1
        #expect(settings.take(changed, warnings: &warnings))
        #expect(settings.revision > revision)
        var expected = configuration
        expected.sendInterval = .milliseconds(1)
        #expect(settings.configuration == expected)
        let message = "'maxStoreBytes' cannot change while a client runs: set it before the launch."
        #expect(warnings == [.warning(.init(.settingNotChanged, message))])
    }

    @Test("a change that could not be made is taken back")
    func restore() {
        let before = configuration
        var changed = before
        changed.appID = "other"
        changed.endpoint = "http://127.0.0.2/collect"
        changed.authCookie = nil
        var warnings: [Notice] = []
        var settings = settings()
        #expect(settings.take(changed, warnings: &warnings))
        #expect(settings.namesAnotherApp)
        settings.restoreApp()
        #expect(!settings.namesAnotherApp)
        settings.restoreDestination(of: before)
        #expect(settings.configuration == before)
    }
}
