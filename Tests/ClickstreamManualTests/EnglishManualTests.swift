import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Testing

/// Every snippet runs with an empty store and has the effect described in the manual.
@Suite("The English manual")
struct EnglishManualTests {
    private let recorder = ClickstreamTestRecorder()

    /// Runs `body` with an SDK that was started as the manual's "Initialize the SDK" does, and looks only at what follows.
    private func started<Result>(_ body: () throws -> Result) throws -> Result {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            recorder.forget()
            return try body()
        }
    }

    @Test("initSDK in the app delegate starts the SDK")
    func appDelegate() throws {
        ClickstreamAnalytics.isolated(in: recorder.world) {
            #if !canImport(UIKit)
            #expect(AppDelegate().application(UIApplication(), didFinishLaunchingWithOptions: nil))
            #endif
        }
        #expect(recorder.names == ["_first_open", "_app_start", "_session_start"])
    }

    @Test("an event is recorded with attributes, and without")
    func recordEvents() throws {
        try started { EnglishManual.recordEvents() }
        #expect(recorder.names == ["button_click", "button_click"])
        let event = try #require(recorder.events.first)
        #expect(event["category"] == "shoes" && event["currency"] == "CNY" && event["value"] == 279.9)
        #expect(recorder.events.last?["category"] == nil)
        try recorder.expectNoViolations()
    }

    @Test("global attributes given at the start are in every event from the first on")
    func initialGlobalAttributes() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try EnglishManual.initializeWithGlobalAttributes()
            ClickstreamAnalytics.recordEvent("later")
        }
        #expect(recorder.names == ["_first_open", "_app_start", "_session_start", "later"])
        for event in recorder.events {
            let traffic = event.attributes.filter { $0.name.hasPrefix("_traffic") || $0.name.hasPrefix("_app_install") }
            #expect(
                traffic.map { "\($0.name)=\($0.value)" } == [
                    #"_traffic_source_source=string("amazon")"#, #"_traffic_source_medium=string("cpc")"#,
                    #"_traffic_source_campaign=string("summer_promotion")"#,
                    #"_traffic_source_campaign_id=string("summer_promotion_01")"#,
                    #"_traffic_source_term=string("running_shoes")"#, #"_traffic_source_content=string("banner_ad_1")"#,
                    #"_traffic_source_clid=string("amazon_ad_123")"#,
                    #"_traffic_source_clid_platform=string("amazon_ads")"#,
                    #"_app_install_channel=string("App Store")"#,
                ]
            )
            #expect(event.json.contains(#""app_id":"your appId""#))
        }
    }

    @Test("global attributes added later are in the events after them, until they are deleted")
    func globalAttributes() throws {
        try started {
            EnglishManual.addAndDeleteGlobalAttributes()
            ClickstreamAnalytics.recordEvent("later")
        }
        let event = try #require(recorder.events.first)
        #expect(event["_app_install_channel"] == "App Store" && event["class"] == 6)
        #expect(event["isOpenNotification"] == true && event["level"] == nil)
    }

    @Test("a login and a logout each record the profile")
    func loginAndLogout() throws {
        try started { EnglishManual.logInAndOut() }
        #expect(recorder.names == ["_profile_set", "_profile_set"])
        #expect(recorder.events.map { $0.user["_user_id"] } == ["userId", nil])
    }

    @Test("user attributes are recorded with the profile, occur in later events, and exist at the next launch")
    func userAttributes() throws {
        try started {
            EnglishManual.addUserAttributes()
            ClickstreamAnalytics.recordEvent("later")
        }
        #expect(recorder.names == ["_profile_set", "later"])
        try started { ClickstreamAnalytics.recordEvent("next") }
        #expect(recorder.names == ["next"])
        let event = try #require(recorder.events.last)
        #expect(event.user["_user_age"] == 21 && event.user["_user_name"] == "carl")
    }

    @Test("an event carries its items, with the names that the server reads")
    func items() throws {
        try started { EnglishManual.recordEventWithItem() }
        let event = try #require(recorder.events.first)
        #expect(event.name == "view_item" && event["_value"] == 99.9 && event["_currency"] == "USD")
        #expect(event["event_category"] == "recommended")
        #expect(
            event.items == [
                [
                    "id": 123, "name": "Nature", "category": "book", "price": 99.9,
                    "book_publisher": "Nature Research",
                ]
            ]
        )
        try recorder.expectNoViolations()
    }

    @Test("a manually recorded screen view becomes the current screen")
    func screenView() throws {
        try started {
            EnglishManual.recordScreenView()
            ClickstreamAnalytics.recordEvent("later")
        }
        #expect(recorder.names == ["_screen_view", "later"])
        for event in recorder.events {
            #expect(event["_screen_name"] == "HomeView" && event["_screen_unique_id"] == "your screen uniqueId")
        }
        #expect(recorder.events.first?["_entrances"] == 1)
    }

    @Test("a flush sends queued events at once")
    func flush() async throws {
        try await ClickstreamAnalytics.isolated(in: recorder.world) {
            try ClickstreamAnalytics.initSDK()
            ClickstreamAnalytics.recordEvent("sent")
            EnglishManual.flush()
            await recorder.advance()
        }
        #expect(recorder.delivered.map(\.name) == ["_first_open", "_app_start", "_session_start", "sent"])
    }

    @Test("events while the SDK is disabled are not recorded, and recording continues once it is enabled")
    func disableAndEnable() throws {
        try started {
            EnglishManual.disableAndEnable()
            ClickstreamAnalytics.recordEvent("enabled")
            ClickstreamAnalytics.disable()
            ClickstreamAnalytics.recordEvent("disabled")
        }
        #expect(recorder.names == ["enabled"])
    }

    @Test("every option of the table reaches the SDK that it starts")
    func otherConfiguration() throws {
        try ClickstreamAnalytics.isolated(in: recorder.world) {
            try EnglishManual.initializeWithOtherConfiguration()
            let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
            #expect(configuration.appId == "your appId")
            #expect(configuration.endpoint == "https://example.com/collect")
            #expect(configuration.isLogEvents && configuration.isCompressEvents)
            #expect(configuration.sendEventsInterval == 10_000 && configuration.sessionTimeoutDuration == 1_800_000)
            #expect(configuration.isTrackScreenViewEvents && configuration.isTrackUserEngagementEvents)
            #expect(configuration.isTrackAppExceptionEvents)
            #expect(configuration.authCookie == "your authentication cookie")
            #expect(configuration.globalAttributes == ["_traffic_source_source": "amazon"])
        }
        #expect(recorder.events.allSatisfy { $0["_traffic_source_source"] == "amazon" })
        #expect(recorder.names == ["_first_open", "_app_start", "_session_start"])
    }

    @Test("a configuration update changes the running SDK, which continues recording")
    func configurationUpdate() throws {
        try started {
            let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
            configuration.withLogEvents(false).withCompressEvents(false).withTrackScreenViewEvents(false)
            configuration.withTrackUserEngagementEvents(false)
            EnglishManual.updateConfiguration()
            #expect(configuration.endpoint == "https://example.com/collect")
            #expect(configuration.isLogEvents && configuration.isCompressEvents)
            #expect(configuration.isTrackAppExceptionEvents && configuration.isTrackScreenViewEvents)
            #expect(configuration.isTrackUserEngagementEvents)
            #expect(configuration.authCookie == "your authentication cookie")
            ClickstreamAnalytics.screen(name: "Home")
            ClickstreamAnalytics.recordEvent("later")
        }
        try recorder.expectOrder("_screen_view", "later")
    }

    @Test("the interval has the spelling of the manual's table, too")
    func intervalSpelling() throws {
        let configuration = ClickstreamConfiguration().withSendEventsInterval(20_000)
        #expect(configuration.sendEventsInterval == 20_000)
        #expect(configuration.withSendEventInterval(10_000).sendEventsInterval == 10_000)
    }
}
