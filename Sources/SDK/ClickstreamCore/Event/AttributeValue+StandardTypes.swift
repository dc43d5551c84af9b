// Conversions of further types of the standard library.

extension AttributeValue {
    /// Returns an integer; one beyond 64 bits keeps its digits as a decimal.
    package static func whole(_ value: some BinaryInteger) -> AttributeValue {
        Int64(exactly: value).map { .integer($0) } ?? .decimal(DecimalNumber(text: String(value), isFinite: true))
    }

    /// Returns a single-precision number with its shortest decimal digits: 0.1 stays 0.1.
    package static func float(_ value: Float) -> AttributeValue {
        .double(value.isFinite ? Double("\(value)") ?? Double(value) : Double(value))
    }
}

extension RawRepresentable where RawValue: AttributeValueConvertible, Self: AttributeValueConvertible {
    /// The raw value as an attribute value.
    public var attributeValue: AttributeValue { rawValue.attributeValue }
}

extension Float: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .float(self) }
}

extension AttributeValueConvertible where Self: BinaryInteger {
    /// An integer; one beyond 64 bits is sent as a number with all its digits.
    public var attributeValue: AttributeValue { .whole(self) }
}

extension Int8: AttributeValueConvertible {}
extension Int16: AttributeValueConvertible {}
extension Int32: AttributeValueConvertible {}
extension Int128: AttributeValueConvertible {}
extension UInt: AttributeValueConvertible {}
extension UInt8: AttributeValueConvertible {}
extension UInt16: AttributeValueConvertible {}
extension UInt32: AttributeValueConvertible {}
extension UInt64: AttributeValueConvertible {}
extension UInt128: AttributeValueConvertible {}

extension Substring: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .string(String(self)) }
}

extension Character: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .string(String(self)) }
}

// MARK: - Values of several parts

extension AttributeValueConvertible where Self: Collection {
    /// A value that is not recorded, and reported with code 2006, 3006 or 4008.
    public var attributeValue: AttributeValue { .nested }
}

extension Array: AttributeValueConvertible where Element: AttributeValueConvertible {}
extension Set: AttributeValueConvertible where Element: AttributeValueConvertible {}
extension Dictionary: AttributeValueConvertible
where Key: AttributeValueConvertible, Value: AttributeValueConvertible {}
