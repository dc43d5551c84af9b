/// Value of one attribute: one of the data types of the manual's table.
///
/// Literals convert implicitly: `let price: AttributeValue = 12.5`. Variables convert through
/// ``AttributeValueConvertible``.
public enum AttributeValue: Sendable, Hashable {
    /// Text; at most 1 024 characters in an event, 256 in a user attribute or an item.
    case string(String)
    /// An integer (the manual's `Int` and `Int64`).
    case integer(Int64)
    /// A binary floating-point number. The rules reject not-a-number and the infinities with an error code.
    case double(Double)
    /// `true` or `false`.
    case boolean(Bool)
    /// An exact decimal number.
    case decimal(DecimalNumber)
}

extension AttributeValue {
    /// Compares texts by their scalars: "\u{E9}" does not equal "e\u{301}", as on the wire.
    public static func == (one: AttributeValue, other: AttributeValue) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)): Characters.areSame(one, other)
        case (.integer(let one), .integer(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.boolean(let one), .boolean(let other)): one == other
        case (.decimal(let one), .decimal(let other)): one == other
        case (.string, _), (.integer, _), (.double, _), (.boolean, _), (.decimal, _): false
        }
    }
}

/// Decimal number with its exact text.
public struct DecimalNumber: Sendable, Hashable {
    /// Kind of value; the rules reject all but ``number``.
    package enum Kind: Sendable, Hashable {
        case number
        case notANumber
        /// The placeholder of a list or a dictionary: see ``AttributeValue/nested``.
        case nested
    }

    /// A JSON number such as `12.50`; undefined if the number is not finite.
    public let text: String
    package let kind: Kind

    /// False for `Decimal.nan`.
    public var isFinite: Bool { kind == .number }

    package init(text: String, isFinite: Bool) {
        self.init(text: text, isFinite ? .number : .notANumber)
    }

    fileprivate init(text: String, _ kind: Kind) {
        self.text = text
        self.kind = kind
    }
}

/// Type whose values convert to attribute values.
///
/// Conforming types: `String`, `Substring`, `Character`, `Bool`, every integer and floating-point type of the standard
/// library, `Decimal`, `Date` as milliseconds since 1970, `URL` and `UUID` as text. An enum with such a raw value conforms
/// by declaration: `enum Plan: String, AttributeValueConvertible`. An optional is accepted in a literal, and `nil` leaves
/// the attribute out. Arrays, sets and dictionaries convert to a value that the rules reject with code 2006, 3006 or
/// 4008.
public protocol AttributeValueConvertible: Sendable {
    /// This value as an attribute value.
    var attributeValue: AttributeValue { get }
}

extension AttributeValue: AttributeValueConvertible {
    public var attributeValue: AttributeValue { self }
}

extension String: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .string(self) }
}

extension Int: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Int64: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .integer(self) }
}

extension Double: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .double(self) }
}

extension Bool: AttributeValueConvertible {
    public var attributeValue: AttributeValue { .boolean(self) }
}

extension AttributeValue: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension AttributeValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension AttributeValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension AttributeValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }
}

extension AttributeValue {
    /// Placeholder of a list or a dictionary, which the rules reject and report.
    package static let nested = AttributeValue.decimal(DecimalNumber(text: "", .nested))

    /// True if the value replaces a list or a dictionary.
    package var isNested: Bool {
        if case .decimal(let number) = self { number.kind == .nested } else { false }
    }

    /// False for a floating-point or decimal number that is not finite and cannot be written as JSON.
    package var isFinite: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .decimal(let number): number.isFinite
        case .string, .integer, .boolean: true
        }
    }
}
