@import Clickstream;

NSDictionary *globalAttributes = @{
    Attr.TRAFFIC_SOURCE_SOURCE: @"amazon",
    Attr.TRAFFIC_SOURCE_MEDIUM: @"cpc",
    Attr.TRAFFIC_SOURCE_CAMPAIGN: @"summer_promotion",
    Attr.TRAFFIC_SOURCE_CAMPAIGN_ID: @"summer_promotion_01",
    Attr.TRAFFIC_SOURCE_TERM: @"running_shoes",
    Attr.TRAFFIC_SOURCE_CONTENT: @"banner_ad_1",
    Attr.TRAFFIC_SOURCE_CLID: @"amazon_ad_123",
    Attr.TRAFFIC_SOURCE_CLID_PLATFORM: @"amazon_ads",
    Attr.APP_INSTALL_CHANNEL: @"App Store",
};
ClickstreamConfiguration *configuration = [[[[[ClickstreamConfiguration alloc] init]
    withAppId:@"your appId"]
    withEndpoint:@"https://example.com/collect"]
    withInitialGlobalAttributesObjc:globalAttributes];
[ClickstreamObjc initSDK:configuration error: &error];
