/// Names of members that lead to a value in JSON text, which is found without building values.
///
/// A search is one pass over the bytes, without allocation.
package struct MemberPath: Sendable, Hashable {
    /// UTF-8 of the names, the outermost first.
    fileprivate let names: [[UInt8]]

    /// Maximum number of members with the same name; the value of an object with more counts as absent.
    package static let maxDuplicates = 65_536

    package init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
    }

    /// Returns the range of the value in a text without surrounding white space; `nil` if there is none.
    ///
    /// Names are compared by their scalars, after decoding of escapes. Of duplicate names, the last counts.
    /// - Precondition: ``JSONReader/check(_:maxDepth:)`` accepts the text.
    package func value(in text: UnsafeRawBufferPointer) -> Range<Int>? {
        if names.isEmpty { return 0..<text.count }
        guard text.first == UInt8(ascii: "{") else { return nil }
        var search = MemberSearch(text)
        return search.value(at: names[...])
    }
}

/// Elements of a JSON array, found in one pass over well-formed text, without allocation.
///
/// Text that is not well-formed is memory-safe to read, and may have any elements.
package struct JSONElements {
    private var search: MemberSearch

    /// - Parameters:
    ///   - text: the text without white space at its end.
    ///   - start: offset of the array. A text without one there has no elements.
    package init(_ text: UnsafeRawBufferPointer, from start: Int) {
        search = MemberSearch(text)
        search.enterArray(at: start)
    }

    /// Passes the elements before an offset, and the one that begins there.
    /// - Parameter path: names that lead to a value in that element.
    /// - Returns: ranges of the element and of the value, `nil` for none; `nil` if no element begins at the offset. Offsets of later calls
    ///   have to be greater.
    package mutating func element(
        at offset: Int,
        _ path: MemberPath?
    ) -> (range: Range<Int>, value: Range<Int>?)? {
        while let start = search.nextElement(), start <= offset {
            let value = search.passElement(start == offset ? path?.names[...] : nil)
            if start == offset { return (start..<search.position, value) }
        }
        return nil
    }
}

/// Position of a search in well-formed JSON text.
private struct MemberSearch {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Passes the bracket of an array, or all of another text.
    mutating func enterArray(at start: Int) {
        position = start < bytes.count && bytes[start] == UInt8(ascii: "[") ? start + 1 : bytes.count
    }

    /// Passes the comma before the next element of an array. Returns the position of the element; `nil` at the end of the array.
    mutating func nextElement() -> Int? {
        if token() == UInt8(ascii: ",") { position += 1 }
        guard let byte = token(), byte != UInt8(ascii: "]") else { return nil }
        return position
    }

    /// Passes the element at the position. Returns the value to which names lead in it.
    mutating func passElement(_ names: ArraySlice<[UInt8]>?) -> Range<Int>? {
        let start = position
        if let names, !names.isEmpty, bytes[start] == UInt8(ascii: "{") { return value(at: names) }
        passValue()
        return names?.isEmpty == true ? start..<position : nil
    }

    /// Searches the object that begins at the position, and passes it. Recursive to the depth of the path or of the text.
    mutating func value(at names: ArraySlice<[UInt8]>) -> Range<Int>? {
        guard let name = names.first else { return nil }
        let inner = names.dropFirst()
        var found: Range<Int>?
        var count = 0
        position += 1
        while let next = token(), next != UInt8(ascii: "}") {
            if next == UInt8(ascii: ",") {
                position += 1
                continue
            }
            let isNamed = passName(comparingTo: name)
            let start = position
            if isNamed {
                count += 1
                found = nil
            }
            if isNamed, !inner.isEmpty, start < bytes.count, bytes[start] == UInt8(ascii: "{") {
                found = value(at: inner)
            } else {
                passValue()
                if isNamed, inner.isEmpty { found = start..<position }
            }
        }
        position = min(position + 1, bytes.count)
        return count > MemberPath.maxDuplicates ? nil : found
    }

    /// The next byte other than white space; `nil` at the end.
    @inline(__always)
    private mutating func token() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > 0x20 { return byte }
            position &+= 1
        }
        return nil
    }

    /// Passes a name and the colon with the white space around it. Returns true if it is `name`.
    @inline(__always)
    private mutating func passName(comparingTo name: [UInt8]) -> Bool {
        let start = position + 1
        let hasEscapes = passString()
        let content = start..<max(start, position - 1)
        if token() == UInt8(ascii: ":") { position += 1 }
        _ = token()
        if hasEscapes { return isEscaped(content, equalTo: name) }
        guard content.count == name.count else { return false }
        return name.withUnsafeBytes { name in
            for index in name.indices where bytes[content.lowerBound &+ index] != name[index] { return false }
            return true
        }
    }

    private func isEscaped(_ content: Range<Int>, equalTo name: [UInt8]) -> Bool {
        // An escape has at most six times the bytes of what it represents.
        guard content.upperBound < bytes.count, content.count <= 6 * name.count else { return false }
        // The escapes of text that is not well-formed cannot be decoded.
        let string = UnsafeRawBufferPointer(rebasing: bytes[content.lowerBound - 1...content.upperBound])
        guard (try? JSONReader.check(string)) != nil else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: content.count) { decoded in
            let count = JSONReader.unescape(UnsafeRawBufferPointer(rebasing: bytes[content]), into: decoded)
            return decoded[..<count].elementsEqual(name)
        }
    }

    /// Passes the string that begins at the position. Returns true if it contains escapes.
    @inline(__always)
    private mutating func passString() -> Bool {
        var hasEscapes = false
        position &+= 1
        while true {
            position &+= JSONText.prefixWithoutMarks(of: bytes, from: position)
            guard position < bytes.count else {
                position = bytes.count
                return hasEscapes
            }
            if bytes[position] == UInt8(ascii: "\"") {
                position &+= 1
                return hasEscapes
            }
            hasEscapes = true
            position &+= 2
        }
    }

    /// Passes a value of any type, at least one byte.
    private mutating func passValue() {
        guard position < bytes.count else { return }
        switch bytes[position] {
        case UInt8(ascii: "\""): _ = passString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): passContainer()
        default:
            position &+= 1
            while position < bytes.count, !Self.endsScalar(bytes[position]) { position &+= 1 }
        }
    }

    /// True for a byte after a number or a literal.
    @inline(__always)
    private static func endsScalar(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte | 0x20 == UInt8(ascii: "}")
    }

    /// Passes an array or an object by counting brackets outside of strings.
    private mutating func passContainer() {
        var depth = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                _ = passString()
                continue
            }
            position &+= 1
            // Brackets and braces differ in one bit.
            if byte | 0x20 == UInt8(ascii: "{") {
                depth &+= 1
            } else if byte | 0x20 == UInt8(ascii: "}") {
                depth &-= 1
                if depth == 0 { return }
            }
        }
    }
}
