package import ClickstreamCore

/// One thing that is wrong with a script, with its place and, where one is near, the way to put it right.
package struct ScriptProblem: Sendable, Hashable {
    package var position: SourcePosition
    /// The cause, without the place: `unknown step 'lanch'`.
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

/// Everything that is wrong with a script, up to ``limit`` problems in the order of the file.
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
    /// One line a problem.
    package var description: String {
        problems.map { $0.rendered(file: file) }.joined(separator: "\n")
    }
}
