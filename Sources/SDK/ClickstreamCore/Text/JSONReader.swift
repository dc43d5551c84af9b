/// Strict JSON parser (RFC 8259) over UTF-8 bytes, which reports the offset of every value and of the first error.
///
/// Any input yields a value or a ``JSONError``: nesting is bounded, numbers beyond the range of a double become
/// infinite and keep their text, duplicate names are kept. Parsing is a single pass over the bytes.
package struct JSONReader {
    /// Treatment of a `\u` escape that is half of a surrogate pair.
    package enum LoneSurrogates: Sendable, Equatable {
        /// It is decoded as U+FFFD.
        case replaced
        /// It is an error.
        case refused
    }

    /// The maximum nesting depth, whatever depth the caller allows; it fits the stack of a small thread.
    package static let deepestNesting = 512

    let bytes: UnsafeRawBufferPointer
    let maxDepth: Int
    let loneSurrogates: LoneSurrogates
    let bounds: Bounds
    var position = 0
    /// The number of values built below the top level.
    var builtCount = 0
    /// The number of members and elements skipped because a bound of the container or of the whole text was reached.
    var omittedCount = 0

    init(
        _ bytes: UnsafeRawBufferPointer,
        maxDepth: Int,
        loneSurrogates: LoneSurrogates,
        bounds: Bounds = .none
    ) {
        self.bytes = bytes
        self.maxDepth = min(maxDepth, JSONReader.deepestNesting)
        self.loneSurrogates = loneSurrogates
        self.bounds = bounds
    }

    /// Limits on the part of a text that is built as values; the rest is validated and skipped.
    ///
    /// A text with two bytes per value takes thirty times its size when it is built in full. With any bounds, runs of
    /// combining marks are also cut: see ``JSONText/withoutLongMarks(_:)``.
    package struct Bounds: Sendable, Hashable {
        /// The maximum depth of an object; deeper ones are built as empty objects. The outermost has depth 1.
        package var objectDepth: Int
        /// The maximum depth of an array; deeper ones are built as empty arrays.
        package var arrayDepth: Int
        /// The maximum number of members or elements of the outermost container.
        package var outermost: Int
        /// The maximum number of members or elements of one of the other containers.
        package var container: Int
        /// The maximum number of values of the whole text, excluding those at the top level.
        package var values: Int

        package static let none = Bounds(objectDepth: .max, arrayDepth: .max, container: .max, values: .max)

        /// - Parameter outermost: `nil` for as many as in the other containers.
        package init(objectDepth: Int, arrayDepth: Int, outermost: Int? = nil, container: Int, values: Int) {
            self.objectDepth = objectDepth
            self.arrayDepth = arrayDepth
            self.outermost = outermost ?? container
            self.container = container
            self.values = values
        }
    }

    /// Parses one complete JSON text.
    package static func parse(
        _ bytes: [UInt8],
        maxDepth: Int = 128,
        loneSurrogates: LoneSurrogates = .replaced
    ) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(buffer), maxDepth: maxDepth, loneSurrogates: loneSurrogates)
        }
    }

    /// Parses one complete JSON text. The bytes are not retained.
    /// - Parameter maxDepth: the maximum nesting of arrays and objects; at most ``deepestNesting``.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer,
        maxDepth: Int = 128,
        loneSurrogates: LoneSurrogates = .replaced
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: loneSurrogates)
        try reader.beginText()
        let value = try reader.value(depth: 0)
        try reader.endText()
        return value
    }

    /// Parses one JSON text and builds only the part within `bounds`. Validation is as strict as without bounds.
    /// - Returns: the value, and the number of members and elements omitted from its containers.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer,
        maxDepth: Int = 128,
        within bounds: Bounds
    ) throws(JSONError) -> (value: JSONValue, omitted: Int) {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: .replaced, bounds: bounds)
        try reader.beginText()
        let value = try reader.value(depth: 0)
        try reader.endText()
        return (value, reader.omittedCount)
    }

    /// Returns the byte range of each element of an array, without building values.
    ///
    /// As strict as ``parse(_:maxDepth:loneSurrogates:)-(UnsafeRawBufferPointer,_,_)``: an array accepted here can be
    /// parsed. Costs about a nanosecond per byte and no allocation besides the result.
    /// - Parameter maxCount: the maximum number of elements.
    package static func elements(
        of bytes: UnsafeRawBufferPointer,
        maxDepth: Int = 128,
        maxCount: Int = .max
    ) throws(JSONError) -> [Range<Int>] {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: .replaced)
        try reader.beginText()
        guard reader.current == UInt8(ascii: "[") else {
            throw reader.failure(.notAnArray, "an array is expected", at: reader.position)
        }
        let ranges = try reader.elementRanges(maxCount: maxCount)
        try reader.endText()
        return ranges
    }

    /// Validates that the bytes are one JSON text, without building values.
    package static func check(_ bytes: UnsafeRawBufferPointer, maxDepth: Int = 128) throws(JSONError) {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: .replaced)
        try reader.beginText()
        try reader.skipValue(depth: 0)
        try reader.endText()
    }
}
