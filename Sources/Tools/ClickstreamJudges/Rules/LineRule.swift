/// Rule for a line of an input, before the rules for the events in it.
package struct LineRule: Sendable, Hashable {
    /// A string, like the codes of the server's rules.
    package let code: String
    package let title: String
    package let meaning: String
    package let fix: String
    /// The commands that make the check.
    package let checkers: String

    package init(code: String, title: String, meaning: String, fix: String, checkers: String) {
        self.code = code
        self.title = title
        self.meaning = meaning
        self.fix = fix
        self.checkers = checkers
    }
}
