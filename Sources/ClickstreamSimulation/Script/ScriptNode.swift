import ClickstreamCore

/// A value of a script with its position, independent of the notation.
///
/// Scalars are typed by the core schema of YAML 1.2, or by JSON.
struct ScriptNode: Sendable {
    var content: Content
    var position: SourcePosition
    /// Text of a number, Boolean or null; empty for other values.
    var spelling = ""

    /// Content of a value.
    enum Content: Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case double(Double)
        case string(String)
        case list([ScriptNode])
        case mapping([Entry])
        /// Placeholder of a reported value; accepted everywhere, so that it is not reported again.
        case unreadable
    }

    /// One key of a mapping with its value.
    struct Entry: Sendable {
        var key: String
        var keyPosition: SourcePosition
        var value: ScriptNode
    }

    init(_ content: Content, at position: SourcePosition, spelling: String = "") {
        self.content = content
        self.position = position
        self.spelling = spelling
    }

    /// The value of a key of a mapping.
    subscript(key: String) -> ScriptNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// For messages: `a string`, `the number 5`, `a list`.
    var kindDescription: String {
        switch content {
        case .null: "null"
        case .boolean: "'\(spelling)'"
        case .integer, .double: "the number \(spelling)"
        case .string: "a string"
        case .list: "a list"
        case .mapping: "a mapping"
        case .unreadable: "something unreadable"
        }
    }

    /// Advice for a scalar that should be a string.
    var quotationHint: String? {
        switch content {
        case .boolean, .integer, .double: "write \"\(spelling)\" in quotation marks to make it a string"
        case .null, .string, .list, .mapping, .unreadable: nil
        }
    }
}

/// Result of parsing: the tree, if any, and the problems.
struct ScriptTree {
    /// Maximum nesting depth.
    static let maxDepth = 64
    /// Maximum number of values that aliases add.
    static let maxAliasedNodes = 1_000_000

    var root: ScriptNode?
    var problems: [ScriptProblem] = []

    /// Reports every duplicate key of a mapping at its later occurrence.
    static func repeatedKeys(in entries: [ScriptNode.Entry]) -> [ScriptProblem] {
        guard entries.count > 1 else { return [] }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            seen.insert(entry.key).inserted ? nil : repeatedKey(entry.key, at: entry.keyPosition)
        }
    }

    static func repeatedKey(_ key: String, at position: SourcePosition) -> ScriptProblem {
        ScriptProblem(at: position, "duplicate key '\(key)' in a mapping")
    }
}
