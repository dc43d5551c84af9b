import ClickstreamCore

extension ClickstreamAnalytics {
    /// Names of events, in the published API's spelling.
    public enum EventName: Sendable {
        /// Recorded by the app, it makes a screen the current one; needs ``Attr/SCREEN_NAME``.
        public static let SCREEN_VIEW = ClickstreamCore.EventName.screenView
    }

    /// Names of attributes that the server reads by themselves, in the published API's spelling; the values are the
    /// names on the wire.
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
        /// Who gave the click its id, such as `amazon_ads`.
        public static let TRAFFIC_SOURCE_CLID_PLATFORM = AttributeName.trafficClickIDPlatform
        /// Where the app was installed from, such as `App Store`.
        public static let APP_INSTALL_CHANNEL = AttributeName.appInstallChannel
        /// What the event is worth, a number.
        public static let VALUE = AttributeName.value
        /// The currency of ``VALUE``, such as `USD`.
        public static let CURRENCY = AttributeName.currency
        /// The screen's name; required of a ``EventName/SCREEN_VIEW``.
        public static let SCREEN_NAME = AttributeName.screenName
        /// The screen's id, such as its class; ours beside the published names.
        public static let SCREEN_ID = AttributeName.screenID
        /// Tells two screens of one name apart; derived from the name when it is not given.
        public static let SCREEN_UNIQUE_ID = AttributeName.screenUniqueID
    }

    /// Names of an item's fourteen preset attributes, in the published API's spelling; ten others may stand beside them.
    ///
    /// The values are the names on the wire that the server reads; for the categories those of the manual (`category`),
    /// not those of the published SDK (`item_category`), which no server reads and which are renamed on the way in.
    public enum Item: Sendable {
        /// Required, a text or a number: without it the item is discarded, with 4006.
        public static let ITEM_ID = ItemName.id
        /// What the item is called.
        public static let ITEM_NAME = ItemName.name
        /// Whose item it is.
        public static let ITEM_BRAND = ItemName.brand
        /// The currency of ``PRICE``.
        public static let CURRENCY = ItemName.currency
        /// A number.
        public static let PRICE = ItemName.price
        /// How many.
        public static let QUANTITY = ItemName.quantity
        /// The name of the advertisement's design.
        public static let CREATIVE_NAME = ItemName.creativeName
        /// The place of the advertisement's design.
        public static let CREATIVE_SLOT = ItemName.creativeSlot
        /// Where the item is.
        public static let LOCATION_ID = ItemName.locationID
        /// The first level of a hierarchy of five.
        public static let ITEM_CATEGORY = ItemName.category
        /// The second level.
        public static let ITEM_CATEGORY2 = ItemName.category2
        /// The third level.
        public static let ITEM_CATEGORY3 = ItemName.category3
        /// The fourth level.
        public static let ITEM_CATEGORY4 = ItemName.category4
        /// The fifth level.
        public static let ITEM_CATEGORY5 = ItemName.category5
    }
}
