/// Event names on the wire, as spelled by the published SDK; the leading underscore is reserved.
package enum EventName: Sendable {
    /// The first launch after an installation.
    package static let firstOpen = "_first_open"
    /// The app became visible.
    package static let appStart = "_app_start"
    /// The app became invisible.
    package static let appEnd = "_app_end"
    /// A session began.
    package static let sessionStart = "_session_start"
    /// A screen was shown; recorded automatically or by the app.
    package static let screenView = "_screen_view"
    /// A screen was left after a second or more.
    package static let userEngagement = "_user_engagement"
    /// The user or a user attribute changed.
    package static let profileSet = "_profile_set"
    /// The app crashed; recorded by the next launch.
    package static let appException = "_app_exception"
    /// The first launch with another version of the app.
    package static let appUpdate = "_app_update"
    /// The first launch with another version of the system.
    package static let osUpdate = "_os_update"
    /// Replaces a rejected event; contains an error code and a reason.
    package static let clickstreamError = "_clickstream_error"

    /// Every name of an event that the library records automatically.
    package static let reserved = Set<String>([
        firstOpen, appStart, appEnd, sessionStart, screenView, userEngagement, profileSet, appException, appUpdate,
        osUpdate, clickstreamError,
    ]).union(CapturedName.allCases.lazy.map(\.rawValue))
}

/// Attribute names on the wire.
package enum AttributeName: Sendable {
    /// The last eight characters of the unique id and the start time, as text.
    package static let sessionID = "_session_id"
    /// Milliseconds since 1970.
    package static let sessionStart = "_session_start_timestamp"
    /// Milliseconds since the session began.
    package static let sessionDuration = "_session_duration"
    /// The ordinal of the session in this installation, from 1.
    package static let sessionNumber = "_session_number"
    /// Required in a screen view.
    package static let screenName = "_screen_name"
    /// The id of the screen, such as its class.
    package static let screenID = "_screen_id"
    /// Distinguishes screens of the same name.
    package static let screenUniqueID = "_screen_unique_id"
    /// The name of the previous screen.
    package static let previousScreenName = "_previous_screen_name"
    /// The id of the previous screen.
    package static let previousScreenID = "_previous_screen_id"
    /// The unique id of the previous screen.
    package static let previousScreenUniqueID = "_previous_screen_unique_id"
    /// The time the previous screen was shown, in milliseconds since 1970.
    package static let previousTimestamp = "_previous_timestamp"
    /// 1 in a session's first screen view, 0 in the others.
    package static let entrances = "_entrances"
    /// The time on the previous screen in milliseconds.
    package static let engagementTime = "_engagement_time_msec"
    /// The milliseconds between ``ClickstreamClient/startTiming(_:)`` and the event, without the time in the background and
    /// that in which the machine was suspended.
    package static let eventDuration = "_event_duration"
    /// The share of devices that record the event, from 0 to 1.
    package static let samplingRate = "_sampling_rate"
    /// Indicates the first start of this process.
    package static let isFirstTime = "_is_first_time"
    /// The code of the first violation.
    package static let errorCode = "_error_code"
    /// The description of the violation; contains names and lengths, never values.
    package static let errorMessage = "_error_message"
    /// The message of a crash.
    package static let exceptionMessage = "_exception_message"
    /// A text with a higher limit than others: 65 535 bytes.
    package static let exceptionStack = "_exception_stack"
    /// The messages before a crash, at most 50 lines; not limited as other texts are.
    package static let exceptionBreadcrumbs = "_exception_breadcrumbs"
    /// The app version before an update.
    package static let previousAppVersion = "_previous_app_version"
    /// The system version before an update.
    package static let previousOSVersion = "_previous_os_version"
    /// The user id set by the app.
    package static let userID = "_user_id"
    /// Set by the library.
    package static let userFirstTouch = "_user_first_touch_timestamp"
    /// The name of the user.
    package static let userName = "_user_name"
    /// An integer; the server drops events with any other type.
    package static let userAge = "_user_age"
    /// The lifetime revenue of the user, a number.
    package static let userLifetimeRevenue = "_user_ltv_revenue"
    /// The currency of ``userLifetimeRevenue``.
    package static let userLifetimeCurrency = "_user_ltv_currency"
    /// The network that acquired the user, such as `amazon`.
    package static let trafficSource = "_traffic_source_source"
    /// The medium that acquired the user, such as `cpc`.
    package static let trafficMedium = "_traffic_source_medium"
    /// The campaign that acquired the user.
    package static let trafficCampaign = "_traffic_source_campaign"
    /// The id of the campaign.
    package static let trafficCampaignID = "_traffic_source_campaign_id"
    /// The search term of the campaign.
    package static let trafficTerm = "_traffic_source_term"
    /// The advertisement of the campaign.
    package static let trafficContent = "_traffic_source_content"
    /// The id of the click.
    package static let trafficClickID = "_traffic_source_clid"
    /// The platform that assigned the click id.
    package static let trafficClickIDPlatform = "_traffic_source_clid_platform"
    /// The channel from which the app was installed.
    package static let appInstallChannel = "_app_install_channel"
    /// The header `user-agent` of a visitor's request.
    package static let userAgent = "_user_agent"
    /// The network address of a visitor.
    package static let ip = "_ip"
    /// The monetary value of an event.
    package static let value = "_value"
    /// The currency of ``value``, such as `USD`.
    package static let currency = "_currency"

    /// Names that the manuals reserve or show, but neither the library nor the server reads.
    private static let otherReserved: Set<String> = [
        "_user_city", "_channel", "_device_vendor_id", "_device_advertising_id", "_traffic_source_name",
    ]

    /// Every reserved name that a caller may use without a warning.
    package static let reserved = Set<String>([
        sessionID, sessionStart, sessionDuration, sessionNumber, screenName, screenID, screenUniqueID,
        previousScreenName, previousScreenID, previousScreenUniqueID, previousTimestamp, entrances, engagementTime,
        eventDuration, samplingRate, isFirstTime, errorCode, errorMessage, exceptionMessage, exceptionStack,
        exceptionBreadcrumbs, previousAppVersion, previousOSVersion, userID, userFirstTouch, userName, userAge,
        userLifetimeRevenue, userLifetimeCurrency, trafficSource, trafficMedium, trafficCampaign, trafficCampaignID,
        trafficTerm, trafficContent, trafficClickID, trafficClickIDPlatform, appInstallChannel, userAgent, ip, value,
        currency,
    ]).union(otherReserved).union(CapturedField.allCases.lazy.map(\.rawValue))
}

/// Names of an item's preset attributes on the wire, which the server reads.
package enum ItemName: Sendable {
    /// Required: a non-empty string, or a number.
    package static let id = "id"
    /// The name of the item.
    package static let name = "name"
    /// The brand of the item.
    package static let brand = "brand"
    /// The currency of ``price``.
    package static let currency = "currency"
    /// A number.
    package static let price = "price"
    /// A number.
    package static let quantity = "quantity"
    /// The name of the advertising creative.
    package static let creativeName = "creative_name"
    /// The slot of the advertising creative.
    package static let creativeSlot = "creative_slot"
    /// The id of the item's location.
    package static let locationID = "location_id"
    /// The first of five category levels.
    package static let category = "category"
    /// The second category level.
    package static let category2 = "category2"
    /// The third category level.
    package static let category3 = "category3"
    /// The fourth category level.
    package static let category4 = "category4"
    /// The fifth category level.
    package static let category5 = "category5"

    /// The fourteen names that do not count as custom attributes.
    package static let preset: [String] = [
        id, name, brand, currency, price, quantity, creativeName, creativeSlot, locationID, category, category2,
        category3, category4, category5,
    ]

    /// Category names of the published SDK, which the server does not read, with the names that replace them.
    package static let renamed: [String: String] = [
        "item_category": category, "item_category2": category2, "item_category3": category3,
        "item_category4": category4, "item_category5": category5,
    ]
}
