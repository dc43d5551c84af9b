#import "AttributeList.h"

NSData *ClickstreamText(NSString *string) {
    NSData *data = [string dataUsingEncoding:NSUTF8StringEncoding];
    if (data) return data;
    NSMutableString *text = [NSMutableString stringWithCapacity:[string length]];
    for (NSUInteger i = 0; i < [string length]; i++) {
        unichar unit = [string characterAtIndex:i];
        BOOL isHigh = (unit & 0xFC00) == 0xD800;
        if (isHigh && i + 1 < [string length] && ([string characterAtIndex:i + 1] & 0xFC00) == 0xDC00) {
            [text appendString:[string substringWithRange:NSMakeRange(i++, 2)]];
        } else {
            unichar kept = (unit & 0xF800) == 0xD800 ? 0xFFFD : unit;
            [text appendString:[NSString stringWithCharacters:&kept length:1]];
        }
    }
    return [text dataUsingEncoding:NSUTF8StringEncoding];
}

static clickstream_status set_number(clickstream_attributes *list, NSData *name, NSNumber *number) {
    const char *text = [name bytes];
    size_t length = [name length];
    if ([number isKindOfClass:[[NSNumber numberWithBool:YES] class]])
        return clickstream_attributes_set_bool_n(list, text, length, [number boolValue]);
    switch ([number objCType][0]) {
    case 'f':
    case 'd': return clickstream_attributes_set_double_n(list, text, length, [number doubleValue]);
    case 'Q':
    case 'L':
        if ([number unsignedLongLongValue] > INT64_MAX)
            return clickstream_attributes_set_double_n(list, text, length, [number doubleValue]);
        return clickstream_attributes_set_int_n(list, text, length, [number longLongValue]);
    default:
        if ([number isKindOfClass:[NSDecimalNumber class]])
            return clickstream_attributes_set_double_n(list, text, length, [number doubleValue]);
        return clickstream_attributes_set_int_n(list, text, length, [number longLongValue]);
    }
}

clickstream_attributes *ClickstreamAttributeList(NSDictionary *dictionary) {
    clickstream_attributes *list = clickstream_attributes_create();
    NSMutableArray *names = [NSMutableArray arrayWithCapacity:[dictionary count]];
    for (id name in dictionary) {
        if ([name isKindOfClass:[NSString class]]) [names addObject:name];
        else NSLog(@"Clickstream: an attribute is omitted: its name is not a string but of class %@", [name class]);
    }
    for (NSString *name in [names sortedArrayUsingSelector:@selector(compare:)]) {
        id value = [dictionary objectForKey:name];
        NSData *key = ClickstreamText(name);
        clickstream_status status = CLICKSTREAM_INVALID_VALUE;
        if ([value isKindOfClass:[NSString class]]) {
            NSData *text = ClickstreamText(value);
            /* The address of empty data may be NULL. */
            const char *bytes = [text length] ? [text bytes] : "";
            status = clickstream_attributes_set_string_n(list, [key length] ? [key bytes] : "", [key length], bytes,
                                                         [text length]);
        } else if ([value isKindOfClass:[NSNumber class]]) {
            status = set_number(list, [key length] ? key : [NSData dataWithBytes:"" length:0], value);
        }
        if (status != CLICKSTREAM_OK)
            NSLog(@"Clickstream: the attribute %@ of class %@ is omitted: %s", name, [value class],
                  clickstream_status_text(status));
    }
    return list;
}
