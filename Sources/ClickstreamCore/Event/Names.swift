/// Names of events as they stand on the wire. The published SDK's spellings; the leading underscore is reserved.
public enum EventName: Sendable {
    public static let firstOpen = "_first_open"
    public static let appStart = "_app_start"
    public static let appEnd = "_app_end"
    public static let sessionStart = "_session_start"
    public static let screenView = "_screen_view"
    public static let userEngagement = "_user_engagement"
    public static let profileSet = "_profile_set"
    public static let appException = "_app_exception"
    public static let appUpdate = "_app_update"
    public static let osUpdate = "_os_update"
    public static let clickstreamError = "_clickstream_error"

    /// Every name that the library gives events by itself.
    package static let reserved: Set<String> = [
        firstOpen, appStart, appEnd, sessionStart, screenView, userEngagement, profileSet, appException, appUpdate,
        osUpdate, clickstreamError,
    ]
}

/// Names of attributes as they stand on the wire.
public enum AttributeName: Sendable {
    public static let sessionID = "_session_id"
    public static let sessionStart = "_session_start_timestamp"
    public static let sessionDuration = "_session_duration"
    public static let sessionNumber = "_session_number"
    public static let screenName = "_screen_name"
    public static let screenID = "_screen_id"
    public static let screenUniqueID = "_screen_unique_id"
    public static let previousScreenName = "_previous_screen_name"
    public static let previousScreenID = "_previous_screen_id"
    public static let previousScreenUniqueID = "_previous_screen_unique_id"
    public static let previousTimestamp = "_previous_timestamp"
    public static let entrances = "_entrances"
    public static let engagementTime = "_engagement_time_msec"
    public static let isFirstTime = "_is_first_time"
    public static let errorCode = "_error_code"
    public static let errorMessage = "_error_message"
    public static let exceptionMessage = "_exception_message"
    public static let exceptionStack = "_exception_stack"
    public static let previousAppVersion = "_previous_app_version"
    public static let previousOSVersion = "_previous_os_version"
    public static let userID = "_user_id"
    public static let userFirstTouch = "_user_first_touch_timestamp"
    public static let userName = "_user_name"
    public static let userAge = "_user_age"
    public static let userLifetimeRevenue = "_user_ltv_revenue"
    public static let userLifetimeCurrency = "_user_ltv_currency"
    public static let trafficSource = "_traffic_source_source"
    public static let trafficMedium = "_traffic_source_medium"
    public static let trafficCampaign = "_traffic_source_campaign"
    public static let trafficCampaignID = "_traffic_source_campaign_id"
    public static let trafficTerm = "_traffic_source_term"
    public static let trafficContent = "_traffic_source_content"
    public static let trafficClickID = "_traffic_source_clid"
    public static let trafficClickIDPlatform = "_traffic_source_clid_platform"
    public static let appInstallChannel = "_app_install_channel"
    public static let value = "_value"
    public static let currency = "_currency"

    /// Every reserved name that a caller may use without a warning.
    package static let reserved: Set<String> = [
        sessionID, sessionStart, sessionDuration, sessionNumber, screenName, screenID, screenUniqueID,
        previousScreenName, previousScreenID, previousScreenUniqueID, previousTimestamp, entrances, engagementTime,
        isFirstTime, errorCode, errorMessage, exceptionMessage, exceptionStack, previousAppVersion, previousOSVersion,
        userID, userFirstTouch, userName, userAge, userLifetimeRevenue, userLifetimeCurrency, trafficSource,
        trafficMedium, trafficCampaign, trafficCampaignID, trafficTerm, trafficContent, trafficClickID,
        trafficClickIDPlatform, appInstallChannel, value, currency,
    ]
}

/// Names of an item's preset attributes as they stand on the wire; the server reads these.
public enum ItemName: Sendable {
    public static let id = "id"
    public static let name = "name"
    public static let brand = "brand"
    public static let currency = "currency"
    public static let price = "price"
    public static let quantity = "quantity"
    public static let creativeName = "creative_name"
    public static let creativeSlot = "creative_slot"
    public static let locationID = "location_id"
    public static let category = "category"
    public static let category2 = "category2"
    public static let category3 = "category3"
    public static let category4 = "category4"
    public static let category5 = "category5"

    /// The fourteen names that do not count as custom attributes.
    package static let preset: [String] = [
        id, name, brand, currency, price, quantity, creativeName, creativeSlot, locationID, category, category2,
        category3, category4, category5,
    ]

    /// What the published SDK called the categories; the server does not read these, so they are renamed on the way in.
    package static let renamed: [String: String] = [
        "item_category": category, "item_category2": category2, "item_category3": category3,
        "item_category4": category4, "item_category5": category5,
    ]
}
