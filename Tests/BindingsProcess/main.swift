import ClickstreamAnalytics
import Foundation

// Counterparts of the manual's Objective-C snippets, with the same values. Usage: BindingsProcess NUMBER
//
// Prints the line of each event. The snippets that initialize the SDK themselves are 1, 3 and 11.

guard CommandLine.arguments.count == 2, let number = Int(CommandLine.arguments[1]) else { exit(64) }

ClickstreamAnalytics.observe { notice in
    guard case .recorded(_, _, let line, _) = notice else { return }
    FileHandle.standardOutput.write(Data(line + [UInt8(ascii: "\n")]))
}

typealias Attr = ClickstreamAnalytics.Attr
typealias Item = ClickstreamAnalytics.Item

func configuration() -> ClickstreamConfiguration {
    ClickstreamConfiguration().withAppId("your appId").withEndpoint("https://example.com/collect")
}

func start() throws {
    switch number {
    case 3:
        let attributes: ClickstreamAttribute = [
            Attr.TRAFFIC_SOURCE_SOURCE: "amazon",
            Attr.TRAFFIC_SOURCE_MEDIUM: "cpc",
            Attr.TRAFFIC_SOURCE_CAMPAIGN: "summer_promotion",
            Attr.TRAFFIC_SOURCE_CAMPAIGN_ID: "summer_promotion_01",
            Attr.TRAFFIC_SOURCE_TERM: "running_shoes",
            Attr.TRAFFIC_SOURCE_CONTENT: "banner_ad_1",
            Attr.TRAFFIC_SOURCE_CLID: "amazon_ad_123",
            Attr.TRAFFIC_SOURCE_CLID_PLATFORM: "amazon_ads",
            Attr.APP_INSTALL_CHANNEL: "App Store",
        ]
        try ClickstreamAnalytics.initSDK(configuration().withInitialGlobalAttributes(attributes))
    case 11:
        try ClickstreamAnalytics.initSDK(
            configuration()
                .withLogEvents(true)
                .withCompressEvents(true)
                .withSendEventInterval(10000)
                .withSessionTimeoutDuration(1_800_000)
                .withTrackScreenViewEvents(true)
                .withTrackUserEngagementEvents(true)
                .withTrackAppExceptionEvents(true)
                .withAuthCookie("your auth cookie")
                .withInitialGlobalAttributes([Attr.TRAFFIC_SOURCE_SOURCE: "amazon"])
        )
    default:
        try ClickstreamAnalytics.initSDK()
    }
}

func record() throws {
    switch number {
    case 2:
        let attributes: ClickstreamAttribute = ["category": "shoes", "currency": "CNY", "value": 12.34]
        ClickstreamAnalytics.recordEvent("button_click", attributes)
        ClickstreamAnalytics.recordEvent("button_click")
    case 4:
        ClickstreamAnalytics.addGlobalAttributes([
            Attr.APP_INSTALL_CHANNEL: "App Store", "class": 6, "level": 5.1, "isOpenNotification": true,
        ])
        ClickstreamAnalytics.deleteGlobalAttributes("level")
    case 5:
        ClickstreamAnalytics.setUserId("userId")
        ClickstreamAnalytics.setUserId(nil)
    case 6:
        ClickstreamAnalytics.addUserAttributes(["_user_age": 21, "user_name": "carl"])
    case 7:
        let attributes: ClickstreamAttribute = [
            Attr.VALUE: 99.9, Attr.CURRENCY: "USD", "event_category": "recommended",
        ]
        let book: ClickstreamAttribute = [
            Item.ITEM_ID: 123, Item.ITEM_NAME: "Nature", Item.ITEM_CATEGORY: "book", Item.PRICE: 99.9,
            "book_publisher": "Nature Research",
        ]
        ClickstreamAnalytics.recordEvent("view_item", attributes, [book])
    case 8:
        ClickstreamAnalytics.recordEvent(
            ClickstreamAnalytics.EventName.SCREEN_VIEW,
            [Attr.SCREEN_NAME: "HomeView", Attr.SCREEN_UNIQUE_ID: "your screen uniqueId"]
        )
    case 9:
        ClickstreamAnalytics.flushEvents()
    case 10:
        ClickstreamAnalytics.disable()
        ClickstreamAnalytics.enable()
    case 12:
        try ClickstreamAnalytics.getClickstreamConfiguration()
            .withAppId("your appId")
            .withEndpoint("https://example.com/collect")
            .withLogEvents(true)
            .withCompressEvents(true)
            .withTrackScreenViewEvents(true)
            .withTrackUserEngagementEvents(true)
            .withTrackAppExceptionEvents(true)
    default:
        break
    }
    ClickstreamAnalytics.recordEvent("after_the_snippet")
}

try start()
try record()
ClickstreamAnalytics.shutdown()
