#import "Clickstream.h"
#include <clickstream.h>

@interface ClickstreamConfiguration ()
/* Takes over a handle. With `isRunning`, each change is applied to the default client. */
- (instancetype)initWithHandle:(clickstream_configuration *)handle isRunning:(BOOL)isRunning;
- (clickstream_configuration *)handle;
@end
