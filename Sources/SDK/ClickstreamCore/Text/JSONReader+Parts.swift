/// Reading of a part of an array of bytes. Ranges are those in the array; offsets of errors begin at the part.
extension JSONReader {
    /// Parses one JSON text.
    package static func parse(_ text: ArraySlice<UInt8>, maxDepth: Int = 128) throws(JSONError) -> JSONValue {
        try text.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(buffer), maxDepth: maxDepth)
        }
    }

    /// Validates that the part is one JSON text, without building values.
    package static func check(_ text: ArraySlice<UInt8>, maxDepth: Int = 128) throws(JSONError) {
        try text.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try check(UnsafeRawBufferPointer(buffer), maxDepth: maxDepth)
        }
    }

    /// Parses one JSON text and builds only the part within `bounds`.
    /// - Returns: the value, and the number of members and elements omitted from its containers.
    package static func parse(
        _ text: ArraySlice<UInt8>,
        maxDepth: Int = 128,
        within bounds: Bounds
    ) throws(JSONError) -> (value: JSONValue, omitted: Int) {
        try text.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(buffer), maxDepth: maxDepth, within: bounds)
        }
    }

    /// Returns the byte range of each element of an array, without building values.
    package static func elements(
        of text: ArraySlice<UInt8>,
        maxDepth: Int = 128,
        maxCount: Int = .max
    ) throws(JSONError) -> [Range<Int>] {
        let ranges = try text.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try elements(of: UnsafeRawBufferPointer(buffer), maxDepth: maxDepth, maxCount: maxCount)
        }
        if text.startIndex == 0 { return ranges }
        return ranges.map { $0.shifted(by: text.startIndex) }
    }

    /// Returns the names and the byte ranges of the values of all members of an object, without building values.
    package static func members(
        of text: ArraySlice<UInt8>,
        maxDepth: Int = 128,
        maxCount: Int
    ) throws(JSONError) -> [(name: String, value: Range<Int>)] {
        let found = try text.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try members(of: UnsafeRawBufferPointer(buffer), maxDepth: maxDepth, maxCount: maxCount)
        }
        if text.startIndex == 0 { return found }
        return found.map { (name: $0.name, value: $0.value.shifted(by: text.startIndex)) }
    }
}

extension Range<Int> {
    /// The range with both bounds increased.
    package func shifted(by offset: Int) -> Range<Int> { lowerBound + offset..<upperBound + offset }
}
