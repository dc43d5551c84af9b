/// A number for what was wrong with an event, an attribute, a user attribute or an item.
///
/// 1001–4005 and 5001 are the published SDK's; 3005, 4006 and 4007 are ours beside them. An open set: compare with the
/// static members.
public struct ErrorCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let eventNameInvalid = ErrorCode(rawValue: 1001)
    public static let eventNameTooLong = ErrorCode(rawValue: 1002)
    public static let attributeNameTooLong = ErrorCode(rawValue: 2001)
    public static let attributeNameInvalid = ErrorCode(rawValue: 2002)
    public static let attributeValueTooLong = ErrorCode(rawValue: 2003)
    public static let attributesTooMany = ErrorCode(rawValue: 2004)
    public static let attributeValueNotFinite = ErrorCode(rawValue: 2005)
    public static let userAttributesTooMany = ErrorCode(rawValue: 3001)
    public static let userAttributeNameTooLong = ErrorCode(rawValue: 3002)
    public static let userAttributeNameInvalid = ErrorCode(rawValue: 3003)
    public static let userAttributeValueTooLong = ErrorCode(rawValue: 3004)
    public static let userAttributeValueNotFinite = ErrorCode(rawValue: 3005)
    public static let itemsTooMany = ErrorCode(rawValue: 4001)
    public static let itemValueTooLong = ErrorCode(rawValue: 4002)
    public static let itemAttributesTooMany = ErrorCode(rawValue: 4003)
    public static let itemAttributeNameTooLong = ErrorCode(rawValue: 4004)
    public static let itemAttributeNameInvalid = ErrorCode(rawValue: 4005)
    public static let itemWithoutID = ErrorCode(rawValue: 4006)
    public static let itemValueNotFinite = ErrorCode(rawValue: 4007)
    public static let screenViewWithoutName = ErrorCode(rawValue: 5001)
}

extension ErrorCode: CustomStringConvertible {
    public var description: String { String(rawValue) }
}
