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

extension Int8: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Int16: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Int32: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension UInt8: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension UInt16: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension UInt32: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension UInt: AttributeValueConvertible {
    /// An integer; one beyond 64 bits is sent as a number with all its digits.
    public var attributeValue: AttributeValue { .whole(self) }
}

extension UInt64: AttributeValueConvertible {
    /// An integer; one beyond 64 bits is sent as a number with all its digits.
    public var attributeValue: AttributeValue { .whole(self) }
}

extension Int128: AttributeValueConvertible {
    /// An integer; one beyond 64 bits is sent as a number with all its digits.
    public var attributeValue: AttributeValue { .whole(self) }
}

extension UInt128: AttributeValueConvertible {
    /// An integer; one beyond 64 bits is sent as a number with all its digits.
    public var attributeValue: AttributeValue { .whole(self) }
}

extension Substring: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .string(String(self)) }
}

extension Character: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .string(String(self)) }
}

// MARK: - Values of several parts

extension Array: AttributeValueConvertible where Element: AttributeValueConvertible {
    /// A value that is not recorded, and reported with code 2006, 3006 or 4008.
    public var attributeValue: AttributeValue { .nested }
}

extension Set: AttributeValueConvertible where Element: AttributeValueConvertible {
    /// A value that is not recorded, and reported with code 2006, 3006 or 4008.
    public var attributeValue: AttributeValue { .nested }
}

extension Dictionary: AttributeValueConvertible where Key: AttributeValueConvertible, Value: AttributeValueConvertible {
    /// A value that is not recorded, and reported with code 2006, 3006 or 4008.
    public var attributeValue: AttributeValue { .nested }
}
