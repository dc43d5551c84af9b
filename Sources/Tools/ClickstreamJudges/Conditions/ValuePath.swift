package import ClickstreamCore

/// A place in an event, such as `attributes.value`, `$.items[0].id` or `items[*]["a.b"]`.
package struct ValuePath: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case name(String)
        /// From 0.
        case element(Int)
        /// Every element of an array, every value of an object.
        case all
    }

    package let parts: [Part]
    /// The path as written.
    package let text: String

    /// Mistake in a path.
    package struct ParseError: Error, Sendable, Hashable {
        package var reason: String
    }

    /// Parses the longest path at the beginning of a text.
    /// - Parameter rest: the text; the part after the path remains.
    package init(_ rest: inout Substring) throws(ParseError) {
        let start = rest
        var parts: [Part] = []
        var mayBeName = true
        if rest.first == "$" {
            rest.removeFirst()
            mayBeName = false
        }
        while let next = rest.first {
            if next == "." {
                rest.removeFirst()
                parts.append(try Self.name(&rest))
            } else if next == "[" {
                rest.removeFirst()
                parts.append(try Self.bracket(&rest))
            } else if mayBeName {
                parts.append(try Self.name(&rest))
            } else {
                break
            }
            mayBeName = false
        }
        guard !parts.isEmpty else { throw ParseError(reason: "missing path in the event, such as attributes.value") }
        self.parts = parts
        text = String(start[..<rest.startIndex])
    }

    private static func name(_ rest: inout Substring) throws(ParseError) -> Part {
        let name = rest.prefix { !$0.isWhitespace && !".[]=!<>\"'".contains($0) }
        guard !name.isEmpty else {
            throw ParseError(reason: "missing name in the path, as in attributes.value")
        }
        rest.removeFirst(name.count)
        return name == "*" ? .all : .name(String(name))
    }

    private static func bracket(_ rest: inout Substring) throws(ParseError) -> Part {
        let parseError = ParseError(reason: "brackets take an index, * or a quoted name, as in items[0].id")
        if let quote = rest.first, quote == "\"" || quote == "'" {
            let name = rest.dropFirst().prefix { $0 != quote }
            rest = rest.dropFirst(name.count + 1)
            guard rest.hasPrefix("\(quote)]") else { throw parseError }
            rest = rest.dropFirst(2)
            return .name(String(name))
        }
        let inside = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(inside.count)
        guard rest.first == "]" else { throw parseError }
        rest.removeFirst()
        if inside == "*" { return .all }
        guard let number = Int(inside), number >= 0 else { throw parseError }
        return .element(number)
    }

    /// The values at this path: one at most, unless the path contains `*`.
    ///
    /// Takes time linear in the event, whatever the length of the path.
    package func values(in event: JSONValue) -> [JSONValue] {
        var values = [event]
        for part in parts {
            if values.isEmpty { break }
            values = values.flatMap { value -> [JSONValue] in
                switch part {
                case .name(let name): value[name].map { [$0] } ?? []
                case .element(let number):
                    value.array.flatMap { $0.indices.contains(number) ? [$0[number]] : nil } ?? []
                case .all: value.array ?? value.members?.map(\.value) ?? []
                }
            }
        }
        return values
    }
}

extension JSONValue {
    /// True if both values are equal: numbers by value, texts by their scalars, objects regardless of the order of their members.
    ///
    /// Takes time linear in the smaller value.
    package func means(_ other: JSONValue) -> Bool {
        switch (kind, other.kind) {
        case (.number(let left), .number(let right)):
            if let left = left.integer, let right = right.integer { return left == right }
            return left.text == right.text || left.double == right.double
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            // Of duplicate names, the last counts.
            var values: [ExactText: JSONValue] = [:]
            for member in right { values[ExactText(member.name)] = member.value }
            return left.allSatisfy { member in
                values[ExactText(member.name)].map { member.value.means($0) } ?? false
            }
        case (.string(let left), .string(let right)):
            return Characters.areSame(left, right)
        default:
            return kind == other.kind
        }
    }
}
