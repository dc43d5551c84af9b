import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Testing

@Suite("The Chinese manual")
struct ChineseManualTests {
    private let recorder = ClickstreamTestRecorder()

    @Test("initSDK in the app delegate starts the SDK")
    func appDelegate() {
        ClickstreamAnalytics.isolated(in: recorder.world) {
            #if !canImport(UIKit)
            #expect(ChineseManual.AppDelegate().application(UIApplication(), didFinishLaunchingWithOptions: nil))
            #endif
        }
        #expect(recorder.names == ["_first_open", "_app_start", "_session_start"])
    }

    @Test("settable properties change the running SDK")
    func configure() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withCompressEvents(false))
            ChineseManual.configure()
            let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
            #expect(configuration.endpoint == "https://example.com/collect")
            #expect(configuration.authCookie == "\u{60A8}\u{7684}\u{8EAB}\u{4EFD}\u{9A8C}\u{8BC1}Cookie")
            #expect(configuration.sessionTimeoutDuration == 1_800_000)
            #expect(configuration.isLogEvents && configuration.isCompressEvents)
        }
    }

    @Test("the labeled forms record like the others")
    func recordEvents() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ChineseManual.recordEvents()
        }
        try recorder.expectOwnEvents("testEvent", "button_click")
        try recorder.expectEvent("testEvent", count: .exactly(1)) {
            $0["channel"] == "apple" && $0["successful"] == true && $0["ProcessDuration"] == 12.33
                && $0["UserAge"] == 20
        }
        try recorder.expectNoViolations()
    }
}
