import ClickstreamCore

/// JSON object in a line: the names of its members, and the ranges of their values. Builds no values.
struct LineObject: Sendable {
    /// Maximum number of members.
    private static let maxMembers = 65_536

    let line: [UInt8]
    let range: Range<Int>
    private let members: [(name: String, value: Range<Int>)]

    /// - Parameters:
    ///   - range: the range of the object in the line, which begins with `{`.
    ///   - maxDepth: the maximum nesting of the object.
    init(_ line: [UInt8], _ range: Range<Int>, maxDepth: Int) throws(ImportError) {
        self.line = line
        self.range = range
        do throws(JSONError) {
            members = try line.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                try JSONReader.members(
                    of: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[range])),
                    maxDepth: maxDepth,
                    maxCount: Self.maxMembers
                )
            }
        } catch {
            throw ImportError(error, at: range.lowerBound)
        }
    }

    /// Range of the last value with a name.
    subscript(name: String) -> Range<Int>? {
        guard let value = members.last(where: { $0.name == name })?.value else { return nil }
        return range.lowerBound + value.lowerBound..<range.lowerBound + value.upperBound
    }

    /// True if the object has a member with a name.
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// First byte of a value; `nil` without one.
    func first(of name: String) -> UInt8? { self[name].map { line[$0.lowerBound] } }

    /// True if a value is a string.
    func isText(_ name: String) -> Bool { first(of: name) == UInt8(ascii: "\"") }

    /// A string; `nil` for other values.
    func text(_ name: String) -> String? { isText(name) ? value(name)?.string : nil }

    /// An integer; `nil` for other values.
    func integer(_ name: String) -> Int64? { value(name)?.integer }

    func isTrue(_ name: String) -> Bool { value(name)?.boolean == true }

    /// The value of a small member.
    private func value(_ name: String) -> JSONValue? {
        guard let range = self[name], line[range.lowerBound] != UInt8(ascii: "{"),
            line[range.lowerBound] != UInt8(ascii: "[")
        else { return nil }
        // Cannot fail, as the range was found by a JSON parser.
        return line.withUnsafeBytes { try? JSONReader.parse(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}
