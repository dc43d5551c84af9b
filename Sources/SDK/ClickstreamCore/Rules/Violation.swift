/// Violation of a rule by a caller: detected and reported, never thrown.
public struct Violation: Sendable, Hashable {
    /// Subject of a rule.
    public enum Subject: String, Sendable, Hashable {
        /// An event, by its name.
        case event
        /// An event attribute or a global attribute.
        case attribute
        /// An attribute of the user, or the user id.
        case userAttribute = "user_attribute"
        /// An item or an attribute of an item.
        case item
        /// A screen view without a usable name.
        case screen
    }

    /// Severity of a violation.
    public enum Severity: String, Sendable, Hashable {
        /// A hard limit was exceeded: something was discarded.
        case error
        /// A suggested limit was exceeded: everything was kept.
        case warning
    }

    /// The code of the rule; `clickstream-cli explain` and `Docs/error-codes.md` describe it.
    public var code: ErrorCode
    /// The severity: an error discards something, a warning does not.
    public var severity: Severity
    /// The kind of thing that the rule applies to.
    public var subject: Subject
    /// The name that violated the rule, cut to 50 characters, control characters replaced. Never a value.
    public var name: String
    /// The message, one sentence of at most 256 characters, with names and lengths, never values.
    public var message: String

    /// Creates a violation; the caller shortens `name` and `message`.
    package init(code: ErrorCode, severity: Severity, subject: Subject, name: String, message: String) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.name = name
        self.message = message
    }
}

extension Sequence<Violation> {
    /// The violation reported in an event's `_error_code` and `_error_message`: the first that is not a warning.
    package var firstError: Violation? {
        first { $0.severity == .error }
    }
}
