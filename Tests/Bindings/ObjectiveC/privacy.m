/* Consent, middleware, sampling and erasure in Objective-C. Prints what fails. */
@import Clickstream;
#include <clickstream.h>

static int failures;
#define CHECK(condition) (condition) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition))

static NSMutableArray *events;

static void note(const clickstream_notice *notice, void *context) {
    (void)context;
    if (notice->kind != CLICKSTREAM_NOTICE_RECORDED || notice->name[0] == '_') return;
    NSData *json = [NSData dataWithBytes:notice->json length:notice->json_length];
    [events addObject:[NSJSONSerialization JSONObjectWithData:json options:0 error:NULL]];
}

static id value(NSUInteger index, NSString *path) {
    return index < [events count] ? [[events objectAtIndex:index] valueForKeyPath:path] : nil;
}

@interface Redaction : NSObject <ClickstreamMiddleware>
@end

@implementation Redaction
- (NSDictionary *)eventToRecord:(NSDictionary *)event {
    NSString *name = [event objectForKey:@"name"];
    if ([name isEqual:@"secret"]) return nil;
    if ([name isEqual:@"broken"]) [NSException raise:NSGenericException format:@"of the middleware"];
    if ([name isEqual:@"same"]) return event;
    return @{@"name": @"renamed", @"attributes": @{@"kept": [event valueForKeyPath:@"attributes.kept"]}};
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    events = [[NSMutableArray alloc] init];
    clickstream_observe(clickstream_default_client(), note, NULL, NULL, NULL);
    ClickstreamConfiguration *configuration = [[[[ClickstreamConfiguration alloc] init]
        withConsent:@"hold"]
        withSampling:@{@"never": @0.0}];
    NSError *error = nil;
    CHECK([ClickstreamObjc initSDK:configuration error:&error]);
    [configuration release];

    [ClickstreamObjc recordEvent:@"held"];
    CHECK([events count] == 0);
    CHECK([ClickstreamObjc consentForPurpose:ClickstreamPurposeAnalytics] == ClickstreamDecisionUndecided);
    [ClickstreamObjc setConsent:ClickstreamDecisionGranted
                    forPurposes:ClickstreamPurposeAnalytics | ClickstreamPurposePersonalization];
    CHECK([ClickstreamObjc consentForPurpose:ClickstreamPurposePersonalization] == ClickstreamDecisionGranted);
    CHECK([events count] == 1);
    [ClickstreamObjc recordEvent:@"never"];
    CHECK([events count] == 1);

    Redaction *redaction = [[Redaction alloc] init];
    [ClickstreamObjc addMiddleware:redaction named:@"redaction"];
    CHECK([redaction retainCount] == 2);
    for (NSString *name in @[@"tap", @"secret", @"broken", @"same"]) {
        [ClickstreamObjc recordEvent:name :@{@"kept": @42, @"lost": @"a"}];
    }
    [ClickstreamObjc removeMiddlewareNamed:@"redaction"];
    CHECK([redaction retainCount] == 1);
    [redaction release];
    [ClickstreamObjc recordEvent:@"tap" :@{@"lost": @"a"}];
    CHECK([events count] == 4);
    CHECK([value(1, @"event_type") isEqual:@"renamed"] && [value(1, @"attributes.kept") isEqual:@42]);
    CHECK(value(1, @"attributes.lost") == nil);
    CHECK([value(2, @"event_type") isEqual:@"same"] && [value(2, @"attributes.lost") isEqual:@"a"]);
    CHECK([value(3, @"event_type") isEqual:@"tap"]);

    [ClickstreamObjc eraseAll];
    CHECK([ClickstreamObjc consentForPurpose:ClickstreamPurposeAnalytics] == ClickstreamDecisionUndecided);
    [ClickstreamObjc shutdownWithDeadline:0];
    [pool drain];
    return failures != 0;
}
