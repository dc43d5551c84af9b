/// Tokens of JSON text in an array, for other modules: ``JSONWriter`` is generic, and specialized in this one only.
extension [UInt8] {
    /// Appends a string in quotation marks.
    package mutating func append(json text: String) {
        JSONWriter.append(text, to: &self)
    }

    package mutating func append(json integer: Int64) {
        JSONWriter.append(integer, to: &self)
    }

    package mutating func append(json number: Double) {
        JSONWriter.append(number, to: &self)
    }

    package mutating func append(json truth: Bool) {
        JSONWriter.append(truth, to: &self)
    }

    /// Appends text that is JSON already.
    package mutating func append(raw text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends an identifier in quotation marks.
    package mutating func append(json id: UniqueID) {
        append(UInt8(ascii: "\""))
        id.withASCII { append(contentsOf: $0) }
        append(UInt8(ascii: "\""))
    }
}

extension [UInt8] {
    /// Appends a string in quotation marks whose content is UTF-8.
    package mutating func append(jsonString content: UnsafeBufferPointer<UInt8>) {
        JSONWriter.append(string: content, to: &self)
    }
}
