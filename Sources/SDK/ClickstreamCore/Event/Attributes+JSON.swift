extension Attributes {
    /// Parses a JSON object of strings, numbers and booleans, with the same values as ``AttributeValue/init(json:)``.
    ///
    /// Costs a pass over the bytes, and the memory of the names and values. The bytes are not retained.
    /// - Throws: for any other text, such as an object that contains null, an array or an object.
    package init(json bytes: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(bytes, maxDepth: 1, loneSurrogates: .replaced)
        try reader.beginText()
        let attributes = try reader.attributes()
        try reader.endText()
        self = attributes
    }
}

extension JSONReader {
    fileprivate mutating func attributes() throws(JSONError) -> Attributes {
        guard current == UInt8(ascii: "{") else { throw unexpected("an object") }
        var elements: [Attributes.Element] = []
        guard try open(UInt8(ascii: "}"), depth: 1) else { return [:] }
        elements.reserveCapacity(8)
        repeat {
            guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
            let name = try string()
            try colon()
            elements.append(Attributes.Element(name: name, value: try attributeValue()))
        } while try goesOn(until: UInt8(ascii: "}"))
        return Attributes(elements)
    }

    private mutating func attributeValue() throws(JSONError) -> AttributeValue {
        switch current {
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "t"):
            try literal("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .boolean(false)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = position
            if let integer = try scanNumber() { return .integer(integer) }
            position = start
            guard let value = AttributeValue(json: JSONValue(.number(try number()))) else {
                throw unexpected("a number")
            }
            return value
        default:
            throw unexpected("a string, a number or a boolean")
        }
    }
}
