import ClickstreamCore

extension ClickstreamAnalytics {
    /// Names of events, in the published API's spelling.
    public enum EventName: Sendable {
        public static let SCREEN_VIEW = ClickstreamCore.EventName.screenView
    }

    /// Names of attributes, in the published API's spelling.
    public enum Attr: Sendable {
        public static let TRAFFIC_SOURCE_SOURCE = AttributeName.trafficSource
        public static let TRAFFIC_SOURCE_MEDIUM = AttributeName.trafficMedium
        public static let TRAFFIC_SOURCE_CAMPAIGN = AttributeName.trafficCampaign
        public static let TRAFFIC_SOURCE_CAMPAIGN_ID = AttributeName.trafficCampaignID
        public static let TRAFFIC_SOURCE_TERM = AttributeName.trafficTerm
        public static let TRAFFIC_SOURCE_CONTENT = AttributeName.trafficContent
        public static let TRAFFIC_SOURCE_CLID = AttributeName.trafficClickID
        public static let TRAFFIC_SOURCE_CLID_PLATFORM = AttributeName.trafficClickIDPlatform
        public static let APP_INSTALL_CHANNEL = AttributeName.appInstallChannel
        public static let VALUE = AttributeName.value
        public static let CURRENCY = AttributeName.currency
        public static let SCREEN_NAME = AttributeName.screenName
        public static let SCREEN_ID = AttributeName.screenID
        public static let SCREEN_UNIQUE_ID = AttributeName.screenUniqueID
    }

    /// Names of an item's attributes, in the published API's spelling; the categories as the server reads them.
    public enum Item: Sendable {
        public static let ITEM_ID = ItemName.id
        public static let ITEM_NAME = ItemName.name
        public static let ITEM_BRAND = ItemName.brand
        public static let CURRENCY = ItemName.currency
        public static let PRICE = ItemName.price
        public static let QUANTITY = ItemName.quantity
        public static let CREATIVE_NAME = ItemName.creativeName
        public static let CREATIVE_SLOT = ItemName.creativeSlot
        public static let LOCATION_ID = ItemName.locationID
        public static let ITEM_CATEGORY = ItemName.category
        public static let ITEM_CATEGORY2 = ItemName.category2
        public static let ITEM_CATEGORY3 = ItemName.category3
        public static let ITEM_CATEGORY4 = ItemName.category4
        public static let ITEM_CATEGORY5 = ItemName.category5
    }
}
