/// Position in the text: white space, separators, literals, errors.
extension JSONReader {
    /// The next byte, or 0 at the end; 0 is not valid anywhere in JSON.
    var current: UInt8 {
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

    mutating func beginText() throws(JSONError) {
        skipSpace()
        guard position < bytes.count else { throw failure(.empty, "there is no value", at: position) }
    }

    mutating func endText() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw unexpected("the end of the text") }
    }

    /// Enters an array or object. Returns true if it has elements; otherwise its end has been consumed.
    mutating func open(_ end: UInt8, depth: Int) throws(JSONError) -> Bool {
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
    mutating func goesOn(until end: UInt8) throws(JSONError) -> Bool {
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

    mutating func colon() throws(JSONError) {
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw unexpected("':'") }
        position += 1
        skipSpace()
    }

    mutating func literal(_ word: StaticString) throws(JSONError) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard current == word.utf8Start[index] else {
                if position >= bytes.count { throw unexpected("\(word)") }
                throw failure(.syntax, "unexpected '\(excerpt(from: start))'", at: start)
            }
            position += 1
        }
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

    func unexpected(_ expected: String) -> JSONError {
        guard position < bytes.count else {
            return failure(.endOfText, "the text ends where \(expected) is expected", at: position)
        }
        return failure(.syntax, "expected \(expected), found \(JSONText.name(of: bytes[position]))", at: position)
    }

    func failure(_ kind: JSONError.Kind, _ reason: String, at offset: Int) -> JSONError {
        JSONError(kind, offset: offset, reason: reason)
    }
}
