package import ClickstreamCore

/// Reader of one kind of document: converts nodes to values and collects the problems.
package protocol DocumentReader {
    /// Problems found so far, in any order.
    var problems: [DocumentProblem] { get set }
}

extension DocumentReader {
    package mutating func report(_ position: SourcePosition, _ message: String, _ suggestion: String?) {
        problems.append(DocumentProblem(at: position, message, suggestion: suggestion))
    }

    /// Reports a node of another type than `expected`.
    package mutating func reportType(_ node: DocumentNode, _ what: String, expected: String, hint: String? = nil) {
        if case .unreadable = node.content { return }
        report(node.position, "\(what) must be \(expected), not \(node.kindDescription)", hint)
    }

    /// The values of a mapping by their keys; unknown keys are reported and omitted.
    package mutating func mapping(_ node: DocumentNode, _ what: String, keys: [String]) -> [String: DocumentNode] {
        guard case .mapping(let entries) = node.content else {
            reportType(node, what, expected: "a mapping with \(String.list(keys, "or"))")
            return [:]
        }
        var values: [String: DocumentNode] = [:]
        for entry in entries {
            if keys.contains(entry.key) {
                values[entry.key] = entry.value
            } else {
                let question = Suggestion.question(about: entry.key, among: keys)
                let hint = question ?? "valid keys: \(String.list(keys, "or"))"
                report(entry.keyPosition, "unknown key '\(entry.key)' in \(what)", hint)
            }
        }
        return values
    }

    package mutating func text(_ node: DocumentNode, _ what: String) -> String? {
        if case .string(let text) = node.content { return text }
        reportType(node, what, expected: "a string", hint: node.quotationHint)
        return nil
    }

    package mutating func integer(
        _ node: DocumentNode,
        _ what: String,
        in range: ClosedRange<Int64> = .min ... .max
    ) -> Int64? {
        guard case .integer(let integer) = node.content else {
            reportType(node, what, expected: "an integer")
            return nil
        }
        guard range.contains(integer) else {
            let bounds =
                range.upperBound == .max
                ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            report(node.position, "\(what) must be \(bounds), not \(integer)", nil)
            return nil
        }
        return integer
    }

    package mutating func boolean(_ node: DocumentNode, _ what: String) -> Bool? {
        if case .boolean(let truth) = node.content { return truth }
        reportType(node, what, expected: "true or false")
        return nil
    }
}
