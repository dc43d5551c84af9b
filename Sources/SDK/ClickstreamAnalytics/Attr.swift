import ClickstreamCore

extension ClickstreamAnalytics {
    /// Event names with the spelling of the published API.
    public enum EventName: Sendable {
        /// Makes a screen the current one; recorded by the app, requires ``Attr/SCREEN_NAME``.
        public static let SCREEN_VIEW = ClickstreamCore.EventName.screenView
    }

    /// Names of attributes that the server reads individually, with the spelling of the published API; the values are
    /// the names on the wire.
    ///
    /// Source: the manual's "Event attributes", and the published SDK.
    public enum Attr: Sendable {
        /// The network that acquired the user, such as `amazon`.
        public static let TRAFFIC_SOURCE_SOURCE = AttributeName.trafficSource
        /// The medium that acquired the user, such as `cpc`.
        public static let TRAFFIC_SOURCE_MEDIUM = AttributeName.trafficMedium
        /// The campaign, such as `summer_promotion`.
        public static let TRAFFIC_SOURCE_CAMPAIGN = AttributeName.trafficCampaign
        /// The campaign's id, such as `summer_promotion_01`.
        public static let TRAFFIC_SOURCE_CAMPAIGN_ID = AttributeName.trafficCampaignID
        /// The search term that the campaign bought, such as `running_shoes`.
        public static let TRAFFIC_SOURCE_TERM = AttributeName.trafficTerm
        /// The advertisement, such as `banner_ad_1`.
        public static let TRAFFIC_SOURCE_CONTENT = AttributeName.trafficContent
        /// The id of the click, such as `amazon_ad_123`.
        public static let TRAFFIC_SOURCE_CLID = AttributeName.trafficClickID
        /// The platform that assigned the click id, such as `amazon_ads`.
        public static let TRAFFIC_SOURCE_CLID_PLATFORM = AttributeName.trafficClickIDPlatform
        /// The channel from which the app was installed, such as `App Store`.
        public static let APP_INSTALL_CHANNEL = AttributeName.appInstallChannel
        /// The monetary value of the event, a number.
        public static let VALUE = AttributeName.value
        /// The currency of ``VALUE``, such as `USD`.
        public static let CURRENCY = AttributeName.currency
        /// The screen's name; required for ``EventName/SCREEN_VIEW``.
        public static let SCREEN_NAME = AttributeName.screenName
        /// The screen's id, such as its class; not part of the published API.
        public static let SCREEN_ID = AttributeName.screenID
        /// Distinguishes two screens of the same name; derived from the name if it is missing.
        public static let SCREEN_UNIQUE_ID = AttributeName.screenUniqueID
    }

    /// Names of an item's fourteen preset attributes, with the spelling of the published API; an item may have ten
    /// other attributes.
    ///
    /// The values are the names on the wire that the server reads; for the categories those of the manual (`category`),
    /// not those of the published SDK (`item_category`), which no server reads and which are renamed when recorded.
    public enum Item: Sendable {
        /// Required, a text or a number: an item without it is discarded with code 4006.
        public static let ITEM_ID = ItemName.id
        /// The item's name.
        public static let ITEM_NAME = ItemName.name
        /// The item's brand.
        public static let ITEM_BRAND = ItemName.brand
        /// The currency of ``PRICE``.
        public static let CURRENCY = ItemName.currency
        /// The price, a number.
        public static let PRICE = ItemName.price
        /// The quantity, a number.
        public static let QUANTITY = ItemName.quantity
        /// The name of the advertising creative.
        public static let CREATIVE_NAME = ItemName.creativeName
        /// The slot of the advertising creative.
        public static let CREATIVE_SLOT = ItemName.creativeSlot
        /// The id of the item's location.
        public static let LOCATION_ID = ItemName.locationID
        /// The first of five category levels.
        public static let ITEM_CATEGORY = ItemName.category
        /// The second category level.
        public static let ITEM_CATEGORY2 = ItemName.category2
        /// The third category level.
        public static let ITEM_CATEGORY3 = ItemName.category3
        /// The fourth category level.
        public static let ITEM_CATEGORY4 = ItemName.category4
        /// The fifth category level.
        public static let ITEM_CATEGORY5 = ItemName.category5
    }
}
