/// Tokens of JSON text, for other modules: ``JSONWriter`` is generic, and specialized in this one only.
extension MemorySink {
    /// Appends a string in quotation marks: at most six bytes for each of the text.
    package mutating func append(json text: String) {
        JSONWriter.append(text, to: &self)
    }

    /// Appends a number: at most 20 bytes.
    package mutating func append(json integer: Int64) {
        JSONWriter.append(integer, to: &self)
    }
}
