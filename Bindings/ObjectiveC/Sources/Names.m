#import "Clickstream.h"

#define NAME(constant, value) \
    +(NSString *)constant { return @value; }

@implementation Attr
NAME(TRAFFIC_SOURCE_SOURCE, "_traffic_source_source")
NAME(TRAFFIC_SOURCE_MEDIUM, "_traffic_source_medium")
NAME(TRAFFIC_SOURCE_CAMPAIGN, "_traffic_source_campaign")
NAME(TRAFFIC_SOURCE_CAMPAIGN_ID, "_traffic_source_campaign_id")
NAME(TRAFFIC_SOURCE_TERM, "_traffic_source_term")
NAME(TRAFFIC_SOURCE_CONTENT, "_traffic_source_content")
NAME(TRAFFIC_SOURCE_CLID, "_traffic_source_clid")
NAME(TRAFFIC_SOURCE_CLID_PLATFORM, "_traffic_source_clid_platform")
NAME(APP_INSTALL_CHANNEL, "_app_install_channel")
NAME(VALUE, "_value")
NAME(CURRENCY, "_currency")
NAME(SCREEN_NAME, "_screen_name")
NAME(SCREEN_ID, "_screen_id")
NAME(SCREEN_UNIQUE_ID, "_screen_unique_id")
@end

@implementation ClickstreamItemKey
NAME(ITEM_ID, "id")
NAME(ITEM_NAME, "name")
NAME(ITEM_BRAND, "brand")
NAME(CURRENCY, "currency")
NAME(PRICE, "price")
NAME(QUANTITY, "quantity")
NAME(CREATIVE_NAME, "creative_name")
NAME(CREATIVE_SLOT, "creative_slot")
NAME(LOCATION_ID, "location_id")
NAME(ITEM_CATEGORY, "category")
NAME(ITEM_CATEGORY2, "category2")
NAME(ITEM_CATEGORY3, "category3")
NAME(ITEM_CATEGORY4, "category4")
NAME(ITEM_CATEGORY5, "category5")
@end

@implementation EventName
NAME(SCREEN_VIEW, "_screen_view")
@end
