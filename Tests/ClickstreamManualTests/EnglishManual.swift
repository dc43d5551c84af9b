// swift-format-ignore-file
// Snippets of the English manual (seed 000), each with its body as printed there; imports are at the top.
import Clickstream

#if canImport(UIKit)
import UIKit
#else
/// Replacement for UIKit's class on systems without UIKit.
final class UIApplication: Sendable {
    struct LaunchOptionsKey: Hashable {}
}
#endif

#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI

struct YourView: View {
    var body: some View { Text("Shop") }
}

// Seed 000, line 101: "SwiftUI configuration".
@main
struct YourApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) var appDelegate
    var body: some Scene {
        WindowGroup {
            YourView()
        }
    }
}

extension AppDelegate: UIApplicationDelegate {}
#endif

#if canImport(UIKit)
typealias AppDelegateParent = NSObject
#else
class AppDelegateParent {}
#endif

final class AppDelegate: AppDelegateParent {
    // Seed 000, line 70: "Initialize the SDK".
    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
        do {
            try ClickstreamAnalytics.initSDK()
        } catch {
            assertionFailure("Fail to initialize ClickstreamAnalytics: \(error)")
        }
        return true
    }
}

enum EnglishManual {
    // Seed 000, line 124: "Record event".
    static func recordEvents() {
        // for record an event with custom attributes
        let attributes: ClickstreamAttribute = [
            "category": "shoes",
            "currency": "CNY",
            "value": 279.9
        ]
        ClickstreamAnalytics.recordEvent("button_click", attributes)

        // for record an event directly
        ClickstreamAnalytics.recordEvent("button_click")
    }

    // Seed 000, line 161: "Add global attributes when initializing".
    static func initializeWithGlobalAttributes() throws {
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
    }

    // Seed 000, line 206: "Add global attributes after initializing".
    static func addAndDeleteGlobalAttributes() {
        let globalAttribute: ClickstreamAttribute = [
            ClickstreamAnalytics.Attr.APP_INSTALL_CHANNEL: "App Store",
            "class": 6,
            "level": 5.1,
            "isOpenNotification": true,
        ]
        ClickstreamAnalytics.addGlobalAttributes(globalAttribute)

        // for delete an global attribute
        ClickstreamAnalytics.deleteGlobalAttributes("level")
    }

    // Seed 000, line 242: "Login and logout".
    static func logInAndOut() {
        // when user login usccess.
        ClickstreamAnalytics.setUserId("userId")

        // when user logout
        ClickstreamAnalytics.setUserId(nil)
    }

    // Seed 000, line 267: "Add user attribute".
    static func addUserAttributes() {
        let userAttributes : ClickstreamAttribute=[
            "_user_age": 21,
            "_user_name": "carl"
        ]
        ClickstreamAnalytics.addUserAttributes(userAttributes)
    }

    // Seed 000, line 301: "Record event with items".
    static func recordEventWithItem() {
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
    }

    // Seed 000, line 359: "Record screen view events manually".
    static func recordScreenView() {
        ClickstreamAnalytics.recordEvent(ClickstreamAnalytics.EventName.SCREEN_VIEW, [
            ClickstreamAnalytics.Attr.SCREEN_NAME: "HomeView",
            ClickstreamAnalytics.Attr.SCREEN_UNIQUE_ID: "your screen uniqueId"
        ])
    }

    // Seed 000, line 384: "Send event immediately".
    static func flush() {
        // for send event immediately.
        ClickstreamAnalytics.flushEvents()
    }

    // Seed 000, line 404: "Disable SDK".
    static func disableAndEnable() {
        // disable SDK
        ClickstreamAnalytics.disable()

        // enable SDK
        ClickstreamAnalytics.enable()
    }

    // Seed 000, line 432: "Other configuration".
    static func initializeWithOtherConfiguration() throws {
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
    }

    // Seed 000, line 490: "Configuration update".
    static func updateConfiguration() {
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
    }
}
