#import <Foundation/Foundation.h>
#include <clickstream.h>

/* Text of a string as UTF-8; an unpaired surrogate becomes U+FFFD. */
NSData *ClickstreamText(NSString *string);

/* Creates a list from a dictionary, in the order of its names. The caller releases it. */
clickstream_attributes *ClickstreamAttributeList(NSDictionary *dictionary);
