/// One thing that a caller did against the rules: found, reported, never thrown.
public struct Violation: Sendable, Hashable {
    /// What a rule is about.
    public enum Subject: String, Sendable, Hashable {
        case event
        /// Of an event, or a global one.
        case attribute
        case userAttribute = "user_attribute"
        case item
        /// A screen view without a usable name.
        case screen
    }

    /// Whether the rule was broken, or only a recommendation passed over.
    public enum Severity: String, Sendable, Hashable {
        /// The hard limit: something was discarded.
        case error
        /// The suggested limit: everything was kept.
        case warning
    }

    /// Which rule: `Rules[code]` says the rest.
    public var code: ErrorCode
    public var severity: Severity
    public var subject: Subject
    /// The name that the rule was broken by, cut to 50 characters, control characters replaced. Never a value.
    public var name: String
    /// What is wrong, in one sentence of at most 256 characters, with names and lengths, never values.
    public var message: String

    public init(code: ErrorCode, severity: Severity, subject: Subject, name: String, message: String) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.name = name
        self.message = message
    }
}

extension Sequence<Violation> {
    /// What an event's `_error_code` and `_error_message` tell: the first that is no mere warning.
    package var firstError: Violation? {
        first { $0.severity == .error }
    }
}
