@import Clickstream;

NSDictionary *attributes = @{
    Attr.SCREEN_NAME: @"HomeView",
    Attr.SCREEN_UNIQUE_ID: @"your screen uniqueId"
};
[ClickstreamObjc recordEvent:EventName.SCREEN_VIEW :attributes];
