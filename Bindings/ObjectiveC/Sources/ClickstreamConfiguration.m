#import "ClickstreamConfiguration.h"
#import "AttributeList.h"

@implementation ClickstreamConfiguration

- (instancetype)init {
    return [self initWithHandle:clickstream_configuration_create() isRunning:NO];
}

- (instancetype)initWithHandle:(clickstream_configuration *)handle isRunning:(BOOL)isRunning {
    if ((self = [super init])) {
        _handle = handle;
        _isRunning = isRunning;
    }
    return self;
}

- (void)dealloc {
    clickstream_configuration_release(_handle);
    [super dealloc];
}

- (clickstream_configuration *)handle {
    return _handle;
}

/* Logs a change that was refused, and applies one that was accepted to the running client. */
- (instancetype)changed:(const char *)key status:(clickstream_status)status {
    if (status == CLICKSTREAM_OK && _isRunning)
        status = clickstream_client_configure(clickstream_default_client(), _handle);
    if (status != CLICKSTREAM_OK) NSLog(@"Clickstream: %s is not set: %s", key, clickstream_status_text(status));
    return self;
}

- (instancetype)set:(const char *)key string:(NSString *)value {
    NSData *text = ClickstreamText(value ? value : @"");
    const char *bytes = [text length] ? [text bytes] : "";
    return [self changed:key
                  status:clickstream_configuration_set_string_n(_handle, key, strlen(key), bytes, [text length])];
}

- (instancetype)set:(const char *)key truth:(BOOL)value {
    return [self changed:key status:clickstream_configuration_set_bool(_handle, key, value)];
}

- (instancetype)set:(const char *)key integer:(int64_t)value {
    return [self changed:key status:clickstream_configuration_set_int(_handle, key, value < 0 ? 0 : value)];
}

- (instancetype)withAppId:(NSString *)appId {
    return [self set:"appId" string:appId];
}

- (instancetype)withEndpoint:(NSString *)endpoint {
    return [self set:"endpoint" string:endpoint];
}

- (instancetype)withLogEvents:(BOOL)isLogEvents {
    return [self set:"isLogEvents" truth:isLogEvents];
}

- (instancetype)withCompressEvents:(BOOL)isCompressEvents {
    return [self set:"isCompressEvents" truth:isCompressEvents];
}

- (instancetype)withSendEventInterval:(NSInteger)milliseconds {
    return [self set:"autoFlushEventsInterval" integer:milliseconds];
}

- (instancetype)withSendEventsInterval:(NSInteger)milliseconds {
    return [self set:"autoFlushEventsInterval" integer:milliseconds];
}

- (instancetype)withSessionTimeoutDuration:(int64_t)milliseconds {
    return [self set:"sessionTimeoutDuration" integer:milliseconds];
}

- (instancetype)withTrackScreenViewEvents:(BOOL)isTracked {
    return [self set:"isTrackScreenViewEvents" truth:isTracked];
}

- (instancetype)withTrackUserEngagementEvents:(BOOL)isTracked {
    return [self set:"isTrackUserEngagementEvents" truth:isTracked];
}

- (instancetype)withTrackAppExceptionEvents:(BOOL)isTracked {
    return [self set:"isTrackAppExceptionEvents" truth:isTracked];
}

- (instancetype)withAuthCookie:(NSString *)cookie {
    return [self set:"authCookie" string:cookie];
}

- (instancetype)set:(const char *)key attributes:(NSDictionary *)attributes {
    clickstream_attributes *list = ClickstreamAttributeList(attributes);
    clickstream_status status = clickstream_configuration_set_attributes(_handle, key, list);
    clickstream_attributes_release(list);
    return [self changed:key status:status];
}

- (instancetype)withInitialGlobalAttributesObjc:(NSDictionary *)attributes {
    return [self set:"globalAttributes" attributes:attributes];
}

- (instancetype)withSampling:(NSDictionary *)rates {
    return [self set:"sampling" attributes:rates];
}

- (instancetype)withConsent:(NSString *)policy {
    return [self set:"consent" string:policy];
}

- (instancetype)withStorageDirectory:(NSString *)folder {
    return [self set:"storageDirectory" string:folder];
}

- (id)valueForConfigurationKey:(NSString *)name {
    const char *key = [name UTF8String];
    int64_t integer;
    bool truth;
    size_t length;
    if (clickstream_configuration_get_int(_handle, key, &integer) == CLICKSTREAM_OK)
        return [NSNumber numberWithLongLong:integer];
    if (clickstream_configuration_get_bool(_handle, key, &truth) == CLICKSTREAM_OK) return [NSNumber numberWithBool:truth];
    if (clickstream_configuration_get_string(_handle, key, NULL, 0, &length) != CLICKSTREAM_BUFFER_TOO_SMALL) return nil;
    NSMutableData *buffer = [NSMutableData dataWithLength:length + 1];
    if (clickstream_configuration_get_string(_handle, key, [buffer mutableBytes], length + 1, NULL) != CLICKSTREAM_OK)
        return nil;
    return [[[NSString alloc] initWithBytes:[buffer bytes] length:length encoding:NSUTF8StringEncoding] autorelease];
}
@end
