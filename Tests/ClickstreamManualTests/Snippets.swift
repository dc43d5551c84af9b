// swift-format-ignore-file
/// Block of Swift as printed in a manual, with its place.
struct Snippet: Sendable {
    enum Manual: String, Sendable {
        /// Seed 000.
        case english = "EnglishManual.swift"
        /// Seed 001.
        case chinese = "ChineseManual.swift"
    }

    let manual: Manual
    /// The line of the manual at which the block begins.
    let line: Int
    let text: String
}

extension Snippet {
    /// Every Swift block of both manuals, in their order, character for character but for the indentation of the whole.
    static let all: [Snippet] = [
        Snippet(manual: .english, line: 70, text: #"""
            import Clickstream

            func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
                do {
                    try ClickstreamAnalytics.initSDK()
                } catch {
                    assertionFailure("Fail to initialize ClickstreamAnalytics: \(error)")
                }
                return true
            }
            """#),
        Snippet(manual: .english, line: 101, text: #"""
            @main
            struct YourApp: App {
                @UIApplicationDelegateAdaptor(AppDelegate.self) var appDelegate
                var body: some Scene {
                    WindowGroup {
                        YourView()
                    }
                }
            }
            """#),
        Snippet(manual: .english, line: 124, text: #"""
            import Clickstream

            // for record an event with custom attributes
            let attributes: ClickstreamAttribute = [
                "category": "shoes",
                "currency": "CNY",
                "value": 279.9
            ]
            ClickstreamAnalytics.recordEvent("button_click", attributes)

            // for record an event directly
            ClickstreamAnalytics.recordEvent("button_click")
            """#),
        Snippet(manual: .english, line: 161, text: #"""
            import Clickstream

            let configuration = ClickstreamConfiguration()
                .withAppId("your appId")
                .withEndpoint("https://example.com/collect")
                .withInitialGlobalAttributes([
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_SOURCE: "amazon",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_MEDIUM: "cpc",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CAMPAIGN: "summer_promotion",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CAMPAIGN_ID: "summer_promotion_01",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_TERM: "running_shoes",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CONTENT: "banner_ad_1",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CLID: "amazon_ad_123",
                    ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_CLID_PLATFORM: "amazon_ads",
                    ClickstreamAnalytics.Attr.APP_INSTALL_CHANNEL: "App Store"
            ])
            try ClickstreamAnalytics.initSDK(configuration)
            """#),
        Snippet(manual: .english, line: 206, text: #"""
            import Clickstream

            let globalAttribute: ClickstreamAttribute = [
                ClickstreamAnalytics.Attr.APP_INSTALL_CHANNEL: "App Store",
                "class": 6,
                "level": 5.1,
                "isOpenNotification": true,
            ]
            ClickstreamAnalytics.addGlobalAttributes(globalAttribute)

            // for delete an global attribute
            ClickstreamAnalytics.deleteGlobalAttributes("level")
            """#),
        Snippet(manual: .english, line: 242, text: #"""
            import Clickstream

            // when user login usccess.
            ClickstreamAnalytics.setUserId("userId")

            // when user logout
            ClickstreamAnalytics.setUserId(nil)
            """#),
        Snippet(manual: .english, line: 267, text: #"""
            import Clickstream

            let userAttributes : ClickstreamAttribute=[
                "_user_age": 21,
                "_user_name": "carl"
            ]
            ClickstreamAnalytics.addUserAttributes(userAttributes)
            """#),
        Snippet(manual: .english, line: 301, text: #"""
            import Clickstream

            let attributes: ClickstreamAttribute = [
                ClickstreamAnalytics.Attr.VALUE: 99.9,
                ClickstreamAnalytics.Attr.CURRENCY: "USD",
                "event_category": "recommended"
            ]

            let item_book: ClickstreamAttribute = [
                ClickstreamAnalytics.Item.ITEM_ID: 123,
                ClickstreamAnalytics.Item.ITEM_NAME: "Nature",
                ClickstreamAnalytics.Item.ITEM_CATEGORY: "book",
                ClickstreamAnalytics.Item.PRICE: 99.9,
                "book_publisher": "Nature Research"
            ]
            ClickstreamAnalytics.recordEvent("view_item", attributes, [item_book])
            """#),
        Snippet(manual: .english, line: 359, text: #"""
            import Clickstream

            ClickstreamAnalytics.recordEvent(ClickstreamAnalytics.EventName.SCREEN_VIEW, [
                ClickstreamAnalytics.Attr.SCREEN_NAME: "HomeView",
                ClickstreamAnalytics.Attr.SCREEN_UNIQUE_ID: "your screen uniqueId"
            ])
            """#),
        Snippet(manual: .english, line: 384, text: #"""
            import Clickstream
            // for send event immediately.
            ClickstreamAnalytics.flushEvents()
            """#),
        Snippet(manual: .english, line: 404, text: #"""
            import Clickstream

            // disable SDK
            ClickstreamAnalytics.disable()

            // enable SDK
            ClickstreamAnalytics.enable()
            """#),
        Snippet(manual: .english, line: 432, text: #"""
            import Clickstream

            let configuration = ClickstreamConfiguration()
                .withAppId("your appId")
                .withEndpoint("https://example.com/collect")
                .withLogEvents(true)
                .withCompressEvents(true)
                .withSendEventInterval(10000)
                .withSessionTimeoutDuration(1800000)
                .withTrackScreenViewEvents(true)
                .withTrackUserEngagementEvents(true)
                .withTrackAppExceptionEvents(true)
                .withAuthCookie("your authentication cookie")
                .withInitialGlobalAttributes([ClickstreamAnalytics.Attr.TRAFFIC_SOURCE_SOURCE: "amazon"])
            try ClickstreamAnalytics.initSDK(configuration)
            """#),
        Snippet(manual: .english, line: 490, text: #"""
            import Clickstream

            // config the sdk after initialize.
            do {
                var configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
                configuration.withAppId("your appId")
                    .withEndpoint("https://example.com/collect")
                    .withLogEvents(true)
                    .withCompressEvents(true)
                    .withTrackAppExceptionEvents(true)
                    .withTrackScreenViewEvents(true)
                    .withTrackUserEngagementEvents(true)
                    .withAuthCookie("your authentication cookie")
            } catch {
                print("Failed to config ClickstreamAnalytics: \(error)")
            }
            """#),
        Snippet(manual: .chinese, line: 65, text: #"""
            import Clickstream
            ...
            func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
                // Override point for customization after application launch.
                do {
                    try ClickstreamAnalytics.initSDK()
                } catch {
                    assertionFailure("无法初始化 ClickstreamAnalytics: \(error)")
                }
                return true
            }
            """#),
        Snippet(manual: .chinese, line: 81, text: #"""
            import Clickstream

            // 在初始化后配置 SDK。
            do {
                var configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
                configuration.appId = "应用ID"
                configuration.endpoint = "https://example.com/collect"
                configuration.authCookie = "您的身份验证Cookie"
                configuration.sessionTimeoutDuration = 1800000
                configuration.isLogEvents = true
                configuration.isCompressEvents = true    
                configuration.isLogEvents = true
            } catch {
                print("配置 ClickstreamAnalytics 失败: \(error)")
            }
            """#),
        Snippet(manual: .chinese, line: 105, text: #"""
            import Clickstream

            let attributes: ClickstreamAttribute = [
                "channel": "apple",
                "successful": true,
                "ProcessDuration": 12.33,
                "UserAge": 20,
            ]
            ClickstreamAnalytics.recordEvent(eventName: "testEvent", attributes: attributes)

            // 直接记录事件
            ClickstreamAnalytics.recordEvent(eventName: "button_click")
            """#),
    ]
}
