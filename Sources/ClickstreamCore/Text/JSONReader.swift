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

    private let bytes: UnsafeRawBufferPointer
    private let maxDepth: Int
    private let loneSurrogates: LoneSurrogates
    private let bounds: Bounds
    private var position = 0
    /// The number of values built below the top level.
    private var builtCount = 0
    /// The number of members and elements skipped because a bound of the container or of the whole text was reached.
    private var omittedCount = 0

    private init(
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
        /// The maximum number of members or elements of one container.
        package var container: Int
        /// The maximum number of values of the whole text, excluding those at the top level.
        package var values: Int

        package static let none = Bounds(objectDepth: .max, arrayDepth: .max, container: .max, values: .max)

        package init(objectDepth: Int, arrayDepth: Int, container: Int, values: Int) {
            self.objectDepth = objectDepth
            self.arrayDepth = arrayDepth
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

    /// Equivalent of ``elements(of:maxDepth:)-(UnsafeRawBufferPointer,_)`` for an array of bytes.
    package static func elements(of bytes: [UInt8], maxDepth: Int = 128) throws(JSONError) -> [Range<Int>] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try elements(of: UnsafeRawBufferPointer(buffer), maxDepth: maxDepth)
        }
    }

    /// Validates that the bytes are one JSON text, without building values.
    package static func check(_ bytes: UnsafeRawBufferPointer, maxDepth: Int = 128) throws(JSONError) {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: .replaced)
        try reader.beginText()
        try reader.skipValue(depth: 0)
        try reader.endText()
    }
}

/// The reason why bytes are not a JSON text, and the offset of the error.
package struct JSONError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The text is empty or only white space.
        case empty
        /// The text ends in the middle of a value.
        case endOfText
        /// A byte that is not allowed at its position.
        case syntax
        /// A string that is not well-formed UTF-8.
        case invalidUTF8
        /// Half of a surrogate pair, where ``JSONReader/LoneSurrogates/refused`` applies.
        case loneSurrogate
        /// Arrays and objects are nested more deeply than allowed.
        case depthExceeded
        /// A value other than the required array.
        case notAnArray
        /// More elements than allowed.
        case countExceeded
    }

    package var kind: Kind
    /// The byte offset at which parsing stopped.
    package var offset: Int
    /// The description of the error, without its position.
    package var reason: String

    package init(_ kind: Kind, offset: Int, reason: String) {
        self.kind = kind
        self.offset = offset
        self.reason = reason
    }
}

extension JSONError: CustomStringConvertible {
    package var description: String { "byte \(offset): \(reason)" }
}

/// Line and column in a text, both from 1; columns count Unicode scalars.
package struct SourcePosition: Sendable, Hashable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Converts a byte offset. LF, CR LF and a lone CR end a line; an offset past the end is the end.
    package init(of offset: Int, in bytes: some Collection<UInt8>) {
        line = 1
        column = 1
        var previous: UInt8 = 0
        for byte in bytes.prefix(max(0, offset)) {
            switch byte {
            case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"):
                break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                line += 1
                column = 1
            case 0x80..<0xC0:
                break
            default:
                column += 1
            }
            previous = byte
        }
    }
}

extension SourcePosition: CustomStringConvertible {
    package var description: String { "\(line):\(column)" }
}

// MARK: - Values

extension JSONReader {
    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        let start = position
        switch current {
        case UInt8(ascii: "{"):
            if depth >= bounds.objectDepth {
                try skipValue(depth: depth)
                return JSONValue(.object([]), offset: start)
            }
            return JSONValue(.object(try members(depth: depth + 1)), offset: start)
        case UInt8(ascii: "["):
            if depth >= bounds.arrayDepth {
                try skipValue(depth: depth)
                return JSONValue(.array([]), offset: start)
            }
            return JSONValue(.array(try elements(depth: depth + 1)), offset: start)
        case UInt8(ascii: "\""):
            return JSONValue(.string(try string()), offset: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONValue(.number(try number()), offset: start)
        case UInt8(ascii: "t"):
            try literal("true")
            return JSONValue(.boolean(true), offset: start)
        case UInt8(ascii: "f"):
            try literal("false")
            return JSONValue(.boolean(false), offset: start)
        case UInt8(ascii: "n"):
            try literal("null")
            return JSONValue(.null, offset: start)
        default:
            throw unexpected("a value")
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        guard try open(UInt8(ascii: "}"), depth: depth) else { return members }
        repeat {
            guard isRoom(after: members.count, depth: depth) else {
                try skipMember(depth: depth)
                continue
            }
            let start = position
            let name = try memberName()
            members.append(JSONMember(name, try value(depth: depth), nameOffset: start))
        } while try goesOn(until: UInt8(ascii: "}"))
        return members
    }

    private mutating func memberName() throws(JSONError) -> String {
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
        let name = try string()
        try colon()
        return name
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        guard try open(UInt8(ascii: "]"), depth: depth) else { return elements }
        repeat {
            guard isRoom(after: elements.count, depth: depth) else {
                try skipValue(depth: depth)
                continue
            }
            elements.append(try value(depth: depth))
        } while try goesOn(until: UInt8(ascii: "]"))
        return elements
    }

    /// Reserves space for one more value in a container of `count`; if there is none, counts the value as omitted and
    /// returns false.
    private mutating func isRoom(after count: Int, depth: Int) -> Bool {
        guard count < bounds.container, depth == 1 || builtCount < bounds.values else {
            omittedCount += 1
            return false
        }
        if depth > 1 { builtCount += 1 }
        return true
    }

    private mutating func string() throws(JSONError) -> String {
        let (content, hasEscapes) = try scanString()
        let text = UnsafeRawBufferPointer(rebasing: bytes[content])
        let string =
            hasEscapes
            ? String(unsafeUninitializedCapacity: text.count) { JSONReader.unescape(text, into: $0) }
            : String(decoding: text, as: UTF8.self)
        return bounds == .none ? string : JSONText.withoutLongMarks(string)
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        let integer = try scanNumber()
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        if let integer, integer != 0, integer.magnitude <= 1 << 53 {
            return JSONNumber(text: text, integer: integer, double: Double(integer))
        }
        // The JSON grammar is a subset of what `Double` parses; beyond its range it returns an infinity.
        return JSONNumber(text: text, integer: integer, double: Double(text) ?? .infinity)
    }
}

// MARK: - Validation without values

extension JSONReader {
    private mutating func skipValue(depth: Int) throws(JSONError) {
        switch current {
        case UInt8(ascii: "{"):
            guard try open(UInt8(ascii: "}"), depth: depth + 1) else { return }
            repeat {
                try skipMember(depth: depth + 1)
            } while try goesOn(until: UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            guard try open(UInt8(ascii: "]"), depth: depth + 1) else { return }
            repeat {
                try skipValue(depth: depth + 1)
            } while try goesOn(until: UInt8(ascii: "]"))
        case UInt8(ascii: "\""):
            _ = try scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            _ = try scanNumber()
        case UInt8(ascii: "t"):
            try literal("true")
        case UInt8(ascii: "f"):
            try literal("false")
        case UInt8(ascii: "n"):
            try literal("null")
        default:
            throw unexpected("a value")
        }
    }

    private mutating func skipMember(depth: Int) throws(JSONError) {
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
        _ = try scanString()
        try colon()
        try skipValue(depth: depth)
    }

    private mutating func elementRanges(maxCount: Int) throws(JSONError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        guard try open(UInt8(ascii: "]"), depth: 1) else { return ranges }
        repeat {
            guard ranges.count < maxCount else {
                throw failure(.countExceeded, "more than \(maxCount) elements", at: position)
            }
            let start = position
            try skipValue(depth: 1)
            ranges.append(start..<position)
        } while try goesOn(until: UInt8(ascii: "]"))
        return ranges
    }
}

// MARK: - Tokens

extension JSONReader {
    /// The next byte, or 0 at the end; 0 is not valid anywhere in JSON.
    private var current: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private mutating func beginText() throws(JSONError) {
        skipSpace()
        guard position < bytes.count else { throw failure(.empty, "there is no value", at: position) }
    }

    private mutating func endText() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw unexpected("the end of the text") }
    }

    /// Enters an array or object. Returns true if it has elements; otherwise its end has been consumed.
    private mutating func open(_ end: UInt8, depth: Int) throws(JSONError) -> Bool {
        guard depth <= maxDepth else {
            throw failure(.depthExceeded, "more than \(maxDepth) nested arrays and objects", at: position)
        }
        position += 1
        skipSpace()
        guard current == end else { return true }
        position += 1
        return false
    }

    /// Consumes the separator after an element. Returns true if another element follows, false if the end was consumed.
    private mutating func goesOn(until end: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        switch current {
        case UInt8(ascii: ","):
            position += 1
            skipSpace()
            return true
        case end:
            position += 1
            return false
        default:
            throw unexpected(end == UInt8(ascii: "]") ? "',' or ']'" : "',' or '}'")
        }
    }

    private mutating func colon() throws(JSONError) {
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw unexpected("':'") }
        position += 1
        skipSpace()
    }

    private mutating func literal(_ word: StaticString) throws(JSONError) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else {
                if position >= bytes.count { throw unexpected("\(word)") }
                throw failure(.syntax, "unexpected '\(excerpt(from: start))'", at: start)
            }
            position += 1
        }
    }

    /// Scans a number. Returns its value if it is integral and fits `Int64`.
    private mutating func scanNumber() throws(JSONError) -> Int64? {
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var integer: Int64? = 0
        if current == UInt8(ascii: "0") {
            position += 1
            if current.isDigit { throw failure(.syntax, "a number begins with 0", at: position - 1) }
        } else {
            guard current.isDigit else { throw unexpected("a digit") }
            while current.isDigit {
                if let soFar = integer {
                    let digit = Int64(current &- UInt8(ascii: "0"))
                    let (tenfold, isPast) = soFar.multipliedReportingOverflow(by: 10)
                    let (sum, isPastNow) =
                        isNegative
                        ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
                    integer = isPast || isPastNow ? nil : sum
                }
                position += 1
            }
        }
        if current == UInt8(ascii: ".") {
            integer = nil
            position += 1
            try scanDigits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            integer = nil
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try scanDigits()
        }
        return integer
    }

    private mutating func scanDigits() throws(JSONError) {
        guard current.isDigit else { throw unexpected("a digit") }
        while current.isDigit { position += 1 }
    }

    /// Scans a string, validating escapes and UTF-8. Returns the range between its quotation marks.
    private mutating func scanString() throws(JSONError) -> (content: Range<Int>, hasEscapes: Bool) {
        let quotationMark = position
        var hasEscapes = false
        position += 1
        while true {
            position += JSONText.plainPrefix(of: bytes, from: position)
            guard position < bytes.count else {
                throw failure(.endOfText, "the string that begins at byte \(quotationMark) does not end", at: position)
            }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return (quotationMark + 1..<position - 1, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape()
            case 0x80...:
                guard let length = JSONText.scalarLength(in: bytes, at: position) else {
                    throw failure(.invalidUTF8, "the string is not well-formed UTF-8", at: position)
                }
                position += length
            default:
                throw failure(
                    .syntax,
                    "\(JSONText.name(of: bytes[position])) must be escaped in a string",
                    at: position
                )
            }
        }
    }

    private mutating func scanEscape() throws(JSONError) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try scanHexadecimal()
            guard loneSurrogates == .refused, unit & 0xF800 == 0xD800 else { return }
            guard unit & 0xFC00 == 0xD800, position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
                bytes[position + 1] == UInt8(ascii: "u")
            else { throw failure(.loneSurrogate, "an escape is half of a surrogate pair", at: start) }
            position += 2
            guard try scanHexadecimal() & 0xFC00 == 0xDC00 else {
                throw failure(.loneSurrogate, "an escape is half of a surrogate pair", at: start)
            }
        default:
            throw unexpected("an escape: one of \"\\/bfnrtu")
        }
    }

    private mutating func scanHexadecimal() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.hexadecimalValue else { throw unexpected("a hexadecimal digit") }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// Returns the text from an offset to the next delimiter or the end of the line, at most 20 bytes.
    private func excerpt(from start: Int) -> String {
        let rest = bytes[start...].prefix(20).prefix { byte in
            byte >= 0x20 && byte < 0x7F && !",:]}\"".utf8.contains(byte)
        }
        var words = rest[...]
        while words.last == UInt8(ascii: " ") { words.removeLast() }
        return String(decoding: words, as: UTF8.self)
    }

    private func unexpected(_ expected: String) -> JSONError {
        guard position < bytes.count else {
            return failure(.endOfText, "the text ends where \(expected) is expected", at: position)
        }
        return failure(.syntax, "expected \(expected), found \(JSONText.name(of: bytes[position]))", at: position)
    }

    private func failure(_ kind: JSONError.Kind, _ reason: String, at offset: Int) -> JSONError {
        JSONError(kind, offset: offset, reason: reason)
    }

    /// Writes the content of a string with its escapes decoded, which never makes it longer. The escapes have been
    /// validated.
    private static func unescape(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>) -> Int
    {
        var read = 0
        var written = 0
        func unit(at index: Int) -> UInt32 {
            text[index..<index + 4].reduce(0) { $0 << 4 | UInt32($1.hexadecimalValue ?? 0) }
        }
        while read < text.count {
            guard text[read] == UInt8(ascii: "\\") else {
                target[written] = text[read]
                read += 1
                written += 1
                continue
            }
            guard text[read + 1] == UInt8(ascii: "u") else {
                target[written] = JSONText.unescaped(text[read + 1])
                read += 2
                written += 1
                continue
            }
            var scalar = unit(at: read + 2)
            read += 6
            if scalar & 0xFC00 == 0xD800, read + 6 <= text.count, text[read] == UInt8(ascii: "\\"),
                text[read + 1] == UInt8(ascii: "u"), unit(at: read + 2) & 0xFC00 == 0xDC00
            {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(at: read + 2) & 0x3FF
                read += 6
            }
            for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                target[written] = byte
                written += 1
            }
        }
        return written
    }
}

// MARK: - Bytes

/// Properties of bytes in JSON strings, shared by reader and writer.
enum JSONText {
    /// Returns the number of bytes from `start` that are ASCII and need no escape: no quotation mark, backslash or
    /// control.
    ///
    /// Processes eight bytes at a time: each mask has the high bit of a byte set where that byte is special. The lowest
    /// set bit is exact; a borrow may set others above it, which does not matter.
    @inline(__always)
    static func plainPrefix(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position &+ 8 <= bytes.count {
            let special = specials(in: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if special != 0 { return position &- start &+ special.trailingZeroBitCount >> 3 }
            position &+= 8
        }
        // The remaining bytes, usually all plain, in one step: overlapping the previous word, or with some bytes
        // repeated.
        let rest = bytes.count &- position
        if rest > 0, position > start {
            let special = specials(in: bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self))
            return special == 0
                ? bytes.count &- start : bytes.count &- 8 &- start &+ special.trailingZeroBitCount >> 3
        }
        if rest >= 4 {
            let first = UInt64(bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            let last = UInt64(bytes.loadUnaligned(fromByteOffset: bytes.count &- 4, as: UInt32.self))
            if specials(in: first | last &<< 32) == 0 { return rest }
        }
        while position < bytes.count, isPlain(bytes[position]) { position &+= 1 }
        return position &- start
    }

    /// Returns a mask with the top bit of each special byte set; bits above the first special byte may be set in error.
    @inline(__always)
    private static func specials(in bytes: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UInt64(littleEndian: bytes)
        let quotationMark = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let special =
            ((quotationMark &- ones) & ~quotationMark) | ((backslash &- ones) & ~backslash)
            | ((word &- ones &* 0x20) & ~word) | word
        return special & (ones &* 0x80)
    }

    /// Returns true if any of eight bytes must be escaped in a string: a quotation mark, a backslash or a control.
    @inline(__always)
    static func needsEscape(in word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotationMark = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let escaped =
            ((quotationMark &- ones) & ~quotationMark) | ((backslash &- ones) & ~backslash)
            | ((word &- ones &* 0x20) & ~word)
        return escaped & (ones &* 0x80) != 0
    }

    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Returns the length of the well-formed scalar at `index` (table 3-7 of the Unicode standard), or `nil`.
    static func scalarLength(in bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[index] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Returns the text with the combining marks past thirty in a row replaced by as many question marks as they have
    /// bytes.
    ///
    /// Comparing and hashing strings sorts each such run, in time quadratic in its length. Thirty is the longest run of
    /// Unicode's stream-safe text format.
    static func withoutLongMarks(_ text: String) -> String {
        guard text.utf8.count > 60, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var row = 0
        var isLong = false
        for scalar in text.unicodeScalars {
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            if row > 30 {
                isLong = true
                break
            }
        }
        if !isLong { return text }
        row = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            if row > 30 {
                for _ in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { bytes.append(UInt8(ascii: "?")) }
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the byte that a one-letter escape represents.
    static func unescaped(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Returns a byte as shown in a message.
    static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x21..<0x7F: "'\(Unicode.Scalar(byte))'"
        case 0x20: "a space"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        case 0x09: "a tab"
        default: "the byte 0x\(String(zeroPadded: byte, width: 2, radix: 16, uppercase: true))"
        }
    }
}

extension UInt8 {
    /// True if this is an ASCII digit.
    @inline(__always)
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The value of an ASCII hexadecimal digit, either case.
    package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}
