/// Code of a rule that an event, an attribute, a user attribute or an item violated.
///
/// 1001–4005 and 5001 are codes of the published SDK; 2006, 3005, 3006, 4006, 4007 and 4008 are additional. An open set:
/// compare with the static members.
public struct ErrorCode: RawRepresentable, Sendable, Hashable {
    /// The number on the wire, in `_error_code`.
    public let rawValue: Int

    /// Creates a code from its number on the wire; any number is valid.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// 1001: event name invalid.
    public static let eventNameInvalid = ErrorCode(rawValue: 1001)
    /// 1002: length of event name.
    public static let eventNameTooLong = ErrorCode(rawValue: 1002)
    /// 2001: length of event attribute name.
    public static let attributeNameTooLong = ErrorCode(rawValue: 2001)
    /// 2002: attribute name invalid.
    public static let attributeNameInvalid = ErrorCode(rawValue: 2002)
    /// 2003: length of event attribute value.
    public static let attributeValueTooLong = ErrorCode(rawValue: 2003)
    /// 2004: event attributes per event.
    public static let attributesTooMany = ErrorCode(rawValue: 2004)
    /// 2005: event attribute value is infinite.
    public static let attributeValueNotFinite = ErrorCode(rawValue: 2005)
    /// 2006: event attribute value is nested: a list, a dictionary or an object.
    public static let attributeValueNested = ErrorCode(rawValue: 2006)
    /// 3001: user attribute number.
    public static let userAttributesTooMany = ErrorCode(rawValue: 3001)
    /// 3002: length of user attribute name.
    public static let userAttributeNameTooLong = ErrorCode(rawValue: 3002)
    /// 3003: user attribute name invalid.
    public static let userAttributeNameInvalid = ErrorCode(rawValue: 3003)
    /// 3004: length of user attribute value.
    public static let userAttributeValueTooLong = ErrorCode(rawValue: 3004)
    /// 3005: user attribute value is infinite.
    public static let userAttributeValueNotFinite = ErrorCode(rawValue: 3005)
    /// 3006: user attribute value is nested: a list or a dictionary.
    public static let userAttributeValueNested = ErrorCode(rawValue: 3006)
    /// 4001: item number in one event.
    public static let itemsTooMany = ErrorCode(rawValue: 4001)
    /// 4002: length of item attribute value.
    public static let itemValueTooLong = ErrorCode(rawValue: 4002)
    /// 4003: custom item attribute number in one item.
    public static let itemAttributesTooMany = ErrorCode(rawValue: 4003)
    /// 4004: length of item attribute name.
    public static let itemAttributeNameTooLong = ErrorCode(rawValue: 4004)
    /// 4005: item attribute name invalid.
    public static let itemAttributeNameInvalid = ErrorCode(rawValue: 4005)
    /// 4006: item without id.
    public static let itemWithoutID = ErrorCode(rawValue: 4006)
    /// 4007: item attribute value is infinite.
    public static let itemValueNotFinite = ErrorCode(rawValue: 4007)
    /// 4008: item attribute value is nested: a list, a dictionary or an object.
    public static let itemValueNested = ErrorCode(rawValue: 4008)
    /// 5001: screen view without a name.
    public static let screenViewWithoutName = ErrorCode(rawValue: 5001)
}

extension ErrorCode: CustomStringConvertible {
    public var description: String { String(rawValue) }
}
