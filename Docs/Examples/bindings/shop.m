@import Clickstream;

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    ClickstreamConfiguration *configuration = [[[[[ClickstreamConfiguration alloc] init]
        withAppId:@"shopping"]
        withEndpoint:@"http://127.0.0.1:9090/collect"]
        withInitialGlobalAttributesObjc:@{Attr.APP_INSTALL_CHANNEL: @"package"}];
    NSError *error = nil;
    if (![ClickstreamObjc initSDK:configuration error:&error]) {
        NSLog(@"not started: %@", error.localizedDescription);
        return 1;
    }
    [configuration release];

    [ClickstreamObjc setUserId:@"carl"];
    [ClickstreamObjc recordEvent:@"add_to_cart" :@{@"category": @"shoes", @"value": @279.9}];
    [ClickstreamObjc recordEvent:@"view_item" :@{} :@[@{
        ClickstreamItemKey.ITEM_ID: @"123",
        ClickstreamItemKey.ITEM_NAME: @"Nature",
        ClickstreamItemKey.PRICE: @99.9,
    }]];

    [ClickstreamObjc shutdownWithDeadline:5000];
    [pool drain];
    return 0;
}
