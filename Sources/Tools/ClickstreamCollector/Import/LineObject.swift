import ClickstreamCore

/// JSON object in a line: the names of its members, and the ranges of their values. Builds no values.
struct LineObject: Sendable {
    /// Maximum nesting of an event: one level of a request's body is its array of events.
    static let maxDepth = 127
    /// Maximum nesting of a page of a list, whose events are three levels below it.
    static let maxPageDepth = maxDepth + 3
    /// Maximum number of members.
    private static let maxMembers = 65_536

    let line: [UInt8]
    let range: Range<Int>
    /// True if the nesting exceeds ``maxDepth``.
    let isDeep: Bool
    private let members: [(name: String, value: Range<Int>)]

    /// - Parameter range: the range of the object in the line, which begins with `{`.
    init(_ line: [UInt8], _ range: Range<Int>) throws(ImportError) {
        self.line = line
        self.range = range
        do throws(JSONError) {
            (members, isDeep) = try Self.members(of: line[range])
        } catch {
            throw ImportError(error, at: range.lowerBound)
        }
    }

    /// The members, and true if they were read at the second attempt, which only a deep object needs.
    private static func members(
        of text: ArraySlice<UInt8>
    ) throws(JSONError) -> (members: [(name: String, value: Range<Int>)], isDeep: Bool) {
        do throws(JSONError) {
            return (try JSONReader.members(of: text, maxDepth: maxDepth, maxCount: maxMembers), false)
        } catch {
            guard error.kind == .depthExceeded else { throw error }
            return (try JSONReader.members(of: text, maxDepth: maxPageDepth, maxCount: maxMembers), true)
        }
    }

    /// Checks the nesting of a part of the object that becomes an event, which a body with other events must not exceed.
    func checkDepth(of part: Range<Int>) throws(ImportError) {
        guard isDeep else { return }
        do throws(JSONError) {
            try JSONReader.check(line[part], maxDepth: Self.maxDepth)
        } catch {
            throw ImportError(error, at: part.lowerBound)
        }
    }

    /// Range of the last value with a name.
    subscript(name: String) -> Range<Int>? { members.last { $0.name == name }?.value }

    /// True if the object has a member with a name.
    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// First byte of a value; `nil` without one.
    func first(of name: String) -> UInt8? { self[name].map { line[$0.lowerBound] } }

    /// True if a value is a string.
    func isText(_ name: String) -> Bool { first(of: name) == UInt8(ascii: "\"") }

    /// A string; `nil` for other values.
    func text(_ name: String) -> String? { isText(name) ? value(name)?.string : nil }

    /// A string for a column of the store; `nil` for other values, and for one longer than ``ImportedLine/longestText``.
    func columnText(_ name: String) -> String? {
        // A text is never longer than its JSON.
        guard let value = self[name], value.count <= ImportedLine.longestText else { return nil }
        return text(name)?.withoutNUL
    }

    /// An integer; `nil` for other values.
    func integer(_ name: String) -> Int64? { value(name)?.integer }

    func isTrue(_ name: String) -> Bool { value(name)?.boolean == true }

    /// The value of a small member.
    private func value(_ name: String) -> JSONValue? {
        guard let range = self[name], line[range.lowerBound] != UInt8(ascii: "{"),
            line[range.lowerBound] != UInt8(ascii: "[")
        else { return nil }
        // Cannot fail, as the range was found by a JSON parser.
        return try? JSONReader.parse(line[range])
    }
}
