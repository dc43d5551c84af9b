package import ClickstreamCore

/// A value of a YAML or JSON document with its position, independent of the notation.
///
/// Scalars are typed by the core schema of YAML 1.2, or by JSON.
package struct DocumentNode: Sendable {
    package var content: Content
    package var position: SourcePosition
    /// Text of a number, Boolean or null; empty for other values.
    package var spelling = ""

    /// Content of a value.
    package enum Content: Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        case double(Double)
        case string(String)
        case list([DocumentNode])
        case mapping([Entry])
        /// Placeholder of a reported value; accepted everywhere, so that it is not reported again.
        case unreadable
    }

    /// One key of a mapping with its value.
    package struct Entry: Sendable {
        package var key: String
        package var keyPosition: SourcePosition
        package var value: DocumentNode
    }

    package init(_ content: Content, at position: SourcePosition, spelling: String = "") {
        self.content = content
        self.position = position
        self.spelling = spelling
    }

    /// The value of a key of a mapping.
    package subscript(key: String) -> DocumentNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// For messages: `a string`, `the number 5`, `a list`.
    package var kindDescription: String {
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
    package var quotationHint: String? {
        switch content {
        case .boolean, .integer, .double: "write \"\(spelling)\" in quotation marks to make it a string"
        case .null, .string, .list, .mapping, .unreadable: nil
        }
    }
}
