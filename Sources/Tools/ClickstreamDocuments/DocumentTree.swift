import ClickstreamCore

/// Result of parsing: the tree, if any, and the problems.
package struct DocumentTree {
    /// Maximum size of a document in bytes: 64 MiB.
    package static let maxBytes = 64 << 20
    /// Maximum nesting depth.
    static let maxDepth = 64
    /// Maximum number of values that aliases add.
    static let maxAliasedNodes = 1_000_000

    package var root: DocumentNode?
    package var problems: [DocumentProblem] = []

    /// Reports every duplicate key of a mapping at its later occurrence.
    static func repeatedKeys(in entries: [DocumentNode.Entry]) -> [DocumentProblem] {
        guard entries.count > 1 else { return [] }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            seen.insert(entry.key).inserted ? nil : repeatedKey(entry.key, at: entry.keyPosition)
        }
    }

    static func repeatedKey(_ key: String, at position: SourcePosition) -> DocumentProblem {
        DocumentProblem(at: position, "duplicate key '\(key)' in a mapping")
    }

    /// Parses the bytes of a file. Costs a few microseconds per value. Safe for untrusted input.
    /// - Parameter noun: the kind of document in messages, such as `script`.
    package static func read(_ bytes: [UInt8], isJSON: Bool, noun: String) -> DocumentTree {
        let start = SourcePosition(line: 1, column: 1)
        guard bytes.count <= maxBytes else {
            return DocumentTree(problems: [DocumentProblem(at: start, "the \(noun) is longer than \(maxBytes) bytes")])
        }
        guard !bytes.isUTF16 else {
            return DocumentTree(problems: [DocumentProblem(at: start, TextEncoding.utf16Refusal)])
        }
        let content = Array(bytes.withoutByteOrderMark)
        if isJSON { return DocumentTree(json: content, noun: noun) }
        guard let text = String(validating: content, as: UTF8.self) else {
            let position = SourcePosition(of: invalidOffset(in: content), in: content)
            return DocumentTree(problems: [DocumentProblem(at: position, "the text is not valid UTF-8")])
        }
        return DocumentTree(yaml: text)
    }

    private static func invalidOffset(in bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
        return offset
    }
}
