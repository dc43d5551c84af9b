#import "AttributeList.h"
#import "ClickstreamConfiguration.h"

NSString *const ClickstreamErrorDomain = @"Clickstream";

static void set_error(NSError **error, clickstream_status status, const char *message) {
    if (!error) return;
    NSString *text = [NSString stringWithUTF8String:message && message[0] ? message : clickstream_status_text(status)];
    *error = [NSError errorWithDomain:ClickstreamErrorDomain
                                 code:status
                             userInfo:[NSDictionary dictionaryWithObject:text forKey:NSLocalizedDescriptionKey]];
}

/* Logs a call that was refused, which the methods of the published API do not report. */
static void report(const char *call, clickstream_status status) {
    if (status != CLICKSTREAM_OK) NSLog(@"Clickstream: %s: %s", call, clickstream_status_text(status));
}

/* Calls middleware; its context is the retained object. */
static clickstream_decision middleware(clickstream_draft *draft, const char *json, size_t length, void *context) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    clickstream_decision decision = CLICKSTREAM_DROP;
    @try {
        NSData *text = [NSData dataWithBytesNoCopy:(void *)json length:length freeWhenDone:NO];
        NSDictionary *event = [NSJSONSerialization JSONObjectWithData:text options:0 error:NULL];
        NSDictionary *changed = [(id<ClickstreamMiddleware>)context eventToRecord:event];
        if ([changed isEqual:event]) {
            decision = CLICKSTREAM_KEEP;
        } else if (changed) {
            NSData *made = [NSJSONSerialization dataWithJSONObject:changed options:0 error:NULL];
            clickstream_status status = clickstream_draft_set_json_n(draft, [made bytes], [made length]);
            if (status == CLICKSTREAM_OK) decision = CLICKSTREAM_KEEP;
            report("middleware", status);
        }
    } @catch (NSException *exception) {
        NSLog(@"Clickstream: middleware: %@: the event is dropped", [exception reason]);
    }
    [pool drain];
    return decision;
}

static void release_middleware(void *context) {
    [(id)context release];
}

@implementation ClickstreamObjc
+ (BOOL)initSDKAndReturnError:(NSError **)error {
    return [self initSDK:nil error:error];
}

+ (BOOL)initSDK:(ClickstreamConfiguration *)configuration error:(NSError **)error {
    char message[1024];
    clickstream_status status = clickstream_start([configuration handle], message, sizeof message);
    if (status == CLICKSTREAM_OK) return YES;
    set_error(error, status, message);
    return NO;
}

+ (void)recordEvent:(NSString *)eventName {
    [self recordEvent:eventName :nil :nil];
}

+ (void)recordEvent:(NSString *)eventName :(NSDictionary *)attributes {
    [self recordEvent:eventName :attributes :nil];
}

+ (void)recordEvent:(NSString *)eventName :(NSDictionary *)attributes :(NSArray *)items {
    NSData *name = ClickstreamText(eventName ? eventName : @"");
    NSUInteger count = [items count], made = 0;
    clickstream_attributes **lists = calloc(count + 1, sizeof *lists);
    if (!lists) return report("recordEvent", CLICKSTREAM_TOO_MANY_HANDLES);
    for (id item in items)
        lists[made++] = ClickstreamAttributeList([item isKindOfClass:[NSDictionary class]] ? item : nil);
    clickstream_attributes *own = attributes ? ClickstreamAttributeList(attributes) : NULL;
    report("recordEvent", clickstream_record_n(clickstream_default_client(), [name length] ? [name bytes] : "",
                                               [name length], own, lists, count));
    if (own) clickstream_attributes_release(own);
    for (NSUInteger i = 0; i < count; i++) clickstream_attributes_release(lists[i]);
    free(lists);
}

+ (void)addGlobalAttributes:(NSDictionary *)attributes {
    clickstream_attributes *list = ClickstreamAttributeList(attributes);
    report("addGlobalAttributes", clickstream_add_global_attributes(clickstream_default_client(), list));
    clickstream_attributes_release(list);
}

+ (void)deleteGlobalAttributes:(NSArray *)names {
    for (id name in names) {
        if (![name isKindOfClass:[NSString class]]) continue;
        NSData *text = ClickstreamText(name);
        report("deleteGlobalAttributes",
               clickstream_delete_global_attribute_n(clickstream_default_client(), [text length] ? [text bytes] : "",
                                                     [text length]));
    }
}

+ (void)addUserAttributes:(NSDictionary *)attributes {
    clickstream_attributes *list = ClickstreamAttributeList(attributes);
    report("addUserAttributes", clickstream_add_user_attributes(clickstream_default_client(), list));
    clickstream_attributes_release(list);
}

+ (void)setUserId:(NSString *)userId {
    NSData *text = userId ? ClickstreamText(userId) : nil;
    const char *bytes = userId ? ([text length] ? [text bytes] : "") : NULL;
    report("setUserId", clickstream_set_user_id_n(clickstream_default_client(), bytes, [text length]));
}

+ (void)flushEvents {
    report("flushEvents", clickstream_flush_soon(clickstream_default_client()));
}

+ (void)disable {
    report("disable", clickstream_disable(clickstream_default_client()));
}

+ (void)enable {
    report("enable", clickstream_enable(clickstream_default_client()));
}

+ (void)setConsent:(ClickstreamDecision)decision forPurposes:(NSUInteger)purposes {
    unsigned combined = purposes > 0xFFFF ? 0 : (unsigned)purposes;
    report("setConsent", clickstream_set_consent(clickstream_default_client(), (clickstream_consent)decision, combined));
}

+ (ClickstreamDecision)consentForPurpose:(ClickstreamPurpose)purpose {
    clickstream_consent decision = CLICKSTREAM_CONSENT_UNDECIDED;
    clickstream_get_consent(clickstream_default_client(), (clickstream_purpose)purpose, &decision);
    return (ClickstreamDecision)decision;
}

+ (void)eraseAll {
    report("eraseAll", clickstream_erase_all(clickstream_default_client()));
}

+ (void)addMiddleware:(id<ClickstreamMiddleware>)object named:(NSString *)name {
    clickstream_status status = clickstream_add_middleware(clickstream_default_client(), [name UTF8String],
                                                           object ? middleware : NULL, [object retain], release_middleware);
    if (status != CLICKSTREAM_OK) [object release];
    report("addMiddleware", status);
}

+ (void)removeMiddlewareNamed:(NSString *)name {
    report("removeMiddleware", clickstream_remove_middleware(clickstream_default_client(), [name UTF8String]));
}

+ (ClickstreamConfiguration *)getClickstreamConfigurationAndReturnError:(NSError **)error {
    clickstream_configuration *handle = NULL;
    clickstream_status status = clickstream_client_configuration(clickstream_default_client(), &handle);
    if (status != CLICKSTREAM_OK) {
        set_error(error, status, NULL);
        return nil;
    }
    return [[[ClickstreamConfiguration alloc] initWithHandle:handle isRunning:YES] autorelease];
}

+ (void)shutdownWithDeadline:(int64_t)milliseconds {
    report("shutdown", clickstream_close(clickstream_default_client(), milliseconds < 0 ? 0 : milliseconds, NULL));
}
@end
