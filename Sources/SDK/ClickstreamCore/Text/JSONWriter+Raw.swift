extension JSONWriter {
    /// Appends text that is already JSON, such as `,"name":`.
    package static func append(raw text: StaticString, to bytes: inout some ByteSink & ~Copyable) {
        bytes.append(contentsOf: text.rawBytes)
    }

    /// Appends an object member up to its colon: `,"name":`, or `"name":` for the first.
    package static func append(name: String, isFirst: Bool = false, to bytes: inout some ByteSink & ~Copyable) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
