/// JSON value with its offset in the source; keeps member order, duplicate names and the original spelling of numbers.
///
/// Equality compares content, not offsets.
package struct JSONValue: Sendable {
    package var kind: Kind
    /// The offset of the value's first byte in the parsed text; 0 for a constructed value.
    package var offset: Int

    /// Type and content of a JSON value.
    package enum Kind: Sendable, Hashable {
        case null
        case boolean(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    package init(_ kind: Kind, offset: Int = 0) {
        self.kind = kind
        self.offset = offset
    }
}

/// Name and value of one object member, in source order.
package struct JSONMember: Sendable {
    package var name: String
    /// The offset of the name's opening quotation mark.
    package var nameOffset: Int
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue, nameOffset: Int = 0) {
        self.name = name
        self.nameOffset = nameOffset
        self.value = value
    }
}

/// Number with its original spelling and its numeric values.
package struct JSONNumber: Sendable, Hashable {
    /// The original spelling, such as `1.50` or `-2e3`.
    package var text: String
    /// The value if it is written without fraction and exponent and fits `Int64`.
    package var integer: Int64?
    /// The nearest double; infinite if the number is out of range.
    package var double: Double

    package init(text: String, integer: Int64?, double: Double) {
        self.text = text
        self.integer = integer
        self.double = double
    }

    package init(integer: Int64) {
        self.init(text: String(integer), integer: integer, double: Double(integer))
    }

    /// Creates a finite number with the shortest spelling that parses back to the same value.
    package init(double: Double) {
        var text: [UInt8] = []
        JSONWriter.append(double, to: &text)
        self.init(text: String(decoding: text, as: UTF8.self), integer: nil, double: double)
    }

    /// The number in the spelling that the SDK writes: `99.9` for `99.90`. The text is `null` if it is not finite.
    package var shortest: JSONNumber { integer.map { JSONNumber(integer: $0) } ?? JSONNumber(double: double) }
}

extension JSONValue: Hashable {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        left.kind == right.kind
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }
}

extension JSONMember: Hashable {
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name == right.name && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}

extension JSONValue {
    /// The value for a name of an object, compared by its scalars; the last one if the name is duplicated. O(n) in the
    /// number of members.
    package subscript(name: String) -> JSONValue? {
        members?.last { Characters.areSame($0.name, name) }?.value
    }

    /// The value that the names of members lead to.
    package subscript(path path: [String]) -> JSONValue? { path.reduce(self) { $0?[$1] } }

    package var string: String? {
        if case .string(let text) = kind { text } else { nil }
    }

    package var number: JSONNumber? {
        if case .number(let number) = kind { number } else { nil }
    }

    /// The number, if it is written as an integer and fits `Int64`; `1.0` is not.
    package var integer: Int64? { number?.integer }

    /// The number as a double, integers included.
    package var double: Double? { number?.double }

    package var boolean: Bool? {
        if case .boolean(let truth) = kind { truth } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let elements) = kind { elements } else { nil }
    }

    package var members: [JSONMember]? {
        if case .object(let members) = kind { members } else { nil }
    }

    package var isNull: Bool { kind == .null }

    /// True for an array or an object.
    package var isNested: Bool {
        switch kind {
        case .array, .object: true
        case .null, .boolean, .number, .string: false
        }
    }

    /// The type as a word with its article, for messages: `a string`, `an object`, `null`.
    package var kindDescription: String {
        switch kind {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Appends the value as compact JSON: members in their order, numbers in their original spelling.
    package func write(into bytes: inout [UInt8]) {
        switch kind {
        case .null:
            JSONWriter.appendNull(to: &bytes)
        case .boolean(let truth):
            JSONWriter.append(truth, to: &bytes)
        case .number(let number):
            bytes.append(contentsOf: number.text.utf8)
        case .string(let text):
            JSONWriter.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONWriter.append(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The compact JSON text.
    package var description: String {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
