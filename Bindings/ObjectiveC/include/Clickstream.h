/* Objective-C API of the published Clickstream SDK, over libclickstream. Built with GNUstep on Linux.
 *
 * Every method may be called from any thread. Mistakes of the caller are reported by code in the event; nothing raises an
 * exception. Attribute values are NSString and NSNumber; a value of another class, or a number that is not finite, is
 * omitted and logged. NSDecimalNumber is recorded as double. Docs/bindings.md has a complete example.
 */
#import <Foundation/Foundation.h>

/* The literals @YES and @NO need constants; the headers of GCC's runtime define casts. */
#if __has_feature(objc_bool)
#undef YES
#undef NO
#define YES __objc_yes
#define NO __objc_no
#endif
#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif

/* Domain of errors; the code is a clickstream_status. */
extern NSString *const ClickstreamErrorDomain;

/* Names of attributes that the server reads individually. */
@interface Attr : NSObject
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_SOURCE;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_MEDIUM;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_CAMPAIGN;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_CAMPAIGN_ID;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_TERM;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_CONTENT;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_CLID;
@property(class, readonly, copy) NSString *TRAFFIC_SOURCE_CLID_PLATFORM;
@property(class, readonly, copy) NSString *APP_INSTALL_CHANNEL;
@property(class, readonly, copy) NSString *VALUE;
@property(class, readonly, copy) NSString *CURRENCY;
@property(class, readonly, copy) NSString *SCREEN_NAME;
@property(class, readonly, copy) NSString *SCREEN_ID;
@property(class, readonly, copy) NSString *SCREEN_UNIQUE_ID;
@end

/* Names of an item's preset attributes. */
@interface ClickstreamItemKey : NSObject
@property(class, readonly, copy) NSString *ITEM_ID;
@property(class, readonly, copy) NSString *ITEM_NAME;
@property(class, readonly, copy) NSString *ITEM_BRAND;
@property(class, readonly, copy) NSString *CURRENCY;
@property(class, readonly, copy) NSString *PRICE;
@property(class, readonly, copy) NSString *QUANTITY;
@property(class, readonly, copy) NSString *CREATIVE_NAME;
@property(class, readonly, copy) NSString *CREATIVE_SLOT;
@property(class, readonly, copy) NSString *LOCATION_ID;
@property(class, readonly, copy) NSString *ITEM_CATEGORY;
@property(class, readonly, copy) NSString *ITEM_CATEGORY2;
@property(class, readonly, copy) NSString *ITEM_CATEGORY3;
@property(class, readonly, copy) NSString *ITEM_CATEGORY4;
@property(class, readonly, copy) NSString *ITEM_CATEGORY5;
@end

/* Event names. */
@interface EventName : NSObject
@property(class, readonly, copy) NSString *SCREEN_VIEW;
@end

/* Decision of a person on a purpose. */
typedef enum ClickstreamDecision {
    /* Not decided yet: withConsent: says what happens to events. */
    ClickstreamDecisionUndecided = 0,
    ClickstreamDecisionGranted = 1,
    ClickstreamDecisionDenied = 2
} ClickstreamDecision;

/* Purposes of a decision, combined by `|`. */
typedef enum ClickstreamPurpose {
    /* Recording and sending events, in every format. */
    ClickstreamPurposeAnalytics = 1,
    /* The identity of the person: user id and user attributes in the events. */
    ClickstreamPurposePersonalization = 2
} ClickstreamPurpose;

/* Object that sees each event of the app before it is validated. Not part of the published API. */
@protocol ClickstreamMiddleware <NSObject>
/* Returns the event to be recorded, with the keys of `event`: "name", "attributes" and "items"; nil drops the event. An exception
 * drops it, too. Called by the threads that record, at the same time; must not record. */
- (NSDictionary *)eventToRecord:(NSDictionary *)event;
@end

/* Configuration of the SDK. A setting that is not set comes from the environment, the configuration file, or the default. The
 * configuration of a running SDK changes it at once. A value that a setting does not accept is ignored and logged. */
@interface ClickstreamConfiguration : NSObject {
  @private
    struct clickstream_configuration *_handle;
    BOOL _isRunning;
}
- (instancetype)withAppId:(NSString *)appId;
- (instancetype)withEndpoint:(NSString *)endpoint;
- (instancetype)withLogEvents:(BOOL)isLogEvents;
- (instancetype)withCompressEvents:(BOOL)isCompressEvents;
/* Milliseconds between automatic flushes; 0 disables them. */
- (instancetype)withSendEventInterval:(NSInteger)milliseconds;
- (instancetype)withSendEventsInterval:(NSInteger)milliseconds;
/* Milliseconds in the background after which a new session starts. */
- (instancetype)withSessionTimeoutDuration:(int64_t)milliseconds;
- (instancetype)withTrackScreenViewEvents:(BOOL)isTracked;
- (instancetype)withTrackUserEngagementEvents:(BOOL)isTracked;
- (instancetype)withTrackAppExceptionEvents:(BOOL)isTracked;
- (instancetype)withAuthCookie:(NSString *)cookie;
- (instancetype)withInitialGlobalAttributesObjc:(NSDictionary *)attributes;
/* Rates from 0 to 1 by event name: the part of the events that is recorded. Not part of the published API. */
- (instancetype)withSampling:(NSDictionary *)rates;
/* "notRequired" (default), "hold" or "drop" until the person has decided. Not part of the published API. */
- (instancetype)withConsent:(NSString *)policy;
/* Folder that contains the stores of all apps; not part of the published API. */
- (instancetype)withStorageDirectory:(NSString *)folder;

/* Value of a key of Docs/configuration.md: NSString or NSNumber; nil if it has none. */
- (id)valueForConfigurationKey:(NSString *)key;
@end

@interface ClickstreamObjc : NSObject
/* Starts the SDK with amplifyconfiguration.json and the environment. Returns NO and sets the error if it is not started. */
+ (BOOL)initSDKAndReturnError:(NSError **)error;
+ (BOOL)initSDK:(ClickstreamConfiguration *)configuration error:(NSError **)error;

+ (void)recordEvent:(NSString *)eventName;
+ (void)recordEvent:(NSString *)eventName :(NSDictionary *)attributes;
/* Records an event with items: an array of dictionaries, each with ITEM_ID. */
+ (void)recordEvent:(NSString *)eventName :(NSDictionary *)attributes :(NSArray *)items;

+ (void)addGlobalAttributes:(NSDictionary *)attributes;
+ (void)deleteGlobalAttributes:(NSArray *)names;
+ (void)addUserAttributes:(NSDictionary *)attributes;
/* Logs a user in, or out with nil. */
+ (void)setUserId:(NSString *)userId;

/* Starts sending queued events, and returns immediately. */
+ (void)flushEvents;
+ (void)disable;
+ (void)enable;
/* Stores a person's decision, and performs its consequences; Docs/privacy.md has all. Not part of the published API, as all methods
 * of this group. */
+ (void)setConsent:(ClickstreamDecision)decision forPurposes:(NSUInteger)purposes;
+ (ClickstreamDecision)consentForPurpose:(ClickstreamPurpose)purpose;
/* Removes the identity and everything that is queued from the disk, and continues as a new installation. */
+ (void)eraseAll;
/* Adds middleware, which is retained until it is removed or the SDK ends. A middleware of the same name is replaced. */
+ (void)addMiddleware:(id<ClickstreamMiddleware>)middleware named:(NSString *)name;
+ (void)removeMiddlewareNamed:(NSString *)name;

/* Configuration of the running SDK; nil and an error if it does not run. */
+ (ClickstreamConfiguration *)getClickstreamConfigurationAndReturnError:(NSError **)error;

/* Ends the SDK after sending for at most `milliseconds`; not part of the published API. */
+ (void)shutdownWithDeadline:(int64_t)milliseconds;
@end
