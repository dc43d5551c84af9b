package import ClickstreamCore

/// A problem of a document with its position, and a suggested correction if there is one.
package struct DocumentProblem: Sendable, Hashable {
    package var position: SourcePosition
    /// The cause, without the position: `unknown step 'lanch'`.
    package var message: String
    /// Suggested correction: `did you mean 'launch'?`
    package var suggestion: String?

    package init(at position: SourcePosition, _ message: String, suggestion: String? = nil) {
        self.position = position
        self.message = message
        self.suggestion = suggestion
    }

    /// The usual form of editors and compilers: `file:line:column: error: message; suggestion`.
    package func rendered(file: String) -> String {
        "\(file):\(position): error: \(message)" + (suggestion.map { "; \($0)" } ?? "")
    }
}

/// The problems of a document in the order of the file, up to ``limit``.
package struct DocumentError: Error, Sendable, Hashable {
    /// Maximum number of reported problems.
    package static let limit = 20

    package var file: String
    package var problems: [DocumentProblem]

    package init(file: String, problems: [DocumentProblem]) {
        self.file = file
        self.problems = problems
    }

    /// Keeps the first problems in the order of the file, without duplicates.
    package init(file: String, unsorted problems: [DocumentProblem]) {
        var seen: Set<DocumentProblem> = []
        let sorted = problems.filter { seen.insert($0).inserted }.enumerated().sorted { left, right in
            let (one, other) = (left.element.position, right.element.position)
            return (one.line, one.column, left.offset) < (other.line, other.column, right.offset)
        }
        self.init(file: file, problems: sorted.prefix(DocumentError.limit).map(\.element))
    }
}

extension DocumentError: CustomStringConvertible {
    /// One line per problem.
    package var description: String {
        problems.map { $0.rendered(file: file) }.joined(separator: "\n")
    }
}
