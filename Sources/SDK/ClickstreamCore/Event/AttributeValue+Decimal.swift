public import FoundationEssentials

extension Decimal: AttributeValueConvertible {
    /// The exact decimal digits. Costs one allocation and about half a microsecond.
    public var attributeValue: AttributeValue {
        .decimal(DecimalNumber(text: isFinite ? description : "", isFinite: isFinite))
    }
}
