extension JSONReader {
    /// Ranges of a member of an object: from its name to its value, and of the value.
    package struct MemberRange: Sendable, Hashable {
        package var member: Range<Int>
        package var value: Range<Int>
    }

    /// Returns the byte ranges of the members of an object that have a given name, without building values.
    ///
    /// As strict as ``parse(_:maxDepth:loneSurrogates:)-(UnsafeRawBufferPointer,_,_)``. The text must begin with `{`.
    /// - Parameter maxCount: the maximum number of members with the name.
    package static func members(
        named name: String,
        of bytes: UnsafeRawBufferPointer,
        maxDepth: Int = 128,
        maxCount: Int
    ) throws(JSONError) -> [MemberRange] {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: .replaced)
        try reader.beginText()
        guard reader.current == UInt8(ascii: "{") else { throw reader.unexpected("an object") }
        var found: [MemberRange] = []
        if try reader.open(UInt8(ascii: "}"), depth: 1) {
            repeat {
                let start = reader.position
                let isNamed = try reader.skipName(comparingTo: name)
                let value = reader.position
                try reader.skipValue(depth: 1)
                guard isNamed else { continue }
                guard found.count < maxCount else {
                    throw reader.failure(.countExceeded, "more than \(maxCount) members named \(name)", at: start)
                }
                found.append(MemberRange(member: start..<reader.position, value: value..<reader.position))
            } while try reader.goesOn(until: UInt8(ascii: "}"))
        }
        try reader.endText()
        return found
    }

    /// Returns the names and the byte ranges of the values of all members of an object, without building values.
    ///
    /// As strict as ``parse(_:maxDepth:loneSurrogates:)-(UnsafeRawBufferPointer,_,_)``. The text must begin with `{`.
    /// Runs of combining marks in names are cut: see ``JSONText/withoutLongMarks(_:)``.
    /// - Parameter maxCount: the maximum number of members.
    package static func members(
        of bytes: UnsafeRawBufferPointer,
        maxDepth: Int = 128,
        maxCount: Int
    ) throws(JSONError) -> [(name: String, value: Range<Int>)] {
        var reader = JSONReader(bytes, maxDepth: maxDepth, loneSurrogates: .replaced)
        try reader.beginText()
        guard reader.current == UInt8(ascii: "{") else { throw reader.unexpected("an object") }
        var found: [(name: String, value: Range<Int>)] = []
        if try reader.open(UInt8(ascii: "}"), depth: 1) {
            repeat {
                guard found.count < maxCount else {
                    throw reader.failure(.countExceeded, "more than \(maxCount) members", at: reader.position)
                }
                guard reader.current == UInt8(ascii: "\"") else { throw reader.unexpected("a name in quotation marks") }
                let name = JSONText.withoutLongMarks(try reader.string())
                try reader.colon()
                let start = reader.position
                try reader.skipValue(depth: 1)
                found.append((name, start..<reader.position))
            } while try reader.goesOn(until: UInt8(ascii: "}"))
        }
        try reader.endText()
        return found
    }

    /// Consumes a name and the colon. Returns true if it is `name`, compared by its scalars.
    private mutating func skipName(comparingTo name: String) throws(JSONError) -> Bool {
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
        let start = position
        let (content, hasEscapes) = try scanString()
        var isNamed = !hasEscapes && bytes[content].elementsEqual(name.utf8)
        // An escape has at most six times the bytes of what it represents.
        if hasEscapes, content.count <= 6 * name.utf8.count {
            position = start
            isNamed = Characters.areSame(try string(), name)
        }
        try colon()
        return isNamed
    }
}
