@import Clickstream;

NSDictionary *attributes =@{
    Attr.APP_INSTALL_CHANNEL: @"App Store",
    @"class": @6,
    @"level": @5.1,
    @"isOpenNotification": @YES
};
[ClickstreamObjc addGlobalAttributes :attributes];

// for delete an global attribute
[ClickstreamObjc deleteGlobalAttributes: @[@"level"]];
