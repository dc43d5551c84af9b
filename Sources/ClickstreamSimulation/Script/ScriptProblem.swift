package import ClickstreamCore

/// A problem of a script with its position, and a suggested correction if there is one.
package struct ScriptProblem: Sendable, Hashable {
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

/// The problems of a script in the order of the file, up to ``limit``.
package struct ScriptError: Error, Sendable, Hashable {
    /// Maximum number of reported problems.
    package static let limit = 20

    package var file: String
    package var problems: [ScriptProblem]

    package init(file: String, problems: [ScriptProblem]) {
        self.file = file
        self.problems = problems
    }
}

extension ScriptError: CustomStringConvertible {
    /// One line per problem.
    package var description: String {
        problems.map { $0.rendered(file: file) }.joined(separator: "\n")
    }
}
