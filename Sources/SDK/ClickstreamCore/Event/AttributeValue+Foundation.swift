public import FoundationEssentials

extension Date: AttributeValueConvertible {
    /// Milliseconds since 1970 as an integer, rounded, and limited to 64 bits.
    public var attributeValue: AttributeValue { .integer(milliseconds) }

    private var milliseconds: Int64 {
        let time = (timeIntervalSince1970 * 1_000).rounded()
        return Int64(exactly: time) ?? (time < 0 ? .min : .max)
    }
}

extension URL: AttributeValueConvertible {
    /// The absolute URL as text.
    public var attributeValue: AttributeValue { .string(absoluteString) }
}

extension UUID: AttributeValueConvertible {
    /// The UUID as text, in upper case.
    public var attributeValue: AttributeValue { .string(uuidString) }
}
